import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../../sdk/reply.ts';
import { scaleOf } from '../amount.ts';
import { stands } from '../behaviour.ts';
import { bodyOf, callOf } from '../rewriting.ts';
import type { Defect } from '../variation.ts';
import { booking, hasInRound, inRound, objecting, payingLater } from './changed-steps.ts';

/** Time after which a round is closed, in milliseconds. Rounds take less time than this, except in scenarios that wait. */
const ROUND_LIFE_MS = 1000;

export const WIN_DEFECTS: readonly Defect[] = [
  {
    name: 'fee-on-wins',
    breaks: ['win.credit'],
    mayBreak: [
      'money.conservation',
      'concurrency.no-lost-update',
      'win.many-in-round',
      'win.retried',
      'bet.exact-balance',
      'money.exact',
    ],
    description: 'Players get two percent too little of each win, because the wallet subtracts a fee.',
    change: (right) => ({ creditOf: (win) => (right.creditOf(win) * 98n) / 100n }),
  },
  {
    name: 'win-half',
    breaks: ['win.credit'],
    mayBreak: ['money.conservation', 'concurrency.no-lost-update', 'win.many-in-round', 'win.retried'],
    description: 'Players get only half of each win.',
    change: (right) => ({ creditOf: (win) => right.creditOf(win) / 2n }),
  },
  {
    name: 'win-minus-bet',
    breaks: ['win.credit'],
    mayBreak: [
      'money.conservation',
      'concurrency.no-lost-update',
      'win.many-in-round',
      'win.retried',
      'bet.exact-balance',
      'idempotency.concurrent',
    ],
    description:
      'Players lose their stake twice when they win: the wallet subtracts the bets of the round from each win, even if the win is lower.',
    change: (right) =>
      booking(right, (store, entry) =>
        entry.call === 'win' && entry.moved > 0n
          ? inRound(store, entry, 'bet')
              .filter(stands)
              .reduce((paid, { moved }) => paid + moved, entry.moved)
          : entry.moved,
      ),
  },
  {
    name: 'win-never-paid',
    breaks: ['win.credit'],
    mayBreak: ['win.many-in-round', 'win.retried'],
    description: 'Players never get their wins: the wallet answers wins with 200, but credits nothing.',
    change: () => ({ creditOf: () => 0n }),
  },
  {
    name: 'win-cut-to-halves',
    breaks: ['money.exact'],
    mayBreak: ['win.credit', 'win.many-in-round', 'money.large'],
    description: 'A win of 0.57 pays 0.50: the wallet rounds wins down to halves of the main unit.',
    change: (right) =>
      booking(right, (store, entry) => {
        if (entry.call !== 'win' || entry.walletID === null) return entry.moved;
        const half = 10n ** BigInt(scaleOf(store.wallet(entry.walletID).currency).decimals) / 2n;
        return half > 0n && half < 1000n ? entry.moved - (entry.moved % half) : entry.moved;
      }),
  },
  {
    name: 'win-plus-bet',
    breaks: ['win.credit'],
    mayBreak: ['money.conservation', 'concurrency.no-lost-update', 'win.many-in-round', 'win.retried', 'win.zero'],
    description: 'Players get twice the amount of each win, because the win is credited two times.',
    change: (right) => ({
      creditOf: (win) => (win.type === 'free' || win.frID !== null ? right.creditOf(win) : right.creditOf(win) * 2n),
    }),
  },
  {
    name: 'win-zero-400',
    breaks: ['win.zero'],
    mayBreak: ['free-rounds.win', 'idempotency.win', 'reply.tx-id-distinct'],
    description: 'A lost round never ends, because the wallet refuses a win of 0 with 400.',
    change: (right) => objecting(right, 'win', (_store, { amount }) => amount === 0n, 'win-empty'),
  },
  {
    name: 'win-paid-later',
    breaks: ['win.credit'],
    mayBreak: ['win.retried', 'win.many-in-round', 'concurrency.no-lost-update'],
    description:
      'The player waits for a win: the wallet answers the win with 200 and the old balance, and a job credits it some time later.',
    change: (right, { deadlineMs }) => payingLater(right, 'win', { delayMs: deadlineMs / 20, isPromised: false }),
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
    description: 'A win of 0 pays the player 150 of the smallest unit of the currency as a consolation.',
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
    name: 'win-zero-returns-stake',
    breaks: ['win.zero'],
    description: 'A win of 0 gives the bet of its round back, because the wallet treats it as a cancelled round.',
    change: (right) =>
      booking(right, (store, entry) =>
        entry.call === 'win' && entry.type !== 'free' && entry.amount === 0n
          ? inRound(store, entry, 'bet').reduce((sum, bet) => (stands(bet) ? sum - bet.moved : sum), 0n)
          : entry.moved,
      ),
  },
  {
    name: 'win-sometimes-less',
    breaks: ['win.credit'],
    description: 'One of five wins is booked one percent too low, because one server runs an old version with a fee.',
    change: (right) => {
      let wins = 0;
      return booking(right, (_store, { call, moved }) => {
        if (call !== 'win' || moved === 0n) return moved;
        wins += 1;
        return (wins * 7) % 5 === 1 ? (moved * 99n) / 100n : moved;
      });
    },
  },
  {
    name: 'second-win-ignored',
    breaks: ['win.many-in-round'],
    description: 'The second win of a round is never paid: the wallet answers 200, but does not credit the win.',
    change: (right) =>
      booking(right, (store, entry) =>
        entry.call === 'win' && entry.frID === null && hasInRound(store, entry, 'win') ? 0n : entry.moved,
      ),
  },
  {
    name: 'further-win-pays-difference',
    breaks: ['win.many-in-round'],
    description:
      'The player gets too little for a further win of a round: the wallet treats its amount as the sum of all wins of the round so far.',
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
      'If a win fails at first, players get both their bet and the win: after the failure the wallet gives the bet back, and the repeated win is paid too.',
    change: (right) => {
      const open = new Map<unknown, { readonly txID: string; readonly giveBack: () => void }>();
      return {
        record: (store, entry) => {
          const { walletID, moved, roundID, txID } = entry;
          if (entry.call === 'bet' && walletID !== null && entry.outcome === 'done') {
            const giveBack = (): void => store.setBalance(walletID, store.wallet(walletID).balance - moved);
            open.set(roundID, { txID, giveBack });
          } else if (entry.call === 'refund') {
            for (const [round, bet] of open) if (bet.txID === entry.origTxID) open.delete(round);
          }
          return right.record(store, entry);
        },
        receive: async (request, answer) => {
          const reply = await right.receive(request, answer);
          const roundID = bodyOf(request)?.roundID;
          if (callOf(request) !== 'win' || reply.status === 200) return reply;
          open.get(roundID)?.giveBack();
          open.delete(roundID);
          return reply;
        },
      };
    },
  },
  {
    name: 'abandoned-win-returns-bet',
    breaks: ['win.failed-keeps-bet'],
    mayBreak: ['win.retried'],
    description:
      'If the connection of a win breaks, players get both their bet and the win: the wallet undoes the whole round, and the repeated win is paid too.',
    change: (right) => {
      const open = new Map<unknown, () => void>();
      return {
        record: (store, entry) => {
          const { walletID, moved, roundID } = entry;
          if (entry.call === 'bet' && walletID !== null && entry.outcome === 'done')
            open.set(roundID, () => store.setBalance(walletID, store.wallet(walletID).balance - moved));
          return right.record(store, entry);
        },
        receive: async (request, answer) => {
          if (callOf(request) !== 'win') return right.receive(request, answer);
          await sleep(2);
          const roundID = bodyOf(request)?.roundID;
          if (!request.isGone?.()) return right.receive(request, answer);
          open.get(roundID)?.();
          open.delete(roundID);
          return failure({ status: 500, message: 'Something went wrong.' });
        },
      };
    },
  },
];
