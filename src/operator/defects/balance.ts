import { failure } from '../../sdk/reply.ts';
import { callOf, rewriting } from '../rewriting.ts';
import type { Defect } from '../variation.ts';

/** Defects in the reading of a balance. */
export const BALANCE_DEFECTS: readonly Defect[] = [
  {
    name: 'balance-500',
    breaks: ['balance.read'],
    description: 'The balance cannot be read: the wallet answers every balance call with 500.',
    change: (right) =>
      rewriting(right, (reply, request) =>
        callOf(request) === 'balance' && reply.status === 200
          ? failure({ status: 500, message: 'Something went wrong.' })
          : reply,
      ),
  },
  {
    name: 'balance-stale',
    breaks: ['balance.read'],
    mayBreak: [
      'bet.debit',
      'win.credit',
      'money.conservation',
      'bet.exact-balance',
      'refund.restore',
      'concurrency.no-lost-update',
      'money.main-unit',
      'balance.read-only',
    ],
    description:
      'A balance call shows the balance before the last transaction, because the wallet reads the balance from a cache.',
    change: (right) => {
      const before = new Map<number, bigint>();
      return {
        book: (store, wallet, moved) => {
          before.set(wallet.id, wallet.balance);
          return right.book(store, wallet, moved);
        },
        carryOut: async (store, work) => {
          const decision = await right.carryOut(store, work);
          const { wallet } = work.look();
          if (decision.kind !== 'balance' || !wallet) return decision;
          return { ...decision, balance: right.show(wallet, before.get(wallet.id) ?? wallet.balance) };
        },
      };
    },
  },
  {
    name: 'balance-from-replica',
    breaks: ['balance.read'],
    mayBreak: ['bet.debit', 'win.credit', 'refund.restore', 'bet.exact-balance'],
    description:
      'A balance call shows an old balance, because the wallet reads it from a copy of the database that is not up to date.',
    change: (right, { deadlineMs }) => {
      const pasts = new Map<number, { readonly at: number; readonly before: bigint }[]>();
      const behindMs = deadlineMs / 50;
      return {
        book: (store, wallet, moved) => {
          const past = (pasts.get(wallet.id) ?? []).filter(({ at }) => performance.now() - at < behindMs);
          pasts.set(wallet.id, [...past, { at: performance.now(), before: wallet.balance }]);
          return right.book(store, wallet, moved);
        },
        carryOut: async (store, work) => {
          const decision = await right.carryOut(store, work);
          const { wallet } = work.look();
          if (decision.kind !== 'balance' || !wallet) return decision;
          const oldest = pasts.get(wallet.id)?.find(({ at }) => performance.now() - at < behindMs);
          return { ...decision, balance: right.show(wallet, oldest?.before ?? wallet.balance) };
        },
      };
    },
  },
  {
    name: 'balance-read-costs',
    breaks: ['balance.read-only'],
    mayBreak: ['money.conservation'],
    description: 'Each balance call takes one smallest unit of the currency from the player.',
    change: (right) => ({
      carryOut: async (store, work) => {
        const decision = await right.carryOut(store, work);
        const { wallet } = work.look();
        if (decision.kind === 'balance' && wallet && wallet.balance > 0n)
          store.setBalance(wallet.id, wallet.balance - 1n);
        return decision;
      },
    }),
  },
  {
    name: 'balance-read-adds',
    breaks: ['balance.read-only'],
    mayBreak: ['money.conservation'],
    description: 'Each balance call adds one smallest unit of the currency to the balance.',
    change: (right) => ({
      carryOut: async (store, work) => {
        const decision = await right.carryOut(store, work);
        const { wallet } = work.look();
        if (decision.kind !== 'balance' || !wallet) return decision;
        store.setBalance(wallet.id, wallet.balance + 1n);
        return { ...decision, balance: right.show(wallet, wallet.balance + 1n) };
      },
    }),
  },
  {
    name: 'extra-query-refused',
    breaks: ['balance.extra-query'],
    mayBreak: ['signature.query-canonical', 'signature.query-unicode', 'signature.tampered-query'],
    description: 'The wallet answers 400 to a balance call with an unknown parameter.',
    change: (right) => ({
      receive: (request, answer) =>
        [...new URLSearchParams(request.query).keys()].some((name) => name !== 'sessionID')
          ? Promise.resolve(failure({ status: 400, message: 'This request has an unknown parameter.' }))
          : right.receive(request, answer),
    }),
  },
];
