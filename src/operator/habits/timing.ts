import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../sdk/reply.ts';
import { bodyOf } from '../defects/rewriting.ts';
import type { Habit } from '../habit.ts';

/** A number from 0 to 1 that looks random, and is the same in each run. */
function jitter(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** One after another: each waits for the one before. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
}

/** Does the work while the key stands in the set. */
async function whileIn<Key, Result>(set: Set<Key>, key: Key, work: () => Promise<Result>): Promise<Result> {
  set.add(key);
  try {
    return await work();
  } finally {
    set.delete(key);
  }
}

const IN_FLIGHT = failure({ status: 409, message: 'This transaction is still being processed.' });

/** When things happen, within what the contract allows. */
export const TIMING_HABITS: readonly Habit[] = [
  {
    name: 'slow-replies',
    description: 'One reply in three takes three of the five seconds; the money has moved by then.',
    change: (right, { deadlineMs }) => {
      let calls = 0;
      return {
        receive: async (request, answer) => {
          calls += 1;
          const isSlow = calls % 3 === 0;
          const reply = await right.receive(request, answer);
          if (isSlow) await sleep(deadlineMs * 0.6);
          return reply;
        },
      };
    },
  },
  {
    name: 'jittered-replies',
    description:
      'Calls wait a while before they are carried out and a while before they are answered, now more, now less.',
    change: (right) => {
      const random = jitter();
      return {
        receive: async (request, answer) => {
          await sleep(random() * 12);
          const reply = await right.receive(request, answer);
          await sleep(random() * 12);
          return reply;
        },
      };
    },
  },
  {
    name: 'queued-calls',
    description: 'Calls are carried out some time after they arrive, also when the caller has gone away meanwhile.',
    change: (right) => ({
      receive: async (request, answer) => {
        await sleep(25);
        return right.receive(request, answer);
      },
    }),
  },
  {
    name: 'abandoned-calls-dropped',
    description: 'A call whose caller has gone away is not carried out, if that is noticed in time.',
    change: (right) => ({
      receive: async (request, answer) => {
        await sleep(3);
        return request.isGone?.()
          ? failure({ status: 499, message: 'The caller has gone away.' })
          : right.receive(request, answer);
      },
    }),
  },
  {
    name: 'player-lock',
    description: 'The calls of one player wait for each other, some milliseconds each.',
    change: (right) => {
      const queues = new Map<number, ReturnType<typeof queue>>();
      return {
        carryOut: (store, work) => {
          const id = work.look().wallet?.id;
          if (id === undefined) return right.carryOut(store, work);
          const mine = queues.get(id) ?? queue();
          queues.set(id, mine);
          return mine(async () => {
            await sleep(4);
            return right.carryOut(store, work);
          });
        },
      };
    },
  },
  {
    name: 'locked-wallet-409',
    description: 'A call that finds another one of its player under way is declined with 409, and moves nothing.',
    change: (right) => {
      const locked = new Set<number>();
      return {
        carryOut: async (store, work) => {
          const id = work.look().wallet?.id;
          if (id === undefined) return right.carryOut(store, work);
          if (locked.has(id)) return { kind: 'declined', reason: 'wallet-busy' };
          return whileIn(locked, id, async () => {
            await sleep(3);
            return right.carryOut(store, work);
          });
        },
      };
    },
  },
  {
    name: 'refund-of-bet-in-flight-409',
    description: 'A refund whose bet is still being processed is answered 409; sent again, it is carried out.',
    change: (right) => {
      const underWay = new Set<unknown>();
      return {
        receive: async (request, answer) => {
          const { txID, origTxID } = bodyOf(request) ?? {};
          if (origTxID !== undefined) return underWay.has(origTxID) ? IN_FLIGHT : right.receive(request, answer);
          return whileIn(underWay, txID, async () => {
            await sleep(8);
            return right.receive(request, answer);
          });
        },
      };
    },
  },
  {
    name: 'one-call-at-a-time',
    description: 'All calls of all players wait for each other.',
    change: (right) => {
      const all = queue();
      return { carryOut: (store, work) => all(async () => right.carryOut(store, work)) };
    },
  },
  {
    name: 'duplicate-in-flight-409',
    description: 'A txID whose first call is still being processed is answered 409, and afterwards the stored reply.',
    change: (right) => {
      const underWay = new Set<unknown>();
      return {
        receive: async (request, answer) => {
          const txID = bodyOf(request)?.txID;
          if (txID === undefined) return right.receive(request, answer);
          if (underWay.has(txID)) {
            return IN_FLIGHT;
          }
          return whileIn(underWay, txID, async () => {
            await sleep(8);
            return right.receive(request, answer);
          });
        },
      };
    },
  },
  {
    name: 'balance-read-after-commit',
    description:
      'A call is booked first, and the balance for its reply is read afterwards: others may have changed it.',
    change: (right) => {
      const told = new Map<string, string>();
      return {
        carryOut: async (store, work) => {
          const decision = await right.carryOut(store, work);
          const { wallet } = work.look();
          if (decision.kind !== 'done' || !wallet) return decision;
          await sleep(2);
          const now = store.wallet(wallet.id);
          const balance = told.get(decision.txID) ?? right.show(now, now.balance);
          told.set(decision.txID, balance);
          return { ...decision, balance };
        },
      };
    },
  },
];
