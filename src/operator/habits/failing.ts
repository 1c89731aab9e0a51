import { failure } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import { bodyOf, callOf } from '../defects/rewriting.ts';
import type { Habit } from '../habit.ts';
import type { TransactionCall } from '../store.ts';

const INTERNAL = failure({ status: 500, message: 'Something went wrong. Please try again.' });

/** A refund of a bet is turned down until this part of the deadline has passed. */
const REFUND_WAITS = 0.03;

/** Every so many new calls of one kind fail the first time that they are sent. */
function failing(
  right: Behaviour,
  call: TransactionCall,
  { every, isDone }: { readonly every: number; readonly isDone: boolean },
): Partial<Behaviour> {
  const known = new Set<unknown>();
  return {
    receive: async (request, answer) => {
      const txID = callOf(request) === call ? bodyOf(request)?.txID : undefined;
      if (txID === undefined || known.has(txID)) return right.receive(request, answer);
      known.add(txID);
      if (known.size % every !== 0) return right.receive(request, answer);
      if (!isDone) return INTERNAL;
      const reply = await right.receive(request, answer);
      return reply.status === 200 ? INTERNAL : reply;
    },
  };
}

/** What goes wrong now and then, as the contract foresees it: bets are refunded, wins and refunds sent again. */
export const FAILING_HABITS: readonly Habit[] = [
  {
    name: 'bets-fail-now-and-then',
    description: 'One bet in thirteen is answered 500, and takes nothing.',
    change: (right) => failing(right, 'bet', { every: 13, isDone: false }),
  },
  {
    name: 'bets-fail-though-taken',
    description: 'One bet in nineteen is taken and answered 500; its refund gives it back.',
    change: (right) => failing(right, 'bet', { every: 19, isDone: true }),
  },
  {
    name: 'wins-fail-now-and-then',
    description: 'One win in eleven is answered 500 and credited only when it is sent again.',
    change: (right) => failing(right, 'win', { every: 11, isDone: false }),
  },
  {
    name: 'wins-fail-though-credited',
    description:
      'One win in eleven is credited and answered 500; sent again, it is answered 200 and not credited anew.',
    change: (right) => failing(right, 'win', { every: 11, isDone: true }),
  },
  {
    name: 'refund-waits',
    description: 'A refund that comes soon after its bet is answered 409; sent again later, it is carried out.',
    change: (right, { deadlineMs }) => {
      const since = new Map<unknown, number>();
      return {
        receive: (request, answer) => {
          const txID = bodyOf(request)?.txID;
          if (callOf(request) === 'bet' && !since.has(txID)) since.set(txID, performance.now());
          return right.receive(request, answer);
        },
        // Whose signature is wrong is told that first.
        objection: (store, claim, session) => {
          const bet = claim.call === 'refund' ? since.get(claim.origTxID) : undefined;
          const isTooYoung = bet !== undefined && performance.now() - bet < deadlineMs * REFUND_WAITS;
          return isTooYoung ? 'wallet-busy' : right.objection(store, claim, session);
        },
      };
    },
  },
];
