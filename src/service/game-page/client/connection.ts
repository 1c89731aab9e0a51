import type { GameView } from '../view.ts';

/** The server's answer. `lost` means that the server did not answer. */
export type Answer =
  | { readonly kind: 'view'; readonly view: GameView; readonly roundID: string | null }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string | null; readonly message: string }
  | { readonly kind: 'lost' };

/** Requests the current view. Before the server answers, it reads the player's balance from the operator. */
export async function readState(gsID: string): Promise<Answer> {
  return ask(`play/state?gsID=${encodeURIComponent(gsID)}`);
}

/** Asks the server to play a round for a stake. */
export async function playRound(gsID: string, stake: string): Promise<Answer> {
  const body = JSON.stringify({ gsID, stake });
  return ask('play/rounds', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
}

async function ask(address: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const response = await fetch(address, { ...init, cache: 'no-store' });
    const body: unknown = await response.json();
    if (response.ok) return read(body);
    return { kind: 'refused', status: response.status, ...refusalOf(body) };
  } catch {
    return { kind: 'lost' };
  }
}

function read(body: unknown): Answer {
  const answer = body as GameView | { readonly roundID: string; readonly view: GameView };
  return 'view' in answer
    ? { kind: 'view', view: answer.view, roundID: answer.roundID }
    : { kind: 'view', view: answer, roundID: null };
}

function refusalOf(body: unknown): { readonly code: string | null; readonly message: string } {
  const { code, message } = body as { readonly code?: unknown; readonly message?: unknown };
  return {
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : 'The game could not process this request.',
  };
}

/**
 * Receives changes from the server while the page is visible. A browser opens only a few connections to one server, so
 * a hidden page closes its connection.
 */
export function follow(gsID: string, { heard, connected, ended }: Follower): void {
  let source: EventSource | undefined;
  const open = (): void => {
    source?.close();
    const mine = new EventSource(`play/events?gsID=${encodeURIComponent(gsID)}`);
    source = mine;
    mine.addEventListener('open', () => connected(true));
    mine.addEventListener('view', ({ data }: MessageEvent<string>) => heard(JSON.parse(data) as GameView));
    mine.addEventListener('error', () => {
      connected(false);
      // The browser reconnects by itself if the connection is lost, but not if the server refuses the connection.
      if (mine.readyState === EventSource.CLOSED && mine === source) void reopen();
    });
  };
  const reopen = async (): Promise<void> => {
    if (await ended()) open();
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') open();
    else source?.close();
  });
  open();
}

interface Follower {
  readonly heard: (view: GameView) => void;
  readonly connected: (isConnected: boolean) => void;
  /**
   * Is called when the server refuses the connection.
   *
   * @returns true to connect again
   */
  readonly ended: () => Promise<boolean>;
}
