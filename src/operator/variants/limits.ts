import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../sdk/reply.ts';
import { readAmount, scaleOf } from '../amount.ts';
import { type Behaviour, decisionOf } from '../behaviour.ts';
import { bodyOf, callOf } from '../rewriting.ts';
import type { Claim, Session, Store } from '../store.ts';
import type { Variant } from '../variation.ts';

/** The reply to a bet that a limit forbids. */
interface LimitReply {
  readonly status: number;
  readonly code?: string;
  readonly message: string;
}

type LimitCondition = (claim: Claim & { readonly walletID: number; readonly amount: bigint }, store: Store) => boolean;

/** Declines new bets, except free bets, if `when` is true. The reply has the status, the code and the message of `reply`. */
function limitingBets(right: Behaviour, reply: LimitReply, when: LimitCondition): Partial<Behaviour> {
  return limitingAllBets(right, reply, (claim, store) => claim.type !== 'free' && when(claim, store));
}

/** Like {@link limitingBets}, but also declines free bets. */
function limitingAllBets(right: Behaviour, reply: LimitReply, when: LimitCondition): Partial<Behaviour> {
  return {
    objection: (store, claim, session) => {
      const { walletID, amount } = claim;
      const isBet = claim.call === 'bet' && walletID !== null && amount !== null;
      return isBet && when({ ...claim, walletID, amount }, store)
        ? 'own-limit'
        : right.objection(store, claim, session);
    },
    reply: (decision) =>
      decision.kind === 'declined' && decision.reason === 'own-limit' ? failure(reply) : right.reply(decision),
  };
}

/** Converts an amount from the main unit of a wallet's currency to the smallest unit. */
function inUnits(store: Store, walletID: number, text: string): bigint {
  return readAmount(text, scaleOf(store.wallet(walletID).currency)) ?? 0n;
}

/** Declines bets above a limit. Each variant words the limit in another way. */
function highestBet(name: string, words: string, reply: LimitReply): Variant {
  return {
    name,
    declines: true,
    description: `Bets above 5.00 are declined ${words}.`,
    change: (right) =>
      limitingBets(right, reply, ({ amount, walletID }, store) => amount > inUnits(store, walletID, '5')),
  };
}

/** Returns a function that counts its calls for each wallet. */
function counter(): (walletID: number) => number {
  const counts = new Map<number, number>();
  return (walletID) => {
    const count = (counts.get(walletID) ?? 0) + 1;
    counts.set(walletID, count);
    return count;
  };
}

function noStep(step: string): LimitReply {
  return { status: 400, code: 'STAKE_STEP', message: `The stake must be a multiple of ${step}.` };
}

/** True if an amount is no multiple of a number of smallest units. */
function isNoStep(units: bigint): LimitCondition {
  return ({ amount }) => amount % units !== 0n;
}

/** The least time between two bets of a player, in milliseconds. */
const PAUSE_MS = 40;

/**
 * Declines a bet in a new round while another round of the session is open. Free bets are not limited.
 *
 * @param open receives the open round of each session
 */
function oneOpenRound(right: Behaviour, open: Map<unknown, string>): Partial<Behaviour> {
  const limited = limitingBets(
    right,
    { status: 409, message: 'Please finish your current round first.' },
    ({ sessionID, roundID }) => open.has(sessionID) && open.get(sessionID) !== roundID,
  );
  return {
    ...limited,
    record: (store, entry) => {
      const recorded = right.record(store, entry);
      const { call, outcome, sessionID, roundID, type } = entry;
      if (outcome !== 'done' || type === 'free') return recorded;
      if (call === 'bet' && roundID !== null) open.set(sessionID, roundID);
      if (call === 'win' && open.get(sessionID) === roundID) open.delete(sessionID);
      if (call === 'refund' && entry.moved > 0n) open.delete(sessionID);
      return recorded;
    },
  };
}

/** The time by which a win in the session of its round is late, in milliseconds. */
const LATE_WIN_MS = 4;

/** Ends sessions after a number of bets. Still accepts wins and refunds of rounds in these sessions. */
function endingSessions(right: Behaviour, isEnded: (session: Session) => boolean): Partial<Behaviour> {
  return { isOpen: (session) => right.isOpen(session) && !isEnded(session) };
}

/**
 * Correct variants that decline bets because of a limit that a law, the player or the operator has set. The contract lets the
 * operator decline any bet.
 */
export const LIMIT_VARIANTS: readonly Variant[] = [
  {
    name: 'one-open-round',
    description:
      'A bet in a new round is declined with 409 while another round of the session has neither win nor refund.',
    change: (right) => oneOpenRound(right, new Map()),
  },
  {
    name: 'one-open-round-other-session-first',
    description:
      'Like one-open-round. Of a win that arrives from two sessions at once, the call in the session of the round comes second. It gets the first reply, and the round stays open.',
    change: (right) => {
      const open = new Map<unknown, string>();
      return {
        ...oneOpenRound(right, open),
        receive: async (request, answer) => {
          if (callOf(request) === 'win' && open.has(bodyOf(request)?.sessionID)) await sleep(LATE_WIN_MS);
          return right.receive(request, answer);
        },
        recall: (earlier) => decisionOf(earlier),
      };
    },
  },
  {
    name: 'one-open-round-of-player',
    description:
      'A bet in a new round, also a free bet, is declined with 409 while another round of the player has neither win nor refund.',
    change: (right) => {
      /** The open round of each player, with its first bet. */
      const open = new Map<number | null, { readonly roundID: string | null; readonly txID: string }>();
      const limited = limitingAllBets(
        right,
        { status: 409, code: 'ROUND_OPEN', message: 'Please finish your current round first.' },
        ({ walletID, roundID }) => open.has(walletID) && open.get(walletID)?.roundID !== roundID,
      );
      return {
        ...limited,
        record: (store, entry) => {
          const recorded = right.record(store, entry);
          const { call, outcome, walletID, roundID, txID, origTxID } = entry;
          if (outcome !== 'done') return recorded;
          const round = open.get(walletID);
          if (call === 'bet' && !round) open.set(walletID, { roundID, txID });
          if (call === 'win' && round?.roundID === roundID) open.delete(walletID);
          if (call === 'refund' && round?.txID === origTxID) open.delete(walletID);
          return recorded;
        },
      };
    },
  },
  {
    name: 'reminder-of-time',
    declines: true,
    description:
      'Every 15th bet of a player, also a free bet, is declined with 409 and a code of the operator, to remind the player of the time.',
    change: (right) => {
      const count = counter();
      return limitingAllBets(
        right,
        { status: 409, code: 'reality_check', message: 'You have played for an hour. Do you want to play on?' },
        ({ walletID }) => count(walletID) % 15 === 0,
      );
    },
  },
  {
    name: 'stakes-in-steps',
    mayWarn: ['bet.decimal-amount'],
    description: 'A bet that is no multiple of 0.50 (in JPY of 50) is declined with 400 and a code of the operator.',
    change: (right) => limitingBets(right, noStep('0.50'), isNoStep(50n)),
  },
  {
    // A bet of 1.50 is no multiple of 0.20, but has as few decimals as 0.20.
    name: 'stakes-in-small-steps',
    mayWarn: ['bet.decimal-amount'],
    description: 'A bet that is no multiple of 0.20 (in JPY of 20) is declined with 400 and a code of the operator.',
    change: (right) => limitingBets(right, noStep('0.20'), isNoStep(20n)),
  },
  highestBet('highest-bet-own-code', 'with 422 and a code of the operator', {
    status: 422,
    code: 'MAX_STAKE_EXCEEDED',
    message: 'The highest bet is 5.00.',
  }),
  highestBet('highest-bet-no-code', 'with 400 and no code', {
    status: 400,
    message: 'STAKE TOO HIGH. See <max. 5.00> at https://casino.example/limits.',
  }),
  {
    name: 'lowest-bet',
    declines: true,
    description: 'Bets below half of the main unit are declined with 400 and a code of the operator.',
    change: (right) =>
      limitingBets(
        right,
        { status: 400, code: 'stake_too_low', message: 'Bet too small <min. 0.50>.' },
        ({ amount, walletID }, store) =>
          amount > 0n &&
          amount * 2n < inUnits(store, walletID, '1') &&
          scaleOf(store.wallet(walletID).currency).decimals > 0,
      ),
  },
  {
    name: 'loss-limit',
    declines: true,
    description: 'A bet is declined with 403 and the code loss_limit once the player has lost 30.00.',
    change: (right) => {
      const lost = new Map<number, bigint>();
      const limited = limitingBets(
        right,
        { status: 403, code: 'loss_limit', message: 'You have reached your loss limit for today.' },
        ({ walletID, amount }, store) => (lost.get(walletID) ?? 0n) + amount > inUnits(store, walletID, '30'),
      );
      return {
        ...limited,
        book: (store, wallet, moved) => {
          lost.set(wallet.id, (lost.get(wallet.id) ?? 0n) - moved);
          return right.book(store, wallet, moved);
        },
      };
    },
  },
  {
    name: 'pause-between-bets',
    declines: true,
    description:
      'A bet less than 40 ms after the last bet of the player is declined with 409 and a code of the operator.',
    change: (right) => {
      const last = new Map<number, number>();
      const limited = limitingBets(
        right,
        { status: 409, code: 'TOO_FAST', message: 'Please wait a moment between two bets.' },
        ({ walletID }) => performance.now() - (last.get(walletID) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS,
      );
      return {
        ...limited,
        book: (store, wallet, moved) => {
          if (moved < 0n) last.set(wallet.id, performance.now());
          return right.book(store, wallet, moved);
        },
      };
    },
  },
  {
    name: 'self-exclusion-during-play',
    declines: true,
    description:
      'After 39 bets, the player has excluded himself: the wallet declines further bets with 403 and account_blocked.',
    change: (right) => {
      const count = counter();
      return limitingBets(
        right,
        { status: 403, code: 'account_blocked', message: 'You have excluded yourself from play.' },
        ({ walletID }) => count(walletID) >= 40,
      );
    },
  },
  {
    name: 'maintenance-during-play',
    declines: true,
    description: 'After 59 bets, the wallet declines further bets with 409 because of maintenance.',
    change: (right) => {
      const count = counter();
      return limitingBets(
        right,
        { status: 409, code: 'maintenance', message: 'The casino is closed for maintenance.' },
        ({ walletID }) => count(walletID) >= 60,
      );
    },
  },
  {
    name: 'jurisdiction',
    declines: true,
    description: 'Bets of one currency are declined with 451, because the game is not allowed there.',
    change: (right) =>
      limitingBets(
        right,
        { status: 451, code: 'NOT_IN_YOUR_COUNTRY', message: 'This game is not available in your country.' },
        ({ walletID }, store) => store.wallet(walletID).currency === 'EUR',
      ),
  },
  {
    name: 'sessions-end-during-play',
    declines: true,
    description: 'Each session expires after 50 bets. Its wins and refunds are still accepted.',
    change: (right) => {
      const bets = new Map<string, number>();
      return {
        ...endingSessions(right, ({ sessionID }) => (bets.get(sessionID) ?? 0) >= 50),
        record: (store, entry) => {
          if (entry.call === 'bet') bets.set(entry.sessionID, (bets.get(entry.sessionID) ?? 0) + 1);
          return right.record(store, entry);
        },
      };
    },
  },
  {
    name: 'sessions-end-for-all-calls',
    declines: true,
    description:
      'Each session ends after 20 bets. Then the wallet declines each of its calls with session_expired, even the win of the last bet.',
    change: (right) => {
      const bets = new Map<string, number>();
      return {
        carryOut: async (store, handling) => {
          const { session } = handling.look();
          return session && (bets.get(session.sessionID) ?? 0) >= 20
            ? { kind: 'declined', reason: 'session-expired' }
            : right.carryOut(store, handling);
        },
        record: (store, entry) => {
          if (entry.call === 'bet') bets.set(entry.sessionID, (bets.get(entry.sessionID) ?? 0) + 1);
          return right.record(store, entry);
        },
      };
    },
  },
  {
    name: 'credit-line',
    credit: true,
    description:
      'Each account has a credit line of 500.00, or of 0.5 in a cryptocurrency: a bet may make the balance negative, down to -500.00.',
    change: () => ({
      covers: (wallet, debit) => {
        const scale = scaleOf(wallet.currency);
        return wallet.balance + (readAmount(scale.padded ? '500' : '0.5', scale) ?? 0n) >= debit;
      },
    }),
  },
  {
    name: 'unlimited-credit',
    declines: true,
    credit: true,
    description: 'Each account has an unlimited credit line, so every bet is accepted.',
    change: () => ({ covers: () => true }),
  },
  {
    name: 'account-in-the-red',
    declines: true,
    description:
      'Balances may be negative: each balance is 1050.00 lower than in other variants, but bets still need a positive balance.',
    change: (right) => {
      const debt = (currency: string): bigint => readAmount('1050', scaleOf(currency)) ?? 0n;
      return {
        covers: (wallet, debit) => wallet.balance - debt(wallet.currency) >= debit,
        show: (wallet, balance) => right.show(wallet, balance - debt(wallet.currency)),
      };
    },
  },
];
