import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import { failure } from '../../sdk/reply.ts';
import { slowNowAndThen } from '../defects/changed-steps.ts';
import { bodyOf } from '../rewriting.ts';
import type { Variant } from '../variation.ts';

/** Returns a function that returns pseudo-random numbers from 0 to 1. Each run gets the same numbers. */
function jitter(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Does the work, and keeps the key in the set until the work has ended. */
async function whileIn<Key, Result>(set: Set<Key>, key: Key, work: () => Promise<Result>): Promise<Result> {
  set.add(key);
  try {
    return await work();
  } finally {
    set.delete(key);
  }
}

const IN_FLIGHT = failure({ status: 409, message: 'This transaction is still being processed.' });

/** Correct variants with unusual timing: they carry out or answer calls late, or one after another. */
export const TIMING_VARIANTS: readonly Variant[] = [
  {
    name: 'slow-replies',
    description:
      'Every third reply is sent three seconds after the money has moved, within the deadline of five seconds.',
    change: (right, { deadlineMs }) => slowNowAndThen(right, 3, deadlineMs * 0.6),
  },
  {
    name: 'jittered-replies',
    description: 'There are short random pauses before a call is carried out and before it is answered.',
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
    description:
      'Calls are carried out some time after they arrive, even if the caller has closed the connection by then.',
    change: (right) => ({
      receive: async (request, answer) => {
        await sleep(25);
        return right.receive(request, answer);
      },
    }),
  },
  {
    name: 'abandoned-calls-dropped',
    description: 'A call is not carried out if its caller has already closed the connection.',
    change: (right) => ({
      receive: async (request, answer) => {
        await sleep(3);
        return request.isGone?.()
          ? failure({ status: 499, message: 'The caller has closed the connection.' })
          : right.receive(request, answer);
      },
    }),
  },
  {
    name: 'player-lock',
    description: 'The calls of one player are processed one after the other, some milliseconds each.',
    change: (right) => {
      const locks = new Map<number, Mutex>();
      return {
        carryOut: (store, work) => {
          const id = work.look().wallet?.id;
          if (id === undefined) return right.carryOut(store, work);
          const lock = locks.get(id) ?? new Mutex();
          locks.set(id, lock);
          return lock.runExclusive(async () => {
            await sleep(4);
            return right.carryOut(store, work);
          });
        },
      };
    },
  },
  {
    name: 'locked-wallet-409',
    description: 'A call is declined with 409 and moves nothing while another call of the player is being processed.',
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
    description:
      'A refund whose bet is still being processed is answered 409. When it is sent again, it is carried out.',
    change: (right) => {
      const inProgress = new Set<unknown>();
      return {
        receive: async (request, answer) => {
          const { txID, origTxID } = bodyOf(request) ?? {};
          if (origTxID !== undefined) return inProgress.has(origTxID) ? IN_FLIGHT : right.receive(request, answer);
          return whileIn(inProgress, txID, async () => {
            await sleep(8);
            return right.receive(request, answer);
          });
        },
      };
    },
  },
  {
    name: 'one-call-at-a-time',
    description: 'All calls of all players are processed one after the other.',
    change: (right) => {
      const lock = new Mutex();
      return { carryOut: (store, work) => lock.runExclusive(async () => right.carryOut(store, work)) };
    },
  },
  {
    name: 'duplicate-in-flight-409',
    description: 'A txID whose first call is still being processed is answered 409, and later with the stored reply.',
    change: (right) => {
      const inProgress = new Set<unknown>();
      return {
        receive: async (request, answer) => {
          const txID = bodyOf(request)?.txID;
          if (txID === undefined) return right.receive(request, answer);
          if (inProgress.has(txID)) {
            return IN_FLIGHT;
          }
          return whileIn(inProgress, txID, async () => {
            await sleep(8);
            return right.receive(request, answer);
          });
        },
      };
    },
  },
  {
    name: 'balance-read-after-commit',
    description: 'The balance for a reply is read after the call is committed, when other calls may have changed it.',
    change: (right) => {
      const shown = new Map<string, string>();
      return {
        carryOut: async (store, work) => {
          const decision = await right.carryOut(store, work);
          const { wallet } = work.look();
          if (decision.kind !== 'done' || !wallet) return decision;
          await sleep(2);
          const now = store.wallet(wallet.id);
          const balance = shown.get(decision.txID) ?? right.show(now, now.balance);
          shown.set(decision.txID, balance);
          return { ...decision, balance };
        },
      };
    },
  },
];
