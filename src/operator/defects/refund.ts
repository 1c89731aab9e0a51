import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import { WORDINGS } from '../decision.ts';
import type { Defect } from '../defect.ts';
import type { Claim, Transaction } from '../store.ts';
import { callOf } from './rewriting.ts';

const isTaken = (original: Transaction | undefined): original is Transaction =>
  original?.call === 'bet' && original.outcome === 'done';

/** A refund of this wallet that would be right but for one thing. */
function restoring(
  right: Behaviour,
  otherwise: (refund: Claim, original: Transaction | undefined) => bigint | undefined,
): Partial<Behaviour> {
  return { restoredBy: (refund, original) => otherwise(refund, original) ?? right.restoredBy(refund, original) };
}

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
    description: 'A refund of a bet that we have never seen is answered 404.',
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
    description: 'A refund of a bet that we have never seen is paid out, as much as the refund says.',
    change: (right) => restoring(right, (refund, original) => (original ? undefined : (refund.amount ?? 0n))),
  },
  {
    name: 'refund-paid-twice',
    breaks: ['refund.once'],
    mayBreak: ['idempotency.refund', 'free-rounds.refund', 'refund.broken-connection'],
    description: 'A bet that was given back is given back again by a second refund with its own txID.',
    change: (right) =>
      restoring(right, (refund, original) =>
        isTaken(original) && original.walletID === refund.walletID ? -original.moved : undefined,
      ),
  },
  {
    name: 'refund-by-round',
    breaks: ['refund.one-of-many'],
    description: 'A refund gives back the first bet of the round, whichever bet it names.',
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
    description: 'A refund gives back all the bets of the round.',
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
    description: 'A refund without roundID is accepted, but gives nothing back: the bet is looked up by its round.',
    change: (right) => restoring(right, (refund) => (refund.roundID === null ? 0n : undefined)),
  },
  {
    name: 'refund-without-round-400',
    breaks: ['refund.without-round'],
    description: 'A refund without roundID is answered with an error.',
    change: (right) => ({
      objection: (store, claim, session) =>
        claim.call === 'refund' && claim.roundID === null
          ? 'transaction-conflict'
          : right.objection(store, claim, session),
    }),
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
    description: 'Refunds are answered with success, but the bet is never given back.',
    change: () => ({ restoredBy: () => 0n }),
  },
  {
    name: 'refund-declined-bet-paid',
    breaks: ['refund.declined-bet'],
    mayBreak: ['bet.declined-takes-nothing', 'refund.before-bet'],
    description: 'A bet that was declined for lack of money is paid out when a refund names it.',
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
    description: "A refund from one player's session that names another player's bet pays the sender.",
    change: (right) =>
      restoring(right, (refund, original) =>
        isTaken(original) && original.walletID !== refund.walletID ? (refund.amount ?? 0n) : undefined,
      ),
  },
  {
    name: 'late-bet-taken',
    breaks: ['refund.before-bet'],
    mayBreak: ['refund.broken-connection'],
    description: 'A bet that arrives after its own refund is taken, and never given back.',
    change: () => ({ refundsAhead: () => [] }),
  },
  {
    name: 'refund-soon-forgotten',
    breaks: ['refund.before-bet'],
    description:
      'A refund of an unknown bet is remembered for a second; when the bet arrives later than that, it is taken.',
    change: (right, { deadlineMs }) => {
      const arrived = new Map<string, number>();
      return {
        record: (store, entry) => {
          arrived.set(entry.txID, performance.now());
          return right.record(store, entry);
        },
        refundsAhead: (store, walletID, betTxID) =>
          right
            .refundsAhead(store, walletID, betTxID)
            .filter(({ txID }) => performance.now() - (arrived.get(txID) ?? 0) < deadlineMs / 5),
      };
    },
  },
  {
    name: 'slow-bet-after-refund-taken',
    breaks: ['refund.broken-connection', 'refund.before-bet'],
    description: 'Bets take a moment; when the refund of one overtakes it, the bet is taken all the same.',
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
      'When the connection breaks, the bet is finished by a job that runs some time later, also after its refund.',
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
    description: 'A refund gives back only half of the bet.',
    change: (right) => ({ restoredBy: (refund, original) => right.restoredBy(refund, original) / 2n }),
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
    description: 'The refund of a free bet pays out its amount, although the free bet took nothing.',
    change: (right) =>
      restoring(right, (_refund, original) =>
        isTaken(original) && original.type === 'free' && original.reversedBy === null
          ? (original.amount ?? 0n)
          : undefined,
      ),
  },
];
