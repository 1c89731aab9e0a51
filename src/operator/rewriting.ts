import type { CallName } from '../contract/call-name.ts';
import type { HeaderPairs, ListenReply, ListenRequest, Transfer } from '../listen/message.ts';
import type { Behaviour } from './behaviour.ts';

/** A JSON object whose fields were not validated. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the name of the call to which the path of a request belongs. */
export function callOf({ path }: ListenRequest): CallName {
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (last === 'bet' || last === 'win' || last === 'refund') return last;
  return 'balance';
}

/** Returns the body of a reply as text. */
export function textOf({ body }: ListenReply): string {
  return typeof body === 'string' ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : '';
}

/** Returns the body of a request as an object. Returns undefined if the body is not a JSON object. */
export function bodyOf({ body }: ListenRequest): Fields | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

type Rewrite = (reply: ListenReply, request: ListenRequest) => ListenReply;

/** Changes replies after their calls have been processed. */
export function rewriting(right: Behaviour, rewrite: Rewrite): Pick<Behaviour, 'receive'> {
  return {
    receive: async (request, answer) => rewrite(await right.receive(request, answer), request),
  };
}

/** Changes replies with status 200 after their calls have been processed. */
export function rewritingSuccess(right: Behaviour, rewrite: Rewrite): Pick<Behaviour, 'receive'> {
  return rewriting(right, (reply, request) => (reply.status === 200 ? rewrite(reply, request) : reply));
}

/** Changes the fields of replies with status 200. */
export function rewritingFields(
  right: Behaviour,
  change: (fields: Fields, request: ListenRequest) => unknown,
): Pick<Behaviour, 'receive'> {
  return rewritingSuccess(right, (reply, request) => ({
    ...reply,
    body: JSON.stringify(change(JSON.parse(textOf(reply)) as Fields, request)),
  }));
}

/** Marks a reply so that it is not sent. Instead, the connection is closed. */
export function withheld(reply: ListenReply): ListenReply {
  return { ...reply, transfer: { ...reply.transfer, withheld: true } };
}

/** Returns a reply in which one header is replaced or added. */
export function withHeader(reply: ListenReply, name: string, value: string): ListenReply {
  const others = reply.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...reply, headers: [...others, [name, value]] };
}

type Deliver = Pick<Behaviour, 'deliver'>;

/** Changes the way in which every reply is sent, for example in chunks. */
export function transferring(right: Behaviour, transfer: Transfer): Deliver {
  return delivering(right, (reply) => ({ ...reply, transfer: { ...reply.transfer, ...transfer } }));
}

/** Changes a reply when it is delivered. */
export function delivering(
  right: Behaviour,
  change: (reply: ListenReply, request: ListenRequest) => ListenReply,
): Deliver {
  return { deliver: (reply, request) => change(right.deliver(reply, request), request) };
}

/** Returns a reply in which some headers are replaced or added. */
export function withHeaders(reply: ListenReply, headers: HeaderPairs): ListenReply {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return { ...reply, headers: [...reply.headers.filter(([name]) => !names.has(name.toLowerCase())), ...headers] };
}

/** Changes the JSON text of replies. A reply that is not a plain JSON object comes from a defect and is not changed. */
export function writing(
  right: Behaviour,
  write: (fields: Fields, status: number) => string,
): Pick<Behaviour, 'format'> {
  return {
    format: (given, request) => {
      const reply = right.format(given, request);
      const fields = typeof reply.body === 'string' ? plainObject(reply.body) : undefined;
      return fields ? { ...reply, body: write(fields, reply.status) } : reply;
    },
  };
}

function plainObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && JSON.stringify(value) === text ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}
