import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Behaviour, decisionOf } from '../behaviour.ts';
import type { Claim, Store, Transaction, TransactionEntry } from '../store.ts';
import type { Defect } from '../variation.ts';

/**
 * Stores a transaction, even if its txID is already used. The store holds each txID only once, so a random text is then added
 * to the txID.
 */
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

const isAgain = (earlier: Transaction, again: Claim): boolean =>
  earlier.call === again.call && earlier.amount === again.amount && earlier.outcome === 'done';

/** Reads the whole number at the beginning of a text, as `(int)$text` does in PHP. Returns 0 if the text begins with no digit. */
function leadingInteger(text: string): string {
  return /^\d+/.exec(text)?.[0]?.replace(/^0+(?=\d)/, '') ?? '0';
}

export const IDEMPOTENCY_DEFECTS: readonly Defect[] = [
  {
    name: 'replayed-bet-charged',
    breaks: ['idempotency.bet'],
    mayBreak: ['idempotency.same-reply', 'idempotency.concurrent', 'idempotency.after-refund', 'idempotency.durable'],
    description:
      'The player pays twice when the service sends the same bet twice: the wallet processes the same txID again.',
    change: (right) =>
      processingAgain(
        right,
        (earlier, again) => again.call === 'bet' && isAgain(earlier, again) && again.type !== 'free',
      ),
  },
  {
    name: 'replayed-win-paid',
    breaks: ['idempotency.win', 'win.retried'],
    // A second win in another session breaks idempotency.conflicting-body. idempotency.win explains this breach, except if a second
    // defect also changes the amount of the win.
    mayBreak: [
      'idempotency.same-reply',
      'idempotency.concurrent',
      'idempotency.durable',
      'idempotency.conflicting-body',
    ],
    description:
      'The player is paid twice when the service sends the same win twice, as the service does whenever a reply is lost.',
    change: (right) =>
      processingAgain(
        right,
        (earlier, again) =>
          again.call === 'win' && isAgain(earlier, again) && again.type !== 'free' && again.frID === null,
      ),
  },
  {
    name: 'replayed-withdrawal-paid',
    breaks: ['idempotency.win'],
    description: 'The sum of free rounds is paid twice when the service sends its win twice.',
    change: (right) =>
      processingAgain(
        right,
        (earlier, again) =>
          again.call === 'win' && isAgain(earlier, again) && again.type !== 'free' && again.frID !== null,
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
    description:
      'The player gets a bet back twice if the service sends the same refund twice. The service repeats each refund until the reply is 200.',
    change: (right) => {
      let repeated: string | undefined;
      const again = processingAgain(right, (earlier, claim) => claim.call === 'refund' && isAgain(earlier, claim));
      return {
        ...again,
        recall: (earlier, claim, store) => {
          repeated = claim.txID;
          return again.recall?.(earlier, claim, store);
        },
        // A second refund with another txID must still move nothing, which is the correct behaviour.
        restoredBy: (refund, original) => {
          const isRepeated = refund.txID === repeated && original?.walletID === refund.walletID;
          return right.restoredBy(refund, original && isRepeated ? { ...original, reversedBy: null } : original);
        },
      };
    },
  },
  {
    name: 'replay-other-amount-processed',
    breaks: ['idempotency.conflicting-body'],
    description:
      'A call with a used txID moves money again if its amount differs, because the wallet finds transactions by txID and amount together.',
    change: (right) =>
      processingAgain(right, (earlier, again) => earlier.call === again.call && earlier.amount !== again.amount),
  },
  {
    name: 'replay-known-by-session',
    breaks: ['idempotency.conflicting-body'],
    description:
      'A bet or win moves money again if it comes again in another session of the player, because the wallet finds transactions by session and txID together.',
    change: (right) =>
      processingAgain(right, (earlier, again) => isAgain(earlier, again) && earlier.sessionID !== again.sessionID),
  },
  {
    name: 'replay-other-amount-kept',
    breaks: ['idempotency.conflicting-body'],
    description:
      'A refund gives back the wrong amount. When a bet is repeated with the same txID but another amount, no money moves, but the wallet overwrites the amount of the stored bet.',
    change: (right) => {
      const latest = new Map<string, bigint>();
      return {
        recall: (earlier, again, store) => {
          if (earlier.call === 'bet' && earlier.outcome === 'done' && again.amount !== null)
            latest.set(earlier.txID, again.amount);
          return right.recall(earlier, again, store);
        },
        restoredBy: (refund, original) => {
          const sum = right.restoredBy(refund, original);
          return sum === 0n ? sum : (latest.get(original?.txID ?? '') ?? sum);
        },
      };
    },
  },
  {
    name: 'idempotency-by-round',
    breaks: ['bet.many-in-round', 'win.many-in-round'],
    mayBreak: [
      'bet.insufficient-funds',
      'refund.one-of-many',
      'idempotency.concurrent',
      'idempotency.conflicting-body',
      'session.round-id-reuse',
      'reply.tx-id-distinct',
    ],
    description:
      'The second bet or win of a round moves no money and gets the reply of the first one, because the wallet recognises repeated calls by their round.',
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
    name: 'idempotency-by-round-of-refunds',
    breaks: ['bet.many-in-round', 'win.many-in-round'],
    mayBreak: [
      'bet.insufficient-funds',
      'refund.one-of-many',
      'refund.without-round',
      'idempotency.concurrent',
      'idempotency.conflicting-body',
      'session.round-id-reuse',
      'reply.tx-id-distinct',
    ],
    description:
      'The second bet, win or refund of a round moves no money and gets the reply of the first one, because the wallet recognises repeated calls by their round. All refunds without a round are the same refund.',
    change: (right) => {
      const refunds = new Map<string, string>();
      return {
        find: (store, claim) => {
          const known = right.find(store, claim);
          if (known || claim.walletID === null || claim.gameID === null) return known;
          if (claim.call === 'refund') {
            const key = `${claim.walletID} ${claim.roundID}`;
            const first = refunds.get(key);
            if (first === undefined) refunds.set(key, claim.txID);
            return first === undefined ? undefined : store.transaction(claim.extCID, first);
          }
          if (claim.roundID === null) return undefined;
          return store.round(claim.walletID, claim.gameID, claim.roundID).find(({ call }) => call === claim.call);
        },
        recall: (earlier, again, store) =>
          earlier.txID === again.txID ? right.recall(earlier, again, store) : decisionOf(earlier),
      };
    },
  },
  {
    name: 'tx-id-as-number',
    breaks: ['bet.debit'],
    mayBreak: ['reply.tx-id-distinct', 'win.credit', 'refund.before-bet', 'concurrency.no-lost-update'],
    description:
      'A bet takes nothing and gets the reply of an earlier bet, because the wallet turns txIDs into numbers, so that 7f3c and 7a81 are the same transaction 7.',
    change: (right) => {
      const known = new Map<string, string>();
      return {
        find: (store, claim) => {
          const number = leadingInteger(claim.txID);
          const first = known.get(number);
          if (first !== undefined) return store.transaction(claim.extCID, first);
          return right.find(store, claim);
        },
        recall: (earlier) => decisionOf(earlier),
        record: (store, entry) => {
          const number = leadingInteger(entry.txID);
          if (!known.has(number)) known.set(number, entry.txID);
          return right.record(store, entry);
        },
      };
    },
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
    description:
      'An old bet that is sent again is taken again, because the wallet remembers only the last 60 transactions.',
    change: (right) => ({
      find: (store, claim) => {
        const known = right.find(store, claim);
        return known && (store.transactions(claim.extCID).at(-1)?.id ?? 0) - known.id >= 60 ? undefined : known;
      },
      record: recordAgain,
    }),
  },
  {
    name: 'idempotency-lost-in-restart',
    breaks: ['idempotency.durable'],
    restarted: true,
    description:
      'After a restart, an old bet that is sent again is taken again, because the wallet keeps processed transactions only in memory.',
    change: (right) => {
      const processed = new Set<string>();
      return {
        find: (store, claim) => (processed.has(claim.txID) ? right.find(store, claim) : undefined),
        record: (store, entry) => {
          processed.add(entry.txID);
          return recordAgain(store, entry);
        },
      };
    },
  },
  {
    name: 'refunded-bet-charged-again',
    breaks: ['idempotency.after-refund'],
    mayBreak: ['refund.before-bet'],
    description: 'A refunded bet that is sent again is taken like a new bet.',
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
    mayBreak: ['refund.once', 'reply.tx-id-distinct'],
    description:
      'If two copies of a call arrive at the same moment, both are carried out: the wallet searches for the txID first, and stores it some milliseconds later.',
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
    description:
      'Free bets and free wins create another transaction each time they are sent again: idempotency is missing for them.',
    change: (right) => processingAgain(right, (earlier, again) => again.type === 'free' && isAgain(earlier, again)),
  },
];
