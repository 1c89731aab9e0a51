import { bodyOf, callOf, rewriting, withHeader } from '../rewriting.ts';
import type { Transaction } from '../store.ts';
import type { Defect } from '../variation.ts';
import { payingLater, restoring } from './changed-steps.ts';

const isTaken = (original: Transaction | undefined): original is Transaction =>
  original?.call === 'bet' && original.outcome === 'done';

/**
 * Time for which bets are remembered, in milliseconds. Between a bet and its refund, less time passes, except in scenarios that
 * wait.
 */
const MEMORY_MS = 1000;
/** The age of the old copy of the database, as a fraction of the deadline. */
const COPY_IS_OLDER = 0.03;

/** Maximum amount that a refund gives back, in the smallest unit. */
const MAX_RESTORED = 150n;

export const REFUND_DEFECTS: readonly Defect[] = [
  {
    name: 'refund-paid-twice',
    breaks: ['refund.once'],
    mayBreak: ['idempotency.refund', 'free-rounds.refund', 'refund.broken-connection'],
    description: 'The wallet gives back a bet twice when a second refund with another txID names this bet.',
    change: (right) =>
      restoring(right, (refund, original) =>
        isTaken(original) && original.walletID === refund.walletID ? -original.moved : undefined,
      ),
  },
  {
    name: 'refund-repeated-half-paid',
    breaks: ['refund.once'],
    mayBreak: ['idempotency.refund', 'free-rounds.refund', 'refund.broken-connection'],
    description: 'If a bet is refunded again with another txID, the player gets half of the bet once more.',
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
      'If a round has several bets, a refund always gives back the first bet of the round, and not the bet that the refund names.',
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
    description: 'A refund that names one bet of a round gives back all bets of the round.',
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
    description:
      'A refund without roundID is answered 200 but gives nothing back, because the wallet searches for the bet by its round.',
    change: (right) => restoring(right, (refund) => (refund.roundID === null ? 0n : undefined)),
  },
  {
    name: 'refund-without-round-400',
    breaks: ['refund.without-round'],
    description: 'The wallet refuses a refund without roundID with 400, although this field is optional.',
    change: (right) => ({
      objection: (store, claim, session) =>
        claim.call === 'refund' && claim.roundID === null ? 'round-missing' : right.objection(store, claim, session),
    }),
  },
  {
    name: 'refund-redirected',
    breaks: ['reply.success-is-200'],
    mayBreak: ['balance.read', 'signature.accepted', 'refund.unknown', 'idempotency.refund'],
    description: 'Refunds are answered 302, a redirect. So the service repeats them without end.',
    change: (right) =>
      rewriting(right, (reply, request) =>
        callOf(request) === 'refund' && reply.status === 200
          ? { ...withHeader(reply, 'Location', '/moved'), status: 302 }
          : reply,
      ),
  },
  {
    name: 'refund-redirected-before-checks',
    breaks: ['reply.success-is-200'],
    mayBreak: ['balance.read', 'signature.accepted', 'refund.unknown', 'idempotency.refund'],
    description:
      'A framework redirects every refund to the address with a slash at the end, also one with a wrong signature.',
    change: (right) => ({
      receive: async (request, answer) =>
        callOf(request) === 'refund'
          ? { status: 307, headers: [['Location', '/refund/']], body: '' }
          : await right.receive(request, answer),
    }),
  },
  {
    name: 'refund-soon-404',
    breaks: ['refund.restore'],
    mayBreak: [
      'refund.unknown',
      'refund.one-of-many',
      'refund.without-round',
      'refund.broken-connection',
      'refund.after-error',
    ],
    description:
      'A refund that arrives soon after its bet is answered 404, because the wallet looks for the bet in an old copy of the database. When the refund is sent again, it is carried out.',
    change: (right, { deadlineMs }) => {
      const arrived = new Map<unknown, number>();
      return {
        receive: (request, answer) => {
          const txID = bodyOf(request)?.txID;
          if (callOf(request) === 'bet' && !arrived.has(txID)) arrived.set(txID, performance.now());
          return right.receive(request, answer);
        },
        objection: (store, claim, session) => {
          const at = claim.call === 'refund' ? arrived.get(claim.origTxID) : undefined;
          const isMissing = at !== undefined && performance.now() - at < deadlineMs * COPY_IS_OLDER;
          return isMissing ? 'bet-unknown' : right.objection(store, claim, session);
        },
      };
    },
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
    description: 'The player does not get refunded bets back: the wallet answers refunds with 200, but does not pay.',
    change: () => ({ restoredBy: () => 0n }),
  },
  {
    name: 'refund-paid-later',
    breaks: ['refund.restore'],
    mayBreak: ['refund.broken-connection', 'refund.after-error'],
    description:
      'The player waits for a refunded bet: the wallet answers the refund with 200 at once, but a job pays it some time later.',
    change: (right, { deadlineMs }) => payingLater(right, 'refund', { delayMs: deadlineMs / 20, isPromised: true }),
  },
  {
    name: 'refund-foreign-paid',
    breaks: ['refund.foreign-session'],
    mayBreak: ['session.isolated'],
    description: 'A player gets the money of a bet by another player, because a refund may name the bet of any player.',
    change: (right) =>
      restoring(right, (refund, original) =>
        isTaken(original) && original.walletID !== refund.walletID ? (refund.amount ?? 0n) : undefined,
      ),
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
    name: 'refund-capped',
    breaks: ['refund.restore'],
    mayBreak: [
      'refund.one-of-many',
      'refund.without-round',
      'refund.broken-connection',
      'refund.once',
      'idempotency.refund',
    ],
    description: 'A refund gives back only a part of a high bet: at most 1.50, or 150 in currencies without cents.',
    change: (right) => ({
      restoredBy: (refund, original) => {
        const restored = right.restoredBy(refund, original);
        return restored > MAX_RESTORED ? MAX_RESTORED : restored;
      },
    }),
  },
  {
    name: 'free-refund-pays',
    breaks: ['free-rounds.refund'],
    description:
      'The player gains money from the refund of a free bet: the refund pays the amount of the bet, although the free bet took nothing.',
    change: (right) =>
      restoring(right, (_refund, original) =>
        isTaken(original) && original.type === 'free' && original.reversedBy === null
          ? (original.amount ?? 0n)
          : undefined,
      ),
  },
];
