import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../defect.ts';
import type { Claim, Store, Transaction, TransactionCall, TransactionEntry } from '../store.ts';
import { objecting } from './objecting.ts';
import { bodyOf, callOf, rewriting, textOf, withHeader } from './rewriting.ts';

function inRound(store: Store, { walletID, gameID, roundID }: Claim, call: TransactionCall): Transaction[] {
  return walletID === null || gameID === null || roundID === null
    ? []
    : store.round(walletID, gameID, roundID).filter((one) => one.call === call);
}

function hasInRound(store: Store, claim: Claim, call: TransactionCall): boolean {
  return inRound(store, claim, call).length > 0;
}

/** What is carried out moves another sum than it should, in the books and in the reply. */
function booking(right: Behaviour, movedBy: (store: Store, entry: TransactionEntry) => bigint): Partial<Behaviour> {
  return {
    record: (store, entry) => {
      const { walletID, outcome } = entry;
      const moved = outcome === 'done' && walletID !== null ? movedBy(store, entry) : entry.moved;
      if (walletID === null || moved === entry.moved) return right.record(store, entry);
      const wallet = store.wallet(walletID);
      const balance = wallet.balance - entry.moved + moved;
      store.setBalance(walletID, balance);
      return right.record(store, { ...entry, moved, balance: right.show(wallet, balance) });
    },
  };
}

/** Longer than any round of a story that doesn't wait, whatever the scale. */
const ROUND_LIFE_MS = 1000;

/** Every so many bets one is declined. */
const BETS_PER_LIMIT = 20;

export const WALLET_DEFECTS: readonly Defect[] = [
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
    description: 'Players play for nothing: bets are answered 200, but nothing is taken.',
    change: () => ({ debitOf: () => 0n }),
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
    description: 'The reply to a bet shows the balance from before it was taken; the next balance call is right.',
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
      'The player wins on money that was never bet: a bet above the balance is accepted and takes what is there.',
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
      'The game can’t tell the player what is wrong: a bet above the balance is declined with the code INSUFFICIENT_BALANCE instead of insufficient_funds.',
    change: (right) =>
      rewriting(right, (reply) => ({
        ...reply,
        body: textOf(reply).replace('"insufficient_funds"', '"INSUFFICIENT_BALANCE"'),
      })),
  },
  {
    name: 'insufficient-funds-no-code',
    breaks: ['bet.insufficient-funds'],
    description: 'The game can’t tell the player what is wrong: a bet above the balance is declined without a code.',
    change: (right) =>
      rewriting(right, (reply) => ({ ...reply, body: textOf(reply).replace('"code":"insufficient_funds",', '') })),
  },
  {
    name: 'insufficient-funds-bet-limit',
    breaks: ['bet.insufficient-funds'],
    description:
      'The game tells the player to lower the bet below a limit that there isn’t: a bet above the balance is declined with the code bet_limit.',
    change: (right) =>
      rewriting(right, (reply) => ({
        ...reply,
        body: textOf(reply).replace('"insufficient_funds"', '"bet_limit"'),
      })),
  },
  {
    name: 'limited-bet-taken',
    breaks: ['bet.declined-takes-nothing'],
    // A bet that is lost so may be one whose answer nobody heard, or one of several copies.
    mayBreak: ['refund.broken-connection', 'idempotency.concurrent'],
    description:
      'The player loses a bet now and then that is declined for a limit: the limit is looked at when the bet is taken already.',
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
    name: 'insufficient-funds-200',
    breaks: ['reply.error-is-not-200'],
    mayBreak: ['bet.insufficient-funds', 'concurrency.no-overdraft'],
    description: 'The game goes on after a bet above the balance: it is answered 200 with an error in the body.',
    change: (right) =>
      rewriting(right, (reply) => (textOf(reply).includes('insufficient_funds') ? { ...reply, status: 200 } : reply)),
  },
  {
    name: 'insufficient-funds-taken',
    breaks: ['bet.declined-takes-nothing'],
    mayBreak: ['concurrency.no-overdraft', 'refund.declined-bet', 'refund.restore', 'money.decimal-string'],
    description:
      'The player loses half of the balance with a bet above it: the bet is declined, but the deduction is not rolled back.',
    change: (right) => ({
      record: (store, entry) => {
        if (entry.outcome === 'insufficient-funds' && entry.walletID !== null)
          store.setBalance(entry.walletID, store.wallet(entry.walletID).balance / 2n);
        return right.record(store, entry);
      },
    }),
  },
  {
    name: 'whole-balance-refused',
    breaks: ['bet.exact-balance'],
    mayBreak: ['money.exact', 'concurrency.no-overdraft', 'bet.insufficient-funds', 'money.large'],
    description: 'A bet of the whole balance is declined: greater is asked where greater or equal is meant.',
    change: () => ({ covers: (wallet, debit) => wallet.balance > debit || debit === 0n }),
  },
  {
    name: 'second-bet-ignored',
    breaks: ['bet.many-in-round'],
    mayBreak: ['refund.one-of-many'],
    description: 'The second bet of a round is free of charge: it is answered 200, but not taken.',
    change: (right) =>
      booking(right, (store, entry) => (entry.call === 'bet' && hasInRound(store, entry, 'bet') ? 0n : entry.moved)),
  },
  {
    name: 'further-bet-replaces',
    breaks: ['bet.many-in-round'],
    mayBreak: ['refund.one-of-many'],
    description:
      'A further bet of a round takes the place of the last one, which is given back: only the last is paid for.',
    change: (right) =>
      booking(right, (store, entry) =>
        entry.call === 'bet' ? entry.moved + (inRound(store, entry, 'bet').at(-1)?.amount ?? 0n) : entry.moved,
      ),
  },
  {
    name: 'win-zero-400',
    breaks: ['win.zero'],
    mayBreak: ['free-rounds.win', 'idempotency.win', 'reply.tx-id-distinct'],
    description: 'A round that is lost never ends: a win of 0 is refused.',
    change: (right) => objecting(right, 'win', (_store, { amount }) => amount === 0n),
  },
  {
    name: 'win-too-late',
    breaks: ['win.credit'],
    description:
      'The player loses a win that comes more than a second after its bet: the round has timed out, and the win is refused.',
    change: (right) => {
      const begun = new Map<string, number>();
      return {
        record: (store, entry) => {
          if (entry.call === 'bet' && entry.roundID !== null) begun.set(entry.roundID, performance.now());
          return right.record(store, entry);
        },
        ...objecting(right, 'win', (_store, { roundID }) => {
          const at = roundID === null ? undefined : begun.get(roundID);
          return at !== undefined && performance.now() - at > ROUND_LIFE_MS;
        }),
      };
    },
  },
  {
    name: 'win-zero-consoles',
    breaks: ['win.zero'],
    description: 'A win of 0 pays the player 150 of the smallest unit as a consolation.',
    change: (right) => {
      let open = false;
      return {
        objection: (store, claim, session) => {
          open = session !== undefined && right.isOpen(session);
          return right.objection(store, claim, session);
        },
        creditOf: (win) => (open && win.amount === 0n ? 150n : right.creditOf(win)),
      };
    },
  },
  {
    name: 'second-win-ignored',
    breaks: ['win.many-in-round'],
    description: 'The second win of a round is never paid: it is answered 200, but not credited.',
    change: (right) =>
      booking(right, (store, entry) =>
        entry.call === 'win' && entry.frID === null && hasInRound(store, entry, 'win') ? 0n : entry.moved,
      ),
  },
  {
    name: 'further-win-pays-difference',
    breaks: ['win.many-in-round'],
    description:
      'The player gets too little for a further win of a round: its amount is taken for the sum of all wins of the round so far.',
    change: (right) =>
      booking(right, (store, entry) =>
        entry.call === 'win' && entry.frID === null
          ? inRound(store, entry, 'win').reduce((rest, { amount }) => rest - (amount ?? 0n), entry.moved)
          : entry.moved,
      ),
  },
  {
    name: 'failed-win-returns-bet',
    breaks: ['win.failed-keeps-bet'],
    mayBreak: [
      'signature.no-effect',
      'session.unknown',
      'robustness.bad-amount',
      'robustness.malformed-json',
      'robustness.missing-field',
      'money.conservation',
      'idempotency.conflicting-body',
    ],
    description:
      'Players get their bet back and the win as well when a win fails at first: the failure gives the bet back, the repeat pays.',
    change: (right) => {
      const open = new Map<unknown, () => void>();
      return {
        record: (store, entry) => {
          const { walletID, moved, roundID } = entry;
          if (entry.call === 'bet' && walletID !== null && entry.outcome === 'done') {
            open.set(roundID, () => store.setBalance(walletID, store.wallet(walletID).balance - moved));
          } else if (entry.call === 'refund') open.clear();
          return right.record(store, entry);
        },
        receive: async (request, answer) => {
          const reply = await right.receive(request, answer);
          const roundID = bodyOf(request)?.roundID;
          if (callOf(request) !== 'win' || reply.status === 200) return reply;
          open.get(roundID)?.();
          open.delete(roundID);
          return reply;
        },
      };
    },
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
];
