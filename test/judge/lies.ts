import type { JsonObject } from '../../src/contract/json.ts';
import { error, type Lie, type Told } from './toy-wallet.ts';

/** Lies at one step only. */
export function at(key: string, lie: Lie): Lie {
  return (ask, tell, wallet) => (ask.key === key ? lie(ask, tell, wallet) : tell());
}

/** Does the honest thing at a step, moves some money besides, and tells the balance as it is then. */
export function moving(key: string, amount: string, player = 'p1'): Lie {
  return at(key, (_ask, tell, wallet) => {
    const honest = tell();
    wallet.move(amount, player);
    return honest.status === 200 ? wallet.ok() : honest;
  });
}

/** Moves money at a step, and says what an honest operator says. */
export function movingSilently(key: string, amount: string): Lie {
  return at(key, (_ask, tell, wallet) => {
    const honest = tell();
    wallet.move(amount);
    return honest;
  });
}

/** Does nothing at a step, and answers this. */
export function saying(key: string, told: Told): Lie {
  return at(key, () => told);
}

/** Does nothing at a step, and answers as if it had. */
export function nodding(key: string): Lie {
  return at(key, (_ask, _tell, wallet) => wallet.ok());
}

/** Does the honest thing at a step, and changes how it is answered. */
export function changing(key: string, change: Partial<Told>): Lie {
  return at(key, (_ask, tell) => ({ ...tell(), ...change }));
}

/** Does the honest thing at a step, and changes fields of the answer; undefined takes one away. */
export function withFields(key: string, fields: Readonly<Record<string, JsonObject[string] | undefined>>): Lie {
  return at(key, (_ask, tell) => {
    const told = tell();
    const body = { ...(told.body as JsonObject), ...fields };
    return {
      ...told,
      body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as JsonObject,
    };
  });
}

export const refused = error(400, 'Not like this');
