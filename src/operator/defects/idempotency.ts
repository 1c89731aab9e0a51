import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Behaviour, CONFLICT, decisionOf } from '../behaviour.ts';
import type { Decision } from '../decision.ts';
import type { Defect } from '../defect.ts';
import type { Claim, Store, Transaction, TransactionEntry } from '../store.ts';

/** A second transaction under a used txID needs another key in books that hold each only once. */
function recordAgain(store: Store, entry: TransactionEntry): Transaction {
  const taken = store.transaction(entry.extCID, entry.txID) !== undefined;
  return store.record(taken ? { ...entry, txID: `${entry.txID}#${randomUUID()}` } : entry);
}

function processingAgain(right: Behaviour, which: (earlier: Transaction, again: Claim) => boolean): Partial<Behaviour> {
  return {
    recall: (earlier, again, store) => (which(earlier, again) ? undefined : right.recall(earlier, again, store)),
    record: recordAgain,
  };
}

function answeringAgain(
  right: Behaviour,
  answer: (decision: Decision, store: Store, claim: Claim) => Decision,
): Partial<Behaviour> {
  return {
    recall: (earlier, again, store) => {
      const decision = right.recall(earlier, again, store);
      return decision?.kind === 'done' ? answer(decision, store, again) : decision;
    },
  };
}

const isAgain = (earlier: Transaction, again: Claim): boolean =>
  earlier.call === again.call && earlier.amount === again.amount && earlier.outcome === 'done';

export const IDEMPOTENCY_DEFECTS: readonly Defect[] = [
  {
    name: 'replayed-bet-charged',
    breaks: ['idempotency.bet'],
    mayBreak: ['idempotency.same-reply', 'idempotency.concurrent', 'idempotency.after-refund', 'idempotency.durable'],
    description: 'When the same bet arrives twice, the player is charged twice.',
    change: (right) =>
      processingAgain(
        right,
        (earlier, again) => again.call === 'bet' && isAgain(earlier, again) && again.type !== 'free',
      ),
  },
  {
    name: 'replayed-win-paid',
    breaks: ['idempotency.win', 'win.retried'],
    mayBreak: ['idempotency.same-reply', 'idempotency.concurrent', 'idempotency.durable'],
    description: 'When the same win arrives twice, it is paid twice.',
    change: (right) =>
      processingAgain(
        right,
        (earlier, again) =>
          again.call === 'win' && isAgain(earlier, again) && again.type !== 'free' && again.frID === null,
      ),
  },
  {
    name: 'replayed-refund-paid',
    breaks: ['idempotency.refund', 'refund.retried'],
    mayBreak: [
      'refund.once',
      'idempotency.same-reply',
      'idempotency.concurrent',
      'idempotency.durable',
      'free-rounds.refund',
      'refund.broken-connection',
    ],
    description: 'When the same refund arrives twice, the bet is given back twice.',
    change: (right) => {
      let repeated: string | undefined;
      const again = processingAgain(right, (earlier, claim) => claim.call === 'refund' && isAgain(earlier, claim));
      return {
        ...again,
        recall: (earlier, claim, store) => {
          repeated = claim.txID;
          return again.recall?.(earlier, claim, store);
        },
        // A second refund under a txID of its own is still recognised.
        restoredBy: (refund, original) => {
          const isRepeated = refund.txID === repeated && original?.walletID === refund.walletID;
          return right.restoredBy(refund, original && isRepeated ? { ...original, reversedBy: null } : original);
        },
      };
    },
  },
  {
    name: 'replay-409',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    mayBreak: [
      'win.retried',
      'refund.retried',
      'free-rounds.replay',
      'idempotency.concurrent',
      'idempotency.same-reply',
      'refund.broken-connection',
      'idempotency.durable',
      'idempotency.after-refund',
    ],
    description: 'A transaction sent again is answered 409 "duplicate" and not with the first reply.',
    change: () => ({ recall: () => CONFLICT }),
  },
  {
    name: 'replay-400-for-wins',
    breaks: ['idempotency.win', 'win.retried'],
    mayBreak: ['free-rounds.replay', 'idempotency.concurrent', 'idempotency.same-reply', 'idempotency.durable'],
    description: 'A win sent again is refused, so the game keeps sending it for ever.',
    change: (right) => ({
      recall: (earlier, again, store) => (again.call === 'win' ? CONFLICT : right.recall(earlier, again, store)),
    }),
  },
  {
    name: 'replay-other-tx-id',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    mayBreak: [
      'idempotency.same-reply',
      'idempotency.concurrent',
      'free-rounds.replay',
      'refund.retried',
      'win.retried',
      'idempotency.durable',
      'idempotency.after-refund',
    ],
    description: 'The reply to a repeated call carries a new txID of ours and not the first one.',
    change: (right) =>
      answeringAgain(right, (decision) =>
        decision.kind === 'done' ? { ...decision, txID: `op-${randomUUID()}` } : decision,
      ),
  },
  {
    name: 'replay-current-balance',
    breaks: ['idempotency.same-reply'],
    description: 'The reply to a repeated call shows the balance of now, not that of the first reply.',
    change: (right) =>
      answeringAgain(right, (decision, store, { walletID }) => {
        if (decision.kind !== 'done' || walletID === null) return decision;
        const wallet = store.wallet(walletID);
        return { ...decision, balance: right.show(wallet, wallet.balance) };
      }),
  },
  {
    name: 'replay-other-amount-processed',
    breaks: ['idempotency.conflicting-body'],
    description: 'A txID that was used before is processed again when the amount differs.',
    change: (right) =>
      processingAgain(right, (earlier, again) => earlier.call === again.call && earlier.amount !== again.amount),
  },
  {
    name: 'idempotency-by-round',
    breaks: ['bet.many-in-round', 'win.many-in-round'],
    mayBreak: [
      'bet.insufficient-funds',
      'free-rounds.withdrawal',
      'refund.one-of-many',
      'idempotency.concurrent',
      'idempotency.conflicting-body',
      'session.round-id-reuse',
      'reply.tx-id-distinct',
    ],
    description: 'A second bet or win of a round is taken for a replay of the first, and nothing is moved.',
    change: (right) => ({
      find: (store, claim) => {
        const known = right.find(store, claim);
        if (
          known ||
          claim.call === 'refund' ||
          claim.walletID === null ||
          claim.gameID === null ||
          claim.roundID === null
        )
          return known;
        return store.round(claim.walletID, claim.gameID, claim.roundID).find(({ call }) => call === claim.call);
      },
      recall: (earlier, again, store) =>
        earlier.txID === again.txID ? right.recall(earlier, again, store) : decisionOf(earlier),
    }),
  },
  {
    name: 'idempotency-forgets',
    breaks: ['idempotency.durable'],
    mayBreak: [
      'idempotency.bet',
      'idempotency.win',
      'idempotency.refund',
      'idempotency.same-reply',
      'idempotency.conflicting-body',
      'idempotency.after-refund',
    ],
    description: 'Only the last 60 transactions are recognised when they are sent again; an older bet is charged anew.',
    change: (right) => ({
      find: (store, claim) => {
        const known = right.find(store, claim);
        return known && (store.transactions(claim.extCID).at(-1)?.id ?? 0) - known.id >= 60 ? undefined : known;
      },
      record: recordAgain,
    }),
  },
  {
    name: 'refunded-bet-charged-again',
    breaks: ['idempotency.after-refund'],
    mayBreak: ['refund.before-bet'],
    description: 'A bet that was refunded and arrives again is charged as a new one.',
    change: (right) => ({
      recall: (earlier, again, store) =>
        earlier.call === 'bet' && again.call === 'bet' && earlier.reversedBy !== null && earlier.outcome === 'done'
          ? undefined
          : right.recall(earlier, again, store),
      refundsAhead: (store, walletID, txID) =>
        store.transactions(store.wallet(walletID).extCID).some((known) => known.txID === txID)
          ? []
          : right.refundsAhead(store, walletID, txID),
      record: recordAgain,
    }),
  },
  {
    name: 'duplicates-race',
    breaks: ['idempotency.concurrent'],
    mayBreak: ['win.retried', 'refund.retried', 'refund.once', 'reply.tx-id-distinct'],
    description:
      'Two copies of a call that arrive at the same moment are both carried out: we look for the txID, then write a little later.',
    change: (right) => ({
      carryOut: async (store, { look, act }) => {
        const { earlier } = look();
        await sleep(5);
        return right.carryOut(store, { look: () => ({ ...look(), earlier }), act });
      },
      record: recordAgain,
    }),
  },
  {
    name: 'free-replay-paid',
    breaks: ['free-rounds.replay'],
    mayBreak: ['idempotency.concurrent'],
    description: 'Free bets and free wins are answered with another transaction each time that they are sent again.',
    change: (right) => processingAgain(right, (earlier, again) => again.type === 'free' && isAgain(earlier, again)),
  },
];
