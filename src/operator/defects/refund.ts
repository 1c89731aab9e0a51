import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import { WORDINGS } from '../decision.ts';
import type { Defect } from '../defect.ts';
import type { Claim, Transaction } from '../store.ts';
import { callOf, rewriting, withHeader } from './rewriting.ts';

const isTaken = (original: Transaction | undefined): original is Transaction =>
  original?.call === 'bet' && original.outcome === 'done';

/** A refund of this wallet that would be right but for one thing. */
function restoring(
  right: Behaviour,
  otherwise: (refund: Claim, original: Transaction | undefined) => bigint | undefined,
): Partial<Behaviour> {
  return { restoredBy: (refund, original) => otherwise(refund, original) ?? right.restoredBy(refund, original) };
}

/** Longer than between a bet and its refund in any story that doesn't wait, whatever the scale. */
const MEMORY_MS = 1000;

/** In the smallest unit. */
const MOST_RESTORED = 150n;

export const REFUND_DEFECTS: readonly Defect[] = [
  {
    name: 'refund-unknown-404',
    breaks: ['refund.unknown'],
    mayBreak: [
      'refund.before-bet',
      'refund.declined-bet',
      'refund.broken-connection',
      'idempotency.refund',
      'session.isolated',
    ],
    description: 'The refund of a bet that never reached us is answered 404, so the service repeats it for ever.',
    change: (right) => ({
      objection: (store, claim, session) =>
        claim.call === 'refund' && claim.origTxID !== null && !store.transaction(claim.extCID, claim.origTxID)
          ? 'transaction-conflict'
          : right.objection(store, claim, session),
    }),
  },
  {
    name: 'refund-unknown-credited',
    breaks: ['refund.unknown-pays-nothing'],
    mayBreak: ['refund.before-bet', 'refund.declined-bet', 'refund.broken-connection', 'idempotency.refund'],
    description:
      'The player gains money from the refund of a bet that never reached us: it is paid out as the request says.',
    change: (right) => restoring(right, (refund, original) => (original ? undefined : (refund.amount ?? 0n))),
  },
  {
    name: 'refund-paid-twice',
    breaks: ['refund.once'],
    mayBreak: ['idempotency.refund', 'free-rounds.refund', 'refund.broken-connection'],
    description: 'A bet is given back twice when a second refund with another txID names it.',
    change: (right) =>
      restoring(right, (refund, original) =>
        isTaken(original) && original.walletID === refund.walletID ? -original.moved : undefined,
      ),
  },
  {
    name: 'refund-repeated-half-paid',
    breaks: ['refund.once'],
    mayBreak: ['idempotency.refund', 'free-rounds.refund', 'refund.broken-connection'],
    description: 'Half of a bet is given back once more by each further refund with another txID that names it.',
    change: (right) =>
      restoring(right, (refund, original) =>
        isTaken(original) && original.reversedBy !== null && original.walletID === refund.walletID
          ? -original.moved / 2n
          : undefined,
      ),
  },
  {
    name: 'refund-by-round',
    breaks: ['refund.one-of-many'],
    description:
      'The wrong bet is given back when a round has several: the first of the round, whichever bet the refund names.',
    change: (right) => ({
      originalOf: (store, refund) => {
        const named = right.originalOf(store, refund);
        if (!named || refund.walletID === null || named.gameID === null || named.roundID === null) return named;
        return store.round(refund.walletID, named.gameID, named.roundID).find(isTaken) ?? named;
      },
    }),
  },
  {
    name: 'refund-whole-round',
    breaks: ['refund.one-of-many'],
    mayBreak: ['refund.declined-bet'],
    description: 'All bets of a round are given back when the refund names one of them.',
    change: (right) => ({
      originalOf: (store, refund) => {
        const named = right.originalOf(store, refund);
        if (!isTaken(named) || named.walletID === null || named.gameID === null || named.roundID === null) return named;
        const all = store.round(named.walletID, named.gameID, named.roundID).filter(isTaken);
        return { ...named, moved: all.reduce((sum, { moved }) => sum + moved, 0n) };
      },
    }),
  },
  {
    name: 'refund-needs-round',
    breaks: ['refund.without-round'],
    description: 'A refund without roundID is answered 200 and gives nothing back: the bet is looked up by its round.',
    change: (right) => restoring(right, (refund) => (refund.roundID === null ? 0n : undefined)),
  },
  {
    name: 'refund-without-round-400',
    breaks: ['refund.without-round'],
    description: 'A refund without roundID is refused: we demand an optional field.',
    change: (right) => ({
      objection: (store, claim, session) =>
        claim.call === 'refund' && claim.roundID === null
          ? 'transaction-conflict'
          : right.objection(store, claim, session),
    }),
  },
  {
    name: 'refund-redirected',
    breaks: ['reply.success-is-200'],
    mayBreak: ['balance.read', 'signature.accepted', 'refund.unknown', 'idempotency.refund'],
    description: 'Refunds are answered 302 to another server, so the service repeats them for ever.',
    change: (right) =>
      rewriting(right, (reply, request) =>
        callOf(request) === 'refund' && reply.status === 200
          ? { ...withHeader(reply, 'Location', '/moved'), status: 302 }
          : reply,
      ),
  },
  {
    name: 'refund-moves-nothing',
    breaks: ['refund.restore'],
    mayBreak: [
      'refund.one-of-many',
      'refund.without-round',
      'refund.broken-connection',
      'refund.once',
      'refund.retried',
      'money.exact',
      'idempotency.refund',
      'idempotency.after-refund',
      'refund.before-bet',
      'refund.after-error',
    ],
    description: 'Refunded bets stay taken: refunds are answered 200, but nobody credits the player.',
    change: () => ({ restoredBy: () => 0n }),
  },
  {
    name: 'refund-paid-later',
    breaks: ['refund.restore'],
    mayBreak: ['refund.broken-connection', 'refund.after-error'],
    description:
      'The player waits for a refunded bet: the refund is answered 200 at once and paid by a job some time later.',
    change: (right, { deadlineMs }) => {
      const delayMs = deadlineMs / 20;
      let unpaid: { readonly walletID: number; readonly moved: bigint; readonly at: number }[] = [];
      return {
        // What is due by now is paid before anybody looks.
        carryOut: (store, work) => {
          const isDue = ({ at }: { readonly at: number }): boolean => performance.now() - at >= delayMs;
          for (const { walletID, moved } of unpaid.filter(isDue))
            store.setBalance(walletID, store.wallet(walletID).balance + moved);
          unpaid = unpaid.filter((one) => !isDue(one));
          return right.carryOut(store, work);
        },
        record: (store, entry) => {
          const { call, walletID, moved } = entry;
          if (call === 'refund' && walletID !== null && moved !== 0n) {
            store.setBalance(walletID, store.wallet(walletID).balance - moved);
            unpaid.push({ walletID, moved, at: performance.now() });
          }
          return right.record(store, entry);
        },
      };
    },
  },
  {
    name: 'refund-declined-bet-paid',
    breaks: ['refund.declined-bet'],
    mayBreak: ['bet.declined-takes-nothing', 'refund.before-bet'],
    description:
      'The player gains money from the refund of a bet that was declined for lack of money: it was never taken, and is paid out.',
    change: (right) =>
      restoring(right, (refund, original) =>
        original?.call === 'bet' && original.outcome === 'insufficient-funds' && original.walletID === refund.walletID
          ? (original.amount ?? 0n)
          : undefined,
      ),
  },
  {
    name: 'refund-foreign-paid',
    breaks: ['refund.foreign-session'],
    mayBreak: ['session.isolated'],
    description: 'A player is paid another player’s bet: a refund may name any bet, whoever placed it.',
    change: (right) =>
      restoring(right, (refund, original) =>
        isTaken(original) && original.walletID !== refund.walletID ? (refund.amount ?? 0n) : undefined,
      ),
  },
  {
    name: 'late-bet-taken',
    breaks: ['refund.before-bet'],
    mayBreak: ['refund.broken-connection'],
    description:
      'The player loses a bet that arrives after its own refund: it is taken, and no second refund will come.',
    change: () => ({ refundsAhead: () => [] }),
  },
  {
    name: 'refund-soon-forgotten',
    breaks: ['refund.before-bet'],
    description:
      'The player loses a bet that arrives more than a second after its own refund: such refunds are remembered for a second only.',
    change: (right) => {
      const arrived = new Map<string, number>();
      return {
        record: (store, entry) => {
          arrived.set(entry.txID, performance.now());
          return right.record(store, entry);
        },
        refundsAhead: (store, walletID, betTxID) =>
          right
            .refundsAhead(store, walletID, betTxID)
            .filter(({ txID }) => performance.now() - (arrived.get(txID) ?? 0) < MEMORY_MS),
      };
    },
  },
  {
    name: 'refund-too-late',
    breaks: ['refund.restore'],
    mayBreak: ['refund.broken-connection'],
    description: 'The refund of a bet that is older than a second is answered 200 and pays nothing.',
    change: (right) => {
      const arrived = new Map<string, number>();
      return {
        record: (store, entry) => {
          if (entry.call === 'bet') arrived.set(entry.txID, performance.now());
          return right.record(store, entry);
        },
        restoredBy: (refund, original) => {
          const at = original && arrived.get(original.txID);
          return at !== undefined && performance.now() - at > MEMORY_MS ? 0n : right.restoredBy(refund, original);
        },
      };
    },
  },
  {
    name: 'slow-bet-after-refund-taken',
    breaks: ['refund.broken-connection', 'refund.before-bet'],
    description:
      'The player loses a bet that is overtaken by its refund while it is being processed: it is taken all the same.',
    change: (right, { deadlineMs }) => ({
      refundsAhead: () => [],
      receive: async (request, answer) => {
        if (callOf(request) === 'bet') await sleep(deadlineMs / 10);
        return right.receive(request, answer);
      },
    }),
  },
  {
    name: 'abandoned-bet-lands-late',
    breaks: ['refund.broken-connection'],
    mayBreak: ['refund.before-bet'],
    description:
      'The player loses a bet whose connection broke: a background job finishes it some time later, also when its refund was answered by then.',
    change: (right, { deadlineMs }) => ({
      refundsAhead: () => [],
      receive: async (request, answer) => {
        if (callOf(request) !== 'bet') return right.receive(request, answer);
        await sleep(2);
        if (request.isGone?.()) await sleep(deadlineMs / 4);
        return right.receive(request, answer);
      },
    }),
  },
  {
    name: 'refund-half',
    breaks: ['refund.restore'],
    mayBreak: [
      'refund.one-of-many',
      'refund.without-round',
      'refund.broken-connection',
      'refund.retried',
      'refund.once',
      'money.exact',
      'idempotency.refund',
      'refund.before-bet',
    ],
    description: 'Only half of a refunded bet comes back.',
    change: (right) => ({ restoredBy: (refund, original) => right.restoredBy(refund, original) / 2n }),
  },
  {
    name: 'refund-unknown-taken',
    breaks: ['refund.unknown-pays-nothing'],
    mayBreak: ['refund.declined-bet', 'refund.before-bet', 'refund.broken-connection', 'idempotency.refund'],
    description:
      'The player loses money by the refund of a bet that never reached us: it is booked with the wrong sign.',
    change: (right) => restoring(right, (refund, original) => (original ? undefined : -(refund.amount ?? 0n))),
  },
  {
    name: 'refund-capped',
    breaks: ['refund.restore'],
    mayBreak: [
      'refund.one-of-many',
      'refund.without-round',
      'refund.broken-connection',
      'refund.once',
      'idempotency.refund',
    ],
    description:
      'A high bet comes back in part only: no refund pays more than 1.50, or than 150 where there are no cents.',
    change: (right) => ({
      restoredBy: (refund, original) => {
        const restored = right.restoredBy(refund, original);
        return restored > MOST_RESTORED ? MOST_RESTORED : restored;
      },
    }),
  },
  {
    name: 'failed-bet-paid-back',
    breaks: ['refund.after-error', 'bet.insufficient-funds'],
    description:
      'A bet above the balance fails in the database and is answered 500. Nothing was taken, but its refund pays it out.',
    change: (right) => ({
      reply: (decision) =>
        decision.kind === 'declined' && decision.reason === 'insufficient-funds'
          ? failure({ ...WORDINGS['insufficient-funds'], status: 500 })
          : right.reply(decision),
      ...restoring(right, (refund, original) =>
        original?.call === 'bet' &&
        original.outcome === 'insufficient-funds' &&
        original.reversedBy === null &&
        original.walletID === refund.walletID
          ? (original.amount ?? 0n)
          : undefined,
      ),
    }),
  },
  {
    name: 'free-refund-pays',
    breaks: ['free-rounds.refund'],
    description:
      'The player gains money from the refund of a free bet: it pays the bet’s amount, although the free bet took nothing.',
    change: (right) =>
      restoring(right, (_refund, original) =>
        isTaken(original) && original.type === 'free' && original.reversedBy === null
          ? (original.amount ?? 0n)
          : undefined,
      ),
  },
];
