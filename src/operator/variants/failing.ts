import type { TransactionCall } from '../../contract/call-name.ts';
import { failure } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import { bodyOf, callOf } from '../rewriting.ts';
import type { Variant } from '../variation.ts';

const INTERNAL = failure({ status: 500, message: 'Something went wrong. Please try again.' });

/** The time after a bet in which its refund is declined, as a fraction of the deadline. */
const REFUND_WAITS = 0.03;

interface Failing {
  readonly every: number;
  readonly isDone: boolean;
  /** True for a call that may fail. Default: every call. */
  readonly isMeant?: (body: NonNullable<ReturnType<typeof bodyOf>>) => boolean;
}

/** Makes every Nth new call of one kind fail when it is first sent. With `isDone`, the failed call is still carried out. */
function failing(
  right: Behaviour,
  call: TransactionCall,
  { every, isDone, isMeant = () => true }: Failing,
): Partial<Behaviour> {
  const known = new Set<unknown>();
  return {
    receive: async (request, answer) => {
      const body = callOf(request) === call ? bodyOf(request) : undefined;
      const txID = body?.txID;
      if (!body || txID === undefined || known.has(txID) || !isMeant(body)) return right.receive(request, answer);
      known.add(txID);
      if (known.size % every !== 0) return right.receive(request, answer);
      if (!isDone) return INTERNAL;
      const reply = await right.receive(request, answer);
      return reply.status === 200 ? INTERNAL : reply;
    },
  };
}

/** Correct variants that sometimes fail. After a failure, the service refunds a bet, and sends a win or refund again. */
export const FAILING_VARIANTS: readonly Variant[] = [
  {
    name: 'bets-fail-now-and-then',
    description: 'Every 13th bet is answered 500, and takes nothing.',
    change: (right) => failing(right, 'bet', { every: 13, isDone: false }),
  },
  {
    name: 'bets-fail-though-taken',
    description:
      'The wallet takes the money of every 19th bet, but answers 500. The refund of this bet gives the money back.',
    change: (right) => failing(right, 'bet', { every: 19, isDone: true }),
  },
  {
    name: 'wins-fail-now-and-then',
    description: 'Every 11th win is answered 500, and credited only when it is sent again.',
    change: (right) => failing(right, 'win', { every: 11, isDone: false }),
  },
  {
    name: 'wins-fail-though-credited',
    description:
      'Every 11th win is credited and answered 500. When it is sent again, it is answered 200 and not credited again.',
    change: (right) => failing(right, 'win', { every: 11, isDone: true }),
  },
  {
    name: 'withdrawal-on-top-fails-first',
    description:
      'Free wins are credited at once. The win at the end of the campaign is answered 500, and credited as well when it is sent again.',
    change: (right) => ({
      creditOf: (win) => win.amount ?? 0n,
      ...failing(right, 'win', {
        every: 1,
        isDone: false,
        isMeant: ({ type, frID }) => type !== 'free' && frID != null,
      }),
    }),
  },
  {
    name: 'refunds-fail-now-and-then',
    description: 'Every third refund is answered 500, and carried out only when it is sent again.',
    change: (right) => failing(right, 'refund', { every: 3, isDone: false }),
  },
  {
    name: 'refunds-fail-though-paid',
    description:
      'Every third refund is carried out and answered 500. When it is sent again, it is answered 200 and pays nothing more.',
    change: (right) => failing(right, 'refund', { every: 3, isDone: true }),
  },
  {
    name: 'refund-waits',
    description:
      'A refund that arrives soon after its bet is answered 409. When it is sent again later, it is carried out.',
    change: (right, { deadlineMs }) => {
      const since = new Map<unknown, number>();
      return {
        receive: (request, answer) => {
          const txID = bodyOf(request)?.txID;
          if (callOf(request) === 'bet' && !since.has(txID)) since.set(txID, performance.now());
          return right.receive(request, answer);
        },
        // The operator checks the signature before this step. So a call with a wrong signature is still answered 401.
        objection: (store, claim, session) => {
          const bet = claim.call === 'refund' ? since.get(claim.origTxID) : undefined;
          const isTooYoung = bet !== undefined && performance.now() - bet < deadlineMs * REFUND_WAITS;
          return isTooYoung ? 'wallet-busy' : right.objection(store, claim, session);
        },
      };
    },
  },
];
