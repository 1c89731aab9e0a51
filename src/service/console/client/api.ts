import type { ConsoleState, ExchangeDetail, ExchangeRow } from '../view.ts';

/** It stays out of every further address, and no browser sends it by itself. */
const token = new URLSearchParams(location.search).get('token') ?? '';
const AUTHORITY = { Authorization: `Bearer ${token}` };
const RETRY_MS = 1000;

/** The result of an action, as a message for the user. */
export interface Said {
  readonly ok: boolean;
  readonly message: string;
}

/** Asks the service for an action. */
export async function act(what: string, fields: object): Promise<Said> {
  try {
    const response = await fetch(`api/${what}`, {
      method: 'POST',
      headers: { ...AUTHORITY, 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const { message = `Answered ${response.status}.` } = (await response.json()) as { readonly message?: string };
    return { ok: response.ok, message };
  } catch {
    return { ok: false, message: 'The service does not answer.' };
  }
}

/** @returns a sentence when the exchange can't be read */
export async function readDetail(id: number): Promise<ExchangeDetail | string> {
  try {
    const response = await fetch(`api/exchange?id=${id}`, { headers: AUTHORITY });
    const body = (await response.json()) as ExchangeDetail | { readonly message: string };
    return 'row' in body ? body : body.message;
  } catch {
    return 'The service does not answer.';
  }
}

export interface Follower {
  /** Called when a connection begins. Everything is then sent again. */
  readonly begun: () => void;
  readonly exchanges: (rows: readonly ExchangeRow[]) => void;
  readonly state: (state: ConsoleState) => void;
  readonly connection: (state: 'live' | 'lost' | 'refused', message: string) => void;
}

/** Follows the events of the service while the page is open. */
export async function follow(follower: Follower): Promise<void> {
  for (;;) {
    try {
      const response = await fetch('api/events', { headers: AUTHORITY, cache: 'no-store' });
      if (response.status === 401 || response.status === 403) {
        const { message } = (await response.json()) as { readonly message: string };
        follower.connection('refused', `Refused: ${message} After a restart the console has a new address.`);
        return;
      }
      if (response.ok && response.body) {
        follower.begun();
        follower.connection('live', 'Live');
        await readEvents(response.body, follower);
      }
    } catch {
      // Every reason for the end is handled below.
    }
    follower.connection('lost', 'The service does not answer. Trying again…');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readEvents(stream: ReadableStream<Uint8Array>, follower: Follower): Promise<void> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      handleEvent(text.slice(0, end), follower);
      text = text.slice(end + 2);
    }
  }
}

function handleEvent(event: string, { exchanges, state }: Follower): void {
  const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
  if (data === undefined) return;
  if (name === 'exchanges') exchanges(JSON.parse(data) as readonly ExchangeRow[]);
  if (name === 'state') state(JSON.parse(data) as ConsoleState);
}
