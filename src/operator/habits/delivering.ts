import type { Carriage } from '../../listen/carriage.ts';
import type { HeaderPairs, ListenReply, ListenRequest } from '../../listen/message.ts';
import type { Behaviour } from '../behaviour.ts';

/** A JSON object of a reply. */
export type Fields = Readonly<Record<string, unknown>>;

type Deliver = Pick<Behaviour, 'deliver'>;

/** Carries every reply in another way. */
export function carried(right: Behaviour, carriage: Carriage): Deliver {
  return delivering(right, (reply) => ({ ...reply, carriage: { ...reply.carriage, ...carriage } }));
}

/** Changes a reply on its way out. */
export function delivering(
  right: Behaviour,
  change: (reply: ListenReply, request: ListenRequest) => ListenReply,
): Deliver {
  return { deliver: (reply, request) => change(right.deliver(reply, request), request) };
}

/** Other headers beside those of a reply; one of the same name is replaced. */
export function withHeaders(reply: ListenReply, headers: HeaderPairs): ListenReply {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  return { ...reply, headers: [...reply.headers.filter(([name]) => !names.has(name.toLowerCase())), ...headers] };
}

/** Lays the JSON of replies out in another way. What is no plain JSON object was made so by a defect, and stays. */
export function writing(
  right: Behaviour,
  write: (fields: Fields, status: number) => string,
): Pick<Behaviour, 'layOut'> {
  return {
    layOut: (given, request) => {
      const reply = right.layOut(given, request);
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
