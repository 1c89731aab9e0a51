import type { JsonObject } from '../../src/contract/json.ts';
import { error, type Fault, type ToyReply } from './toy-wallet.ts';

/** Applies a fault at one step only. */
export function at(key: string, fault: Fault): Fault {
  return (request, honest, wallet) => (request.key === key ? fault(request, honest, wallet) : honest());
}

/** Carries out a step correctly, also moves some money, and replies with the resulting balance. */
export function moving(key: string, amount: string, player = 'p1'): Fault {
  return at(key, (_request, honest, wallet) => {
    const reply = honest();
    wallet.move(amount, player);
    return reply.status === 200 ? wallet.ok() : reply;
  });
}

/** Carries out a step correctly, also moves some money, and replies as if it had not. */
export function movingSilently(key: string, amount: string): Fault {
  return at(key, (_request, honest, wallet) => {
    const reply = honest();
    wallet.move(amount);
    return reply;
  });
}

/** Does nothing at a step, and sends this reply. */
export function answering(key: string, reply: ToyReply): Fault {
  return at(key, () => reply);
}

/** Does nothing at a step, and replies as if it had carried it out. */
export function answeringOnly(key: string): Fault {
  return at(key, (_request, _honest, wallet) => wallet.ok());
}

/** Carries out a step correctly, and changes the reply. */
export function changing(key: string, change: Partial<ToyReply>): Fault {
  return at(key, (_request, honest) => ({ ...honest(), ...change }));
}

/** Carries out a step correctly, and changes fields of the reply; undefined removes a field. */
export function withFields(key: string, fields: Readonly<Record<string, JsonObject[string] | undefined>>): Fault {
  return at(key, (_request, honest) => {
    const reply = honest();
    const body = { ...(reply.body as JsonObject), ...fields };
    return {
      ...reply,
      body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as JsonObject,
    };
  });
}

export const refused = error(400, 'Not like this');
