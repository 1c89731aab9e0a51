import { setTimeout as sleep } from 'node:timers/promises';
import type { ListenRequest } from '../../listen/message.ts';
import type { Behaviour, StoredState, Work } from '../behaviour.ts';
import type { Decision } from '../decision.ts';
import { type Fields, textOf } from '../rewriting.ts';
import type { Defect } from '../variation.ts';

/** Reads the state, waits some milliseconds, and then uses this old state. */
function staleBy(
  right: Behaviour,
  ms: number,
  stale: (before: StoredState, now: StoredState) => StoredState,
): Partial<Behaviour> {
  return {
    carryOut: async (store, { look, act }: Work): Promise<Decision> => {
      const before = look();
      await sleep(ms);
      return right.carryOut(store, { look: () => stale(before, look()), act });
    },
  };
}

/** Carries out the calls of each player one after another. Calls of different players overlap. */
function onePerPlayer(): (player: number | undefined, call: () => Promise<Decision>) => Promise<Decision> {
  const last = new Map<number, Promise<unknown>>();
  return (player, call) => {
    if (player === undefined) return call();
    const next = (last.get(player) ?? Promise.resolve()).then(call, call);
    last.set(player, next);
    return next;
  };
}

/** Writes the balances of some replies into one buffer that all calls share, and reads them from it a little later. */
function sharingBuffer(right: Behaviour, isAffected: (request: ListenRequest) => boolean): Partial<Behaviour> {
  let buffer = '';
  return {
    receive: async (request, answer) => {
      const reply = await right.receive(request, answer);
      if (reply.status !== 200 || !isAffected(request)) return reply;
      const fields = JSON.parse(textOf(reply)) as Fields;
      buffer = String(fields.balance);
      await sleep(3);
      return { ...reply, body: JSON.stringify({ ...fields, balance: buffer }) };
    },
  };
}

export const CONCURRENCY_DEFECTS: readonly Defect[] = [
  {
    name: 'formatter-shared',
    breaks: ['concurrency.no-lost-update'],
    description:
      "A reply shows another player's balance if two players are served at the same moment: all threads use one formatter with one buffer. Only the replies are wrong, not the stored balances.",
    change: (right) => sharingBuffer(right, () => true),
  },
  {
    name: 'balance-cache-shared',
    breaks: ['concurrency.no-lost-update'],
    mayBreak: ['session.isolated'],
    description:
      "A balance call shows another player's balance if both players' balances are read at the same moment: all threads use one variable. The replies to bets, wins and refunds are right.",
    change: (right) => sharingBuffer(right, ({ method }) => method === 'GET'),
  },
  {
    name: 'reply-buffer-shared',
    breaks: ['concurrency.no-lost-update'],
    mayBreak: ['session.isolated', 'reply.tx-id-distinct'],
    description:
      'A call gets the body of the reply to another call if both are served at the same moment: all threads write their replies into one buffer. The stored balances are right.',
    change: (right) => {
      let buffer = '';
      return {
        receive: async (request, answer) => {
          const reply = await right.receive(request, answer);
          buffer = textOf(reply);
          await sleep(3);
          return { ...reply, body: buffer };
        },
      };
    },
  },
  {
    name: 'amount-parser-shared',
    breaks: ['concurrency.no-lost-update'],
    description:
      'A bet takes the amount of another player if both are served at the same moment: all threads use one parser with one buffer. Calls of the same player are carried out one after another, so they are not affected.',
    change: (right) => {
      const inTurn = onePerPlayer();
      let buffer = '';
      let isParsed = false;
      return {
        readAmount: (text, scale) => {
          if (!isParsed) buffer = text;
          return right.readAmount(buffer, scale);
        },
        carryOut: (store, work) =>
          inTurn(work.look().wallet?.id, async () => {
            work.look();
            await sleep(3);
            isParsed = true;
            try {
              return await right.carryOut(store, work);
            } finally {
              isParsed = false;
            }
          }),
      };
    },
  },
  {
    name: 'lost-update',
    breaks: ['concurrency.no-lost-update'],
    mayBreak: ['session.isolated', 'idempotency.concurrent', 'refund.before-bet', 'refund.broken-connection'],
    description:
      'One of two calls at the same moment is lost: each call reads the balance, changes it and writes it back, so the second call overwrites the change of the first.',
    change: (right) => staleBy(right, 4, ({ wallet }, now) => ({ ...now, wallet })),
  },
  {
    name: 'lost-update-on-wins',
    breaks: ['concurrency.no-lost-update'],
    description:
      'A bet or win disappears from the balance when a win of the same player is processed at the same moment: the win overwrites the other change.',
    change: (right) => ({
      carryOut: async (store, work) => {
        const before = work.look();
        await sleep(4);
        const act: Work['act'] = (now) => {
          const decision = work.act(now);
          const last = store.transactions(now.session?.extCID ?? '').at(-1);
          const isWin =
            decision.kind === 'done' && !now.earlier && last?.call === 'win' && decision.txID === `op-${last.id}`;
          if (isWin && before.wallet) store.setBalance(before.wallet.id, before.wallet.balance + last.moved);
          return decision;
        };
        return right.carryOut(store, { look: work.look, act });
      },
    }),
  },
  {
    name: 'overdraft-race',
    breaks: ['concurrency.no-overdraft'],
    description:
      'A player can bet more than the balance by sending bets at the same moment: the balance is checked some milliseconds before the money is taken.',
    change: (right) => ({
      ...staleBy(right, 4, ({ wallet }, now) => ({ ...now, wallet })),
      book: (store, wallet, moved) => right.book(store, store.wallet(wallet.id), moved),
    }),
  },
  {
    name: 'lock-given-up',
    breaks: ['concurrency.no-lost-update'],
    mayBreak: [
      'idempotency.concurrent',
      'concurrency.no-overdraft',
      'win.retried',
      'refund.retried',
      'session.isolated',
      // The refund of a bet whose connection broke may overlap with this bet. So may the next win or bet. Then its reply has a wrong
      // balance.
      'refund.restore',
      'win.credit',
      'bet.debit',
      // Copies of a call in two sessions may overlap. A copy that finds the wallet locked is answered 200, but has no effect.
      'idempotency.conflicting-body',
    ],
    description:
      'If another call has locked the wallet, a call is answered 200 but not carried out, because the operator does not check whether it got the lock.',
    change: (right) => {
      const locked = new Set<number>();
      return {
        carryOut: async (store, work) => {
          const { wallet, earlier, session } = work.look();
          if (!wallet || earlier) return right.carryOut(store, work);
          if (locked.has(wallet.id) && session) {
            return store.atomically(() => {
              const decision = work.act(work.look());
              if (decision.kind === 'done') store.setBalance(wallet.id, wallet.balance);
              return decision;
            });
          }
          locked.add(wallet.id);
          try {
            await sleep(3);
            return await right.carryOut(store, work);
          } finally {
            locked.delete(wallet.id);
          }
        },
      };
    },
  },
];
