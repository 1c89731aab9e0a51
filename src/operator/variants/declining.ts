import type { TransactionCall } from '../../contract/call-name.ts';
import { failure, type Reply } from '../../sdk/reply.ts';
import { readAmount, scaleOf } from '../amount.ts';
import type { Behaviour } from '../behaviour.ts';
import { type DeclineReason, WORDINGS } from '../decision.ts';
import type { Claim, Store, Transaction } from '../store.ts';
import type { Variant } from '../variation.ts';

/** Replaces the status of calls that were declined for certain reasons, and their code if `words` has one. */
function declining(
  right: Behaviour,
  reasons: readonly DeclineReason[],
  words: { readonly status: number; readonly code?: string },
): Partial<Behaviour> {
  return {
    reply: (decision) =>
      decision.kind === 'declined' && reasons.includes(decision.reason)
        ? failure({ ...WORDINGS[decision.reason], ...words })
        : right.reply(decision),
  };
}

/** Declines new calls of one kind for a reason if `when` returns true. */
function limiting(
  right: Behaviour,
  call: TransactionCall,
  reason: DeclineReason,
  when: (store: Store, claim: Claim) => boolean,
): Partial<Behaviour> {
  return {
    objection: (store, claim, session) =>
      claim.call === call && session && when(store, claim) ? reason : right.objection(store, claim, session),
  };
}

/**
 * True if an amount is above a limit. The limit is in the main unit of the currency. Currencies without decimals have a separate
 * limit.
 */
function isAbove(store: Store, { walletID, amount }: Claim, fiat: string, withoutDecimals: string): boolean {
  if (walletID === null || amount === null) return false;
  const scale = scaleOf(store.wallet(walletID).currency);
  const limit = readAmount(scale.decimals === 0 ? withoutDecimals : fiat, scale);
  return limit !== undefined && amount > limit;
}

/**
 * True if a bet is below 20 smallest units of its currency. The stakes of most scenarios are 100 smallest units, so only the
 * small bets of a few scenarios are declined.
 */
function isBelowLeast({ amount }: Claim): boolean {
  return amount !== null && amount < 20n;
}

function isInRound(store: Store, { walletID, gameID, roundID }: Claim, calls: readonly TransactionCall[]): boolean {
  if (walletID === null || gameID === null || roundID === null) return false;
  return store.round(walletID, gameID, roundID).some(({ call, outcome }) => calls.includes(call) && outcome === 'done');
}

/** Returns the bet that a refund names; undefined if the wallet knows no such bet. */
function betOf(store: Store, { extCID, origTxID }: Claim): Transaction | undefined {
  const named = origTxID === null ? undefined : store.transaction(extCID, origTxID);
  return named?.call === 'bet' ? named : undefined;
}

/**
 * Every Nth call is rejected, where N is this number. It is a prime number, so that different steps of a scenario are affected.
 */
const EVERY = 23;

const BUSY = failure({ status: 429, message: 'Too many requests. Please try again in a moment.' });

const UNAVAILABLE: Reply = {
  status: 503,
  headers: [
    ['Content-Type', 'text/html'],
    ['Retry-After', '1'],
  ],
  body: '<html><head><title>503</title></head><body><center><h1>503 Service Unavailable</h1></center></body></html>',
};

/** Correct variants that decline calls in different ways. The contract leaves this choice to the operator. */
export const DECLINING_VARIANTS: readonly Variant[] = [
  ...[400, 401, 403, 409, 422].map(
    (status): Variant => ({
      name: `insufficient-funds-${status}`,
      description: `A bet above the balance is declined with ${status} and the code insufficient_funds.`,
      change: (right) => declining(right, ['insufficient-funds'], { status }),
    }),
  ),
  {
    name: 'insufficient-funds-500',
    mayWarn: ['bet.insufficient-funds'],
    description:
      'A bet above the balance is declined with 500 and the code insufficient_funds. The wallet takes nothing.',
    change: (right) => declining(right, ['insufficient-funds'], { status: 500 }),
  },
  {
    name: 'session-unknown-400',
    description:
      'A call in an unknown session is answered 400, and in an expired session 409, both with session_expired.',
    change: (right) => {
      const unknown = declining(right, ['session-unknown'], { status: 400, code: 'session_expired' });
      return declining({ ...right, ...unknown }, ['session-expired'], { status: 409, code: 'session_expired' });
    },
  },
  {
    name: 'session-unknown-401',
    description: 'An unknown or expired session is answered 401 with a message.',
    change: (right) => declining(right, ['session-unknown', 'session-expired'], { status: 401 }),
  },
  {
    name: 'session-unknown-refund-404',
    description: 'A refund in an unknown session is answered 404, like a bet or a win.',
    change: (right) => ({
      objection: (store, claim, session) =>
        claim.call === 'refund' && !session ? 'session-unknown' : right.objection(store, claim, session),
    }),
  },
  {
    name: 'sessions-never-expire',
    description: 'Bets are accepted in sessions of any age.',
    change: () => ({ isOpen: () => true }),
  },
  {
    name: 'expired-balance-refused',
    description:
      'The wallet does not return the balance of an expired session, but still accepts its wins and refunds.',
    change: (right) => ({
      carryOut: async (store, { look, act }) => {
        const decision = await right.carryOut(store, { look, act });
        const { session } = look();
        return decision.kind === 'balance' && session && !right.isOpen(session)
          ? { kind: 'declined', reason: 'session-expired' }
          : decision;
      },
    }),
  },
  {
    name: 'schema-errors-401',
    description: 'A call with a right signature that cannot be read is answered 401, as some SDKs do.',
    change: (right) => ({
      refuse: (refused, anyway) => right.refuse({ ...refused, reason: 'bad-signature' }, anyway),
    }),
  },
  {
    name: 'schema-errors-422',
    description: 'A call with a right signature that cannot be read is answered 422.',
    change: (right) => ({
      refuse: (refused, anyway) =>
        refused.reason === 'bad-signature'
          ? right.refuse(refused, anyway)
          : failure({ status: 422, message: 'This request could not be understood.' }),
    }),
  },
  {
    name: 'bet-limit',
    declines: true,
    description: 'Bets above 250.00 (25000 where there are no decimals) are declined with the code bet_limit.',
    change: (right) => limiting(right, 'bet', 'bet-limit', (store, claim) => isAbove(store, claim, '250.00', '25000')),
  },
  {
    name: 'least-bet',
    description:
      'Bets below 20 of the smallest unit of the currency (0.20 in USD) are declined with the code bet_limit.',
    change: (right) => limiting(right, 'bet', 'bet-limit', (_store, claim) => isBelowLeast(claim)),
  },
  {
    name: 'win-limit',
    description: 'Wins above 100000.00 are declined with 422, because staff must approve them.',
    change: (right) =>
      limiting(right, 'win', 'win-held', (store, claim) => isAbove(store, claim, '100000.00', '10000000')),
  },
  {
    name: 'zero-bet-refused',
    description: 'A bet of 0 is declined with 400.',
    change: (right) => limiting(right, 'bet', 'stake-missing', (_store, { amount }) => amount === 0n),
  },
  {
    name: 'second-bet-refused',
    mayWarn: ['bet.many-in-round'],
    description: 'A second bet of a round is declined with 409.',
    change: (right) => limiting(right, 'bet', 'round-ended', (store, claim) => isInRound(store, claim, ['bet'])),
  },
  {
    name: 'second-win-refused',
    mayWarn: ['win.many-in-round'],
    description: 'A second win of a round is declined with 409. The payout of a campaign does not count as a win.',
    change: (right) =>
      limiting(right, 'win', 'round-ended', (store, claim) => claim.frID === null && isInRound(store, claim, ['win'])),
  },
  {
    name: 'bet-after-win-refused',
    description: 'After a win has ended a round, further bets in this round are declined with 409.',
    change: (right) => limiting(right, 'bet', 'round-ended', (store, claim) => isInRound(store, claim, ['win'])),
  },
  {
    name: 'bet-after-refund-refused',
    description: 'A bet in a round with a refunded bet is declined with 409.',
    change: (right) =>
      limiting(
        right,
        'bet',
        'round-ended',
        (store, claim) => isInRound(store, claim, ['refund']) && !isInRound(store, claim, ['win']),
      ),
  },
  {
    name: 'win-needs-bet',
    description:
      'A win in a round without an accepted bet is declined with 404. The payout of a campaign is accepted without a bet.',
    change: (right) =>
      limiting(
        right,
        'win',
        'round-unknown',
        (store, claim) => claim.frID === null && !isInRound(store, claim, ['bet']),
      ),
  },
  {
    name: 'refund-after-win-refused',
    description: 'After a win has ended the round, a refund of a bet of this round is declined with 409.',
    change: (right) =>
      limiting(right, 'refund', 'round-ended', (store, claim) => {
        const bet = betOf(store, claim);
        return bet?.reversedBy === null && isInRound(store, bet, ['win']);
      }),
  },
  {
    name: 'refund-of-win-refused',
    description: 'A refund that names a win is declined with 409.',
    change: (right) =>
      limiting(right, 'refund', 'refund-mistaken', (store, { extCID, origTxID }) =>
        origTxID === null ? false : store.transaction(extCID, origTxID)?.call === 'win',
      ),
  },
  {
    name: 'refund-amount-checked',
    description: 'A refund whose amount differs from the amount of its bet is declined with 409.',
    change: (right) =>
      limiting(right, 'refund', 'refund-mistaken', (store, claim) => {
        const bet = betOf(store, claim);
        return bet !== undefined && bet.amount !== claim.amount;
      }),
  },
  {
    name: 'foreign-refund-refused',
    description: "A refund that names another player's bet is declined with 403.",
    change: (right) =>
      limiting(right, 'refund', 'bet-of-another', (store, claim) => {
        const bet = betOf(store, claim);
        return bet !== undefined && bet.walletID !== claim.walletID;
      }),
  },
  {
    name: 'busy-now-and-then',
    description: 'Every 23rd call is answered 429 without being processed.',
    change: (right) => nowAndThen(right, BUSY),
  },
  {
    name: 'gateway-503-now-and-then',
    mayWarn: ['reply.error-message'],
    description: "Every 23rd call is answered 503 with a gateway's HTML page, and does not reach the wallet.",
    change: (right) => nowAndThen(right, UNAVAILABLE),
  },
];

function nowAndThen(right: Behaviour, reply: Reply): Partial<Behaviour> {
  let calls = 0;
  return {
    receive: (request, answer) => {
      calls += 1;
      return calls % EVERY === 0 ? Promise.resolve(reply) : right.receive(request, answer);
    },
  };
}
