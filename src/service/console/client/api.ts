import type { ConsoleState, ExchangeDetail, ExchangeRow } from '../view.ts';

/**
 * The secret that gives access to the console. The page sends the secret in a header, and never in an address, because browsers
 * and servers store addresses.
 */
const token = new URLSearchParams(location.search).get('token') ?? '';
const AUTHORITY = { Authorization: `Bearer ${token}` };
const RETRY_MS = 1000;

/** The result of an action, with a message for the user. */
interface Said {
  readonly ok: boolean;
  readonly message: string;
  /** The address of a launched game. */
  readonly gameURL?: string;
}

/** Sends an action to the service, such as `rounds` to play a round. */
export async function act(what: string, fields: object): Promise<Said> {
  try {
    const response = await fetch(`api/${what}`, {
      method: 'POST',
      headers: { ...AUTHORITY, 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    });
    const { message = `The service answered ${response.status}.`, gameURL } = (await response.json()) as Partial<Said>;
    return { ok: response.ok, message, ...(gameURL !== undefined && { gameURL }) };
  } catch {
    return { ok: false, message: 'The service does not answer. Check that it is running.' };
  }
}

/**
 * Reads the details of an exchange.
 *
 * @returns a message for the user when the exchange can't be read
 */
export async function readDetail(id: number): Promise<ExchangeDetail | string> {
  try {
    const response = await fetch(`api/exchange?id=${id}`, { headers: AUTHORITY });
    const body = (await response.json()) as ExchangeDetail | { readonly message: string };
    return 'row' in body ? body : body.message;
  } catch {
    return 'The service does not answer. Check that it is running.';
  }
}

/** Reads data that do not change while the service runs, such as the games. Returns null when they can't be read. */
export async function read<T>(what: string): Promise<T | null> {
  try {
    const response = await fetch(`api/${what}`, { headers: AUTHORITY });
    return response.ok ? ((await response.json()) as T) : null;
  } catch {
    return null;
  }
}

export interface Follower {
  /** Is called when a connection begins. The service then sends all exchanges again. */
  readonly begun: () => void;
  readonly exchanges: (rows: readonly ExchangeRow[]) => void;
  readonly state: (state: ConsoleState) => void;
  readonly connection: (state: 'live' | 'lost' | 'refused', message: string) => void;
}

/** Reads the events of the service while the page is open, and reconnects when the connection is lost. */
export async function follow(follower: Follower): Promise<void> {
  for (;;) {
    try {
      const response = await fetch('api/events', { headers: AUTHORITY, cache: 'no-store' });
      if (response.status === 401 || response.status === 403) {
        const { message } = (await response.json()) as { readonly message: string };
        follower.connection(
          'refused',
          `The service refused the connection. ${message} After each restart the console has a new address.`,
        );
        return;
      }
      if (response.ok && response.body) {
        follower.begun();
        follower.connection('live', 'Live');
        await readEvents(response.body, follower);
      }
    } catch {
      // The error is ignored: the lines below handle a failed connection and an ended one in the same way.
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
