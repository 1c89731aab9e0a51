import { rewriting, textOf, withheld } from '../rewriting.ts';
import type { Defect } from '../variation.ts';
import { booking, hasInRound, inRound } from './changed-steps.ts';

/** Every Nth bet is declined, where N is this number. */
const BETS_PER_LIMIT = 20;

export const BET_DEFECTS: readonly Defect[] = [
  {
    name: 'bet-free-of-charge',
    breaks: ['bet.debit'],
    mayBreak: [
      'bet.exact-balance',
      'bet.decimal-amount',
      'money.conservation',
      'bet.many-in-round',
      'money.exact',
      'money.large',
      'refund.restore',
      'concurrency.no-lost-update',
      'money.main-unit',
    ],
    description: 'Players play for free: the wallet answers bets with 200, but takes nothing.',
    change: () => ({ debitOf: () => 0n }),
  },
  {
    name: 'bet-charged-twice',
    breaks: ['bet.debit'],
    mayBreak: ['bet.exact-balance', 'bet.many-in-round'],
    description: 'Players pay twice the amount of each bet. A refund gives back everything that its bet has taken.',
    change: (right) => ({ debitOf: (bet) => right.debitOf(bet) * 2n }),
  },
  {
    name: 'fee-on-bets',
    breaks: ['bet.debit'],
    mayBreak: ['bet.exact-balance', 'bet.many-in-round'],
    description:
      'Each bet takes one smallest unit of the currency too much, because the wallet adds a fee. A refund gives back the fee too.',
    change: (right) => ({ debitOf: (bet) => (bet.type === 'free' ? right.debitOf(bet) : right.debitOf(bet) + 1n) }),
  },
  {
    name: 'bets-rounded-to-ten-cents',
    breaks: ['bet.decimal-amount'],
    mayBreak: ['bet.debit', 'bet.insufficient-funds', 'money.large'],
    description:
      'If a bet is no multiple of five cents, it takes the nearest multiple of ten cents. Wins are paid exactly.',
    change: (right) => ({
      debitOf: (bet) => {
        const units = right.debitOf(bet);
        return units % 5n === 0n ? units : ((units + 5n) / 10n) * 10n;
      },
    }),
  },
  {
    name: 'bet-reply-before-debit',
    breaks: ['bet.debit'],
    mayBreak: [
      'bet.exact-balance',
      'concurrency.no-lost-update',
      'money.main-unit',
      'bet.decimal-amount',
      'money.exact',
    ],
    description:
      'The reply to a bet shows the balance from before the bet was taken. The next balance call shows the right balance.',
    change: (right) => ({
      book: (store, wallet, moved) => {
        const balance = right.book(store, wallet, moved);
        return moved < 0n ? wallet.balance : balance;
      },
    }),
  },
  {
    name: 'bet-overdrawn',
    breaks: ['bet.insufficient-funds'],
    mayBreak: [
      'reply.error-is-not-200',
      'reply.error-message',
      'concurrency.no-overdraft',
      'bet.declined-takes-nothing',
      'money.decimal-string',
    ],
    description: 'A bet above the balance is accepted, and the balance becomes negative.',
    change: () => ({ covers: () => true }),
  },
  {
    name: 'bet-takes-what-is-there',
    breaks: ['bet.insufficient-funds'],
    mayBreak: ['concurrency.no-overdraft'],
    description:
      'The player can win with money that was never staked: the wallet accepts a bet above the balance, but takes only the balance.',
    change: (right) => ({
      covers: () => true,
      ...booking(right, (store, { walletID, moved }) => {
        const balance = walletID === null ? 0n : store.wallet(walletID).balance;
        return moved < 0n && balance < 0n ? moved - balance : moved;
      }),
    }),
  },
  {
    name: 'insufficient-funds-other-code',
    breaks: ['bet.insufficient-funds'],
    description:
      'The game cannot show the player the reason: a bet above the balance is declined with the code INSUFFICIENT_BALANCE instead of insufficient_funds.',
    change: (right) =>
      rewriting(right, (reply) => ({
        ...reply,
        body: textOf(reply).replace('"insufficient_funds"', '"INSUFFICIENT_BALANCE"'),
      })),
  },
  {
    name: 'insufficient-funds-no-code',
    breaks: ['bet.insufficient-funds'],
    description: 'The game cannot show the player the reason: a bet above the balance is declined without a code.',
    change: (right) =>
      rewriting(right, (reply) => ({ ...reply, body: textOf(reply).replace('"code":"insufficient_funds",', '') })),
  },
  {
    name: 'insufficient-funds-bet-limit',
    breaks: ['bet.insufficient-funds'],
    description:
      'The game asks the player to respect a limit that does not exist: a bet above the balance is declined with the code bet_limit.',
    change: (right) =>
      rewriting(right, (reply) => ({
        ...reply,
        body: textOf(reply).replace('"insufficient_funds"', '"bet_limit"'),
      })),
  },
  {
    name: 'limited-bet-taken',
    breaks: ['bet.declined-takes-nothing'],
    // The rule that is broken depends on the bet that was lost:
    // - `refund.broken-connection`: a bet whose reply was not received
    // - `idempotency.concurrent`: one of several bets at once
    // - `win.zero`: a bet with an unknown field. The service never sends such a field, so the judge has no rule for this bet, and
    //   blames the accepted bet before it or the win that completed the round
    mayBreak: ['refund.broken-connection', 'idempotency.concurrent', 'win.zero'],
    description:
      'The player sometimes loses the money of a bet that is declined because of a limit: the wallet takes the bet first, and checks the limit after that.',
    change: (right) => {
      let bets = 0;
      return {
        objection: (store, claim, session) => {
          const objection = right.objection(store, claim, session);
          if (objection || claim.call !== 'bet' || claim.walletID === null || claim.type === 'free') return objection;
          const { id, balance } = store.wallet(claim.walletID);
          bets += 1;
          if (bets % BETS_PER_LIMIT !== 0 || balance < (claim.amount ?? 0n)) return undefined;
          store.setBalance(id, balance - (claim.amount ?? 0n));
          return 'bet-limit';
        },
      };
    },
  },
  {
    name: 'insufficient-funds-crashes',
    breaks: ['bet.insufficient-funds'],
    description: 'A bet above the balance gets no reply: the handler crashes, and the connection is closed.',
    change: (right) => ({
      deliver: (reply, request) => {
        const delivered = right.deliver(reply, request);
        return textOf(reply).includes('insufficient_funds') ? withheld(delivered) : delivered;
      },
    }),
  },
  {
    name: 'insufficient-funds-200',
    breaks: ['reply.error-is-not-200'],
    mayBreak: ['bet.insufficient-funds', 'concurrency.no-overdraft'],
    description: 'The game continues after a bet above the balance: the wallet answers 200 with an error in the body.',
    change: (right) =>
      rewriting(right, (reply) => (textOf(reply).includes('insufficient_funds') ? { ...reply, status: 200 } : reply)),
  },
  {
    name: 'insufficient-funds-taken',
    breaks: ['bet.declined-takes-nothing'],
    mayBreak: ['concurrency.no-overdraft', 'refund.declined-bet', 'refund.restore', 'money.decimal-string'],
    description:
      'With a bet above the balance, the player loses half of the balance: the wallet declines the bet, but does not undo the deduction.',
    change: (right) => ({
      record: (store, entry) => {
        if (entry.outcome === 'insufficient-funds' && entry.walletID !== null)
          store.setBalance(entry.walletID, store.wallet(entry.walletID).balance / 2n);
        return right.record(store, entry);
      },
    }),
  },
  {
    name: 'insufficient-funds-takes-all',
    breaks: ['bet.declined-takes-nothing'],
    mayBreak: ['concurrency.no-overdraft', 'refund.declined-bet', 'refund.restore', 'money.decimal-string'],
    description:
      'With a bet above the balance, the player loses the whole balance: the wallet takes what is left, and then declines the bet.',
    change: (right) => ({
      record: (store, entry) => {
        if (entry.outcome === 'insufficient-funds' && entry.walletID !== null) store.setBalance(entry.walletID, 0n);
        return right.record(store, entry);
      },
    }),
  },
  {
    name: 'whole-balance-refused',
    breaks: ['bet.exact-balance'],
    mayBreak: ['money.exact', 'concurrency.no-overdraft', 'bet.insufficient-funds', 'money.large'],
    description: 'A bet of the whole balance is declined: the check uses "greater" instead of "greater or equal".',
    change: () => ({ covers: (wallet, debit) => wallet.balance > debit || debit === 0n }),
  },
  {
    name: 'second-bet-ignored',
    breaks: ['bet.many-in-round'],
    mayBreak: ['refund.one-of-many'],
    description: 'The second bet of a round costs nothing: the wallet answers 200, but does not take the bet.',
    change: (right) =>
      booking(right, (store, entry) => (entry.call === 'bet' && hasInRound(store, entry, 'bet') ? 0n : entry.moved)),
  },
  {
    name: 'further-bet-replaces',
    breaks: ['bet.many-in-round'],
    mayBreak: ['refund.one-of-many'],
    description:
      'A further bet of a round replaces the previous bet, which the wallet gives back: the player pays only for the last bet.',
    change: (right) =>
      booking(right, (store, entry) =>
        entry.call === 'bet' ? entry.moved + (inRound(store, entry, 'bet').at(-1)?.amount ?? 0n) : entry.moved,
      ),
  },
];
