import { rewriting, textOf } from '../rewriting.ts';
import type { Wallet } from '../store.ts';
import type { Defect } from '../variation.ts';
import { objecting } from './changed-steps.ts';

/** Defects in sessions and free rounds. */
export const SESSION_DEFECTS: readonly Defect[] = [
  {
    name: 'shared-wallet',
    breaks: ['session.isolated'],
    mayBreak: ['refund.foreign-session'],
    description:
      'A bet of one player lowers the balance of another player, because all players with the same currency share a wallet.',
    change: (right) => {
      const shared = new Map<string, Wallet>();
      return {
        walletOf: (store, session) => {
          const own = right.walletOf(store, session);
          const first = shared.get(own.currency) ?? own;
          shared.set(own.currency, first);
          return store.wallet(first.id);
        },
      };
    },
  },
  {
    name: 'fee-from-another-player',
    breaks: ['session.isolated'],
    description:
      'Each bet also takes the smallest unit of the currency from another player, because a fee is charged to the wrong account.',
    change: (right) => {
      const seen: number[] = [];
      return {
        walletOf: (store, session) => {
          const own = right.walletOf(store, session);
          if (!seen.includes(own.id)) seen.push(own.id);
          return own;
        },
        book: (store, wallet, moved) => {
          const other = seen.at(seen.indexOf(wallet.id) - 1);
          if (moved < 0n && other !== undefined && other !== wallet.id)
            store.setBalance(other, store.wallet(other).balance - 1n);
          return right.book(store, wallet, moved);
        },
      };
    },
  },
  {
    name: 'credits-to-first-player',
    breaks: ['win.credit', 'refund.restore'],
    // Refunds of every kind go to the wrong player.
    mayBreak: ['session.isolated', 'refund.without-round', 'refund.one-of-many', 'refund.broken-connection'],
    description:
      'Players do not get their wins and refunds: the money goes to the first player with the same currency, because a query has no condition.',
    change: (right) => {
      const first = new Map<string, number>();
      return {
        walletOf: (store, session) => {
          const own = right.walletOf(store, session);
          if (!first.has(own.currency)) first.set(own.currency, own.id);
          return own;
        },
        book: (store, wallet, moved) => {
          const other = first.get(wallet.currency);
          if (moved <= 0n || other === undefined || other === wallet.id) return right.book(store, wallet, moved);
          store.setBalance(other, store.wallet(other).balance + moved);
          return right.book(store, wallet, 0n);
        },
      };
    },
  },
  {
    name: 'debits-first-player',
    breaks: ['bet.debit'],
    mayBreak: ['session.isolated', 'refund.restore'],
    description:
      'The bets of one player are taken from another player: the one who was opened first with the same currency.',
    change: (right) => {
      const first = new Map<string, number>();
      const second = new Map<string, number>();
      return {
        walletOf: (store, session) => {
          const own = right.walletOf(store, session);
          if (!first.has(own.currency)) first.set(own.currency, own.id);
          else if (first.get(own.currency) !== own.id && !second.has(own.currency)) second.set(own.currency, own.id);
          return own;
        },
        book: (store, wallet, moved) => {
          const other = first.get(wallet.currency);
          if (moved >= 0n || other === undefined || second.get(wallet.currency) !== wallet.id)
            return right.book(store, wallet, moved);
          store.setBalance(other, store.wallet(other).balance + moved);
          return right.book(store, wallet, 0n);
        },
      };
    },
  },
  {
    name: 'round-id-globally-unique',
    breaks: ['session.round-id-reuse'],
    mayBreak: ['refund.foreign-session'],
    description:
      'A bet is refused if its round id was used in another game, although round ids may repeat between games.',
    change: (right) =>
      objecting(right, 'bet', (store, { extCID, roundID, gameID, txID }) =>
        store
          .transactions(extCID)
          .some((other) => other.roundID === roundID && other.gameID !== gameID && other.txID !== txID),
      ),
  },
  {
    name: 'unknown-session-500',
    breaks: ['session.unknown'],
    description:
      'A call in an unknown session is answered 500, because the wallet does not handle the missing session.',
    change: (right) =>
      rewriting(right, (reply) => (textOf(reply).includes('session_not_found') ? { ...reply, status: 500 } : reply)),
  },
  {
    name: 'unknown-session-opened',
    breaks: ['session.unknown'],
    mayBreak: ['reply.error-is-not-200'],
    description: 'A call in an unknown session creates this session, with money in it.',
    change: (right) => ({
      sessionOf: (store, extCID, sessionID) => {
        const known = right.sessionOf(store, extCID, sessionID);
        if (known) return known;
        const wallet = store.openWallet({ extCID, player: sessionID, currency: 'USD', balance: 100_000n });
        store.putSession({ extCID, sessionID, gameID: 'catch', state: 'active', walletID: wallet.id });
        return right.sessionOf(store, extCID, sessionID);
      },
    }),
  },
  {
    name: 'expired-session-refuses-all',
    restarted: true,
    breaks: ['session.expired-settles'],
    description:
      'The player loses the round that was open when the session expired: the wallet refuses the win and the refund of this round.',
    change: (right) => ({
      objection: (store, claim, session) =>
        session !== undefined && !right.isOpen(session) ? 'session-expired' : right.objection(store, claim, session),
    }),
  },
  {
    name: 'free-bet-refused',
    breaks: ['free-rounds.bet'],
    mayBreak: ['free-rounds.win', 'free-rounds.replay', 'free-rounds.empty-wallet', 'free-rounds.refund'],
    description: 'Free rounds cannot be played: bets of type free are refused.',
    change: (right) => objecting(right, 'bet', (_store, { type }) => type === 'free'),
  },
  {
    name: 'free-win-refused',
    breaks: ['free-rounds.win'],
    mayBreak: ['free-rounds.replay'],
    description: 'Free rounds cannot be won: wins of type free are refused.',
    change: (right) => objecting(right, 'win', (_store, { type }) => type === 'free'),
  },
  {
    name: 'free-bet-needs-money',
    breaks: ['free-rounds.empty-wallet'],
    description:
      'Free rounds cannot be played with an empty wallet: a free bet takes nothing, but is declined if the balance is below its amount.',
    change: (right) => ({
      objection: (store, claim, session) =>
        claim.type === 'free' &&
        claim.call === 'bet' &&
        claim.walletID !== null &&
        store.wallet(claim.walletID).balance < (claim.amount ?? 0n)
          ? 'insufficient-funds'
          : right.objection(store, claim, session),
    }),
  },
];
