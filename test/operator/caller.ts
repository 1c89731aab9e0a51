import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../src/contract/canonical.ts';
import { signBody, signQuery } from '../../src/contract/signature.ts';

export interface Answer {
  readonly status: number;
  readonly body: {
    readonly balance?: string;
    readonly txID?: string;
    readonly message?: string;
    readonly code?: string;
  };
}

type Fields = Readonly<Record<string, string | number | boolean>>;

/** Calls one client of an operator over real sockets, as the service does. */
export interface Caller {
  readonly balance: (sessionID: string) => Promise<string | undefined>;
  readonly read: (query: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly bet: (sessionID: string, amount: string, fields?: Fields) => Promise<Answer>;
  readonly win: (sessionID: string, amount: string, fields?: Fields) => Promise<Answer>;
  readonly refund: (sessionID: string, origTxID: string, amount: string, fields?: Fields) => Promise<Answer>;
  /**
   * Posts exactly these bytes to one of the paths. They are signed unless a signature is given. With null, no signature is sent.
   */
  readonly post: (call: string, body: string | Uint8Array, signature?: string | null) => Promise<Answer>;
}

export function callerOf(url: string, key: string): Caller {
  const send = async (path: string, signature: string | null, body?: string | Uint8Array): Promise<Answer> => {
    const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' });
    if (signature !== null) headers.set('X-REQUEST-SIGN', signature);
    const reply = await fetch(
      `${url}/${path}`,
      body === undefined ? { headers } : { method: 'POST', headers, body: Buffer.from(body) },
    );
    return { status: reply.status, body: (await reply.json()) as Answer['body'] };
  };
  const post: Caller['post'] = (call, body, signature = signBody(Buffer.from(body), key)) =>
    send(call, signature, body);
  const read: Caller['read'] = (query) =>
    send(`balance?${new URLSearchParams(query).toString()}`, signQuery(Object.entries(query), key));
  const action =
    (call: string) =>
    (sessionID: string, amount: string, fields: Fields = {}): Promise<Answer> =>
      post(
        call,
        canonicalJson({ sessionID, amount, txID: randomUUID(), roundID: randomUUID(), type: 'regular', ...fields }),
      );
  return {
    read,
    post,
    balance: async (sessionID) => (await read({ sessionID })).body.balance,
    bet: action('bet'),
    win: action('win'),
    refund: (sessionID, origTxID, amount, fields = {}) =>
      post('refund', canonicalJson({ sessionID, origTxID, amount, txID: randomUUID(), ...fields })),
  };
}
