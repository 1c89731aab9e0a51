import type { CallName } from '../../contract/call-name.ts';
import type { ListenReply, ListenRequest } from '../../listen/message.ts';
import type { Behaviour } from '../behaviour.ts';

/** A JSON object whose fields nobody has looked at. */
export type Fields = Readonly<Record<string, unknown>>;

/** Which of the four calls a request is. */
export function callOf({ path }: ListenRequest): CallName {
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (last === 'bet' || last === 'win' || last === 'refund') return last;
  return 'balance';
}

/** The reply's body as text. */
export function textOf({ body }: ListenReply): string {
  return typeof body === 'string' ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : '';
}

/** The body of a request, or undefined when it is no JSON object. */
export function bodyOf({ body }: ListenRequest): Fields | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

type Rewrite = (reply: ListenReply, request: ListenRequest) => ListenReply;

/** Changes replies on their way out. */
export function rewriting(right: Behaviour, rewrite: Rewrite): Pick<Behaviour, 'receive'> {
  return {
    receive: async (request, answer) => rewrite(await right.receive(request, answer), request),
  };
}

/** Changes replies with status 200 on their way out. */
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

/** A reply that does not leave: the connection is closed instead. */
export function withheld(reply: ListenReply): ListenReply {
  return { ...reply, carriage: { ...reply.carriage, withheld: true } };
}

/** A reply with other headers than its own of the same name. */
export function withHeader(reply: ListenReply, name: string, value: string): ListenReply {
  const others = reply.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return { ...reply, headers: [...others, [name, value]] };
}
