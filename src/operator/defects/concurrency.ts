import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, Books, Work } from '../behaviour.ts';
import type { Decision } from '../decision.ts';
import type { Defect } from '../defect.ts';

/** Looks, lets some milliseconds pass, and acts on what was true before. */
function staleBy(right: Behaviour, ms: number, stale: (before: Books, now: Books) => Books): Partial<Behaviour> {
  return {
    carryOut: async (store, { look, act }: Work): Promise<Decision> => {
      const before = look();
      await sleep(ms);
      return right.carryOut(store, { look: () => stale(before, look()), act });
    },
  };
}

export const CONCURRENCY_DEFECTS: readonly Defect[] = [
  {
    name: 'lost-update',
    breaks: ['concurrency.no-lost-update'],
    mayBreak: [
      'concurrency.no-overdraft',
      'session.isolated',
      'idempotency.concurrent',
      'refund.before-bet',
      'refund.broken-connection',
    ],
    description:
      'Of two calls at once, the second overwrites the balance that the first wrote: it is read, reckoned and written back.',
    change: (right) => staleBy(right, 4, ({ wallet }, now) => ({ ...now, wallet })),
  },
  {
    name: 'lost-update-on-wins',
    breaks: ['concurrency.no-lost-update'],
    description: 'A win overwrites what other calls did to the balance in the milliseconds before it.',
    change: (right) => ({
      carryOut: async (store, work) => {
        const before = work.look();
        await sleep(4);
        return store.atomically(() => {
          const now = work.look();
          const decision = work.act(now);
          const last = store.transactions(now.session?.extCID ?? '').at(-1);
          const isWin =
            decision.kind === 'done' && !now.earlier && last?.call === 'win' && decision.txID === `op-${last.id}`;
          if (isWin && before.wallet) store.setBalance(before.wallet.id, before.wallet.balance + last.moved);
          return decision;
        });
      },
      recall: right.recall,
    }),
  },
  {
    name: 'overdraft-race',
    breaks: ['concurrency.no-overdraft'],
    description:
      'Whether there is money enough is checked some milliseconds before it is taken: bets at once can overdraw.',
    change: (right) => ({
      ...staleBy(right, 4, ({ wallet }, now) => ({ ...now, wallet })),
      book: (store, wallet, moved) => right.book(store, store.wallet(wallet.id), moved),
    }),
  },
  {
    name: 'busy-500',
    breaks: ['concurrency.no-lost-update'],
    mayBreak: [
      'idempotency.concurrent',
      'concurrency.no-overdraft',
      'win.retried',
      'refund.retried',
      'session.isolated',
    ],
    description: 'A call that finds the wallet locked is answered with success, but is not carried out.',
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
