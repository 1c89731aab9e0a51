import { type AmountScale, readAmount, scaleOf, writeAmount } from '../amount.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Wallet } from '../store.ts';
import type { Defect } from '../variation.ts';
import { booking } from './changed-steps.ts';

/** Keeps balances as doubles (floating-point numbers) in addition to the store. */
class Doubles {
  readonly #balances = new Map<number, number>();

  of(wallet: Wallet): number {
    return this.#balances.get(wallet.id) ?? asDouble(wallet.balance, wallet);
  }

  add(wallet: Wallet, moved: bigint): void {
    this.#balances.set(wallet.id, this.of(wallet) + asDouble(moved, wallet));
  }
}

function asDouble(units: bigint, { currency }: Wallet): number {
  return Number(writeAmount(units, scaleOf(currency)));
}

/** Converts a double to whole numbers of the smallest unit, and cuts off the fraction. */
function cutOff(text: string, decimals: number): bigint {
  return BigInt(Math.trunc(Number(text) * 10 ** decimals));
}

/** Rounds an amount to the nearest floating-point number with 32 bits, and returns it in the smallest unit. */
function asFloat32(units: bigint, scale: AmountScale): bigint {
  return BigInt(Math.round(Math.fround(Number(writeAmount(units, scale))) * 10 ** scale.decimals));
}

/** A hundredth of the main unit, in the smallest unit. If the currency has fewer than two decimals, the smallest unit. */
function centOf({ decimals }: AmountScale): bigint {
  return 10n ** BigInt(Math.max(decimals - 2, 0));
}

/** Replaces the wallet in BTC by a wallet in USDT that shows six decimals. */
function inUsdt(right: Behaviour): Partial<Behaviour> {
  return {
    accounts: (sessions) =>
      right
        .accounts(sessions)
        .map((one) => (one.currency === 'BTC' ? { ...one, currency: 'USDT', balance: '1000' } : one)),
    show: (wallet, balance) =>
      wallet.currency === 'USDT'
        ? writeAmount(balance / 10n ** BigInt(scaleOf('USDT').decimals - 6), { decimals: 6, padded: true })
        : right.show(wallet, balance),
  };
}

export const MONEY_DEFECTS: readonly Defect[] = [
  {
    name: 'cents',
    breaks: ['money.main-unit'],
    mayBreak: ['money.decimal-string', 'money.conservation'],
    description:
      'The balances in replies are a hundred times too high, because they are in cents. Balances in coins are right.',
    change: (right) => ({
      // The smallest unit of a coin is so small that a balance in this unit hides what players can bet.
      show: (wallet, balance) =>
        scaleOf(wallet.currency).decimals > 3 ? right.show(wallet, balance) : String(balance),
    }),
  },
  {
    name: 'reads-in-cents',
    breaks: ['money.main-unit'],
    mayBreak: ['money.decimal-string', 'money.conservation'],
    description:
      'A balance call shows 100000 for 1000.00, because it writes cents. The other calls show the right balance.',
    change: (right) => ({
      carryOut: async (store, work) => {
        const decision = await right.carryOut(store, work);
        const { wallet } = work.look();
        return decision.kind === 'balance' && wallet ? { ...decision, balance: String(wallet.balance) } : decision;
      },
    }),
  },
  {
    name: 'amounts-in-cents',
    breaks: ['money.main-unit'],
    mayBreak: ['bet.decimal-amount', 'money.exact', 'money.large'],
    description: 'Amounts are read as cents: only a hundredth of each amount is booked, so a bet of 1.00 takes 0.01.',
    change: () => ({
      readAmount: (text, scale) => {
        const units = readAmount(text, scale);
        return units === undefined || scale.decimals > 3 ? units : units / 10n ** BigInt(scale.decimals);
      },
    }),
  },
  {
    name: 'amounts-in-cents-rounded',
    breaks: ['money.main-unit'],
    description:
      'Amounts are read as cents and rounded: a bet of 1.00 takes 0.01, a bet of 1.50 takes 0.02, and a bet of 0.40 takes nothing.',
    change: () => ({
      readAmount: (text, scale) => {
        const units = readAmount(text, scale);
        return units === undefined || scale.decimals > 3 ? units : (units + 50n) / 100n;
      },
    }),
  },
  {
    name: 'bets-in-cents',
    breaks: ['money.main-unit'],
    mayBreak: ['bet.decimal-amount', 'money.exact', 'money.large', 'bet.exact-balance', 'bet.debit'],
    description:
      'A bet of 1.00 takes only 0.01, because the wallet divides the amount of a bet by a hundred once too often. Wins are correct.',
    change: (right) => ({ debitOf: (bet) => right.debitOf(bet) / 100n }),
  },
  {
    name: 'float-shown',
    breaks: ['money.exact'],
    mayBreak: ['money.precision', 'money.large', 'bet.exact-balance', 'money.decimal-string'],
    description:
      'Balances look like 0.30000000000000004, because they are doubles (floating-point numbers) and are not rounded.',
    change: () => {
      const doubles = new Doubles();
      return floating(doubles, (wallet) => String(doubles.of(wallet)));
    },
  },
  {
    name: 'money-compared-as-text',
    breaks: ['bet.exact-balance'],
    mayBreak: ['bet.insufficient-funds'],
    description:
      'A bet of 2.00 is declined as too high with 1234.56 in the wallet: the wallet compares the two as texts, and 2 comes after 1.',
    change: () => ({
      covers: (wallet, debit) => {
        const scale = scaleOf(wallet.currency);
        return writeAmount(wallet.balance, scale) >= writeAmount(debit, scale);
      },
    }),
  },
  {
    name: 'float-hidden',
    breaks: ['money.exact'],
    mayBreak: ['bet.exact-balance', 'money.large'],
    description:
      'Sometimes the player cannot bet the last cent of the balance: balances are doubles, and are rounded only in replies.',
    change: (right) => {
      const doubles = new Doubles();
      return {
        ...floating(doubles, right.show),
        covers: (wallet, debit) => doubles.of(wallet) >= asDouble(debit, wallet),
      };
    },
  },
  {
    name: 'float32',
    breaks: ['money.exact'],
    mayBreak: ['bet.exact-balance', 'money.large', 'bet.decimal-amount'],
    description:
      'Balances are wrong by some cents, because the wallet keeps amounts and balances as floating-point numbers with only 32 bits.',
    change: (right) => ({
      // With this balance, the nearest numbers with 32 bits are about three cents apart.
      accounts: (sessions) =>
        right
          .accounts(sessions)
          .map((one) => (one.currency === 'USD' && one.state === 'active' ? { ...one, balance: '400000.00' } : one)),
      readAmount: (text, scale) => {
        const units = readAmount(text, scale);
        return units === undefined || scale.decimals > 3 ? units : asFloat32(units, scale);
      },
      book: (store, wallet, moved) => {
        const scale = scaleOf(wallet.currency);
        const sum = wallet.balance + moved;
        const balance = scale.decimals > 3 ? sum : asFloat32(sum, scale);
        if (moved !== 0n) store.setBalance(wallet.id, balance);
        return balance;
      },
    }),
  },
  {
    name: 'amount-truncated',
    breaks: ['money.exact'],
    mayBreak: ['bet.decimal-amount', 'money.large', 'robustness.bad-amount'],
    description:
      'A bet of 0.29 takes 0.28: the wallet multiplies amounts by a hundred as doubles, and cuts off the fraction.',
    change: () => ({
      readAmount: (text, scale) =>
        scale.decimals > 3
          ? readAmount(text, scale)
          : readAmount(text, scale) === undefined
            ? undefined
            : cutOff(text, scale.decimals),
    }),
  },
  {
    name: 'large-amounts-double',
    breaks: ['money.large'],
    description:
      'A win of 90071992547409.93 is credited as 90071992547409.94: amounts are read as doubles. A double is not exact above 2^53 times the smallest unit of the currency.',
    change: () => ({
      readAmount: (text, scale) => {
        const units = readAmount(text, scale);
        return units === undefined || units < 2n ** 53n || scale.decimals > 8 ? units : BigInt(Number(units));
      },
    }),
  },
  {
    name: 'decimals-refused',
    breaks: ['bet.decimal-amount'],
    mayBreak: ['money.exact'],
    description: 'The wallet refuses a bet of 1.50, because it accepts only whole amounts.',
    change: () => ({
      readAmount: (text, scale) =>
        /\.\d*[1-9]/.test(text) && scale.decimals > 0 && scale.decimals < 4 ? undefined : readAmount(text, scale),
    }),
  },
  {
    name: 'whole-bets-only',
    breaks: ['bet.decimal-amount'],
    description:
      'Players cannot bet 1.50: the wallet declines every bet with decimals. In BTC, it declines all usual bets with the same text.',
    change: (right) => ({
      objection: (store, claim, session) => {
        const { call, walletID, amount } = claim;
        if (call !== 'bet' || walletID === null || amount === null) return right.objection(store, claim, session);
        const whole = 10n ** BigInt(scaleOf(store.wallet(walletID).currency).decimals);
        return amount % whole === 0n ? right.objection(store, claim, session) : 'own-limit';
      },
    }),
  },
  {
    name: 'decimals-cut-off',
    breaks: ['bet.decimal-amount'],
    mayBreak: ['money.exact', 'money.large', 'bet.exact-balance', 'refund.restore', 'money.main-unit'],
    description: 'A bet of 1.50 takes 1.00, because the wallet cuts off the decimals of amounts.',
    change: () => ({
      readAmount: (text, scale) =>
        readAmount(text, scale) === undefined || scale.decimals > 3
          ? readAmount(text, scale)
          : readAmount(text.replace(/\..*/, ''), scale),
    }),
  },
  {
    name: 'coins-kept-in-cents',
    breaks: ['bet.decimal-amount'],
    mayBreak: ['money.exact', 'bet.debit', 'win.credit'],
    description:
      'A bet of 1.000025 USDT takes 1.00: the wallet shows six decimals, but rounds amounts to two decimals before it books them. In currencies with cents, everything is right.',
    change: (right) => ({
      ...inUsdt(right),
      readAmount: (text, scale) => {
        const units = right.readAmount(text, scale);
        const cent = centOf(scale);
        return units === undefined ? undefined : ((units + cent / 2n) / cent) * cent;
      },
    }),
  },
  {
    name: 'refund-of-coins-in-cents',
    breaks: ['money.exact'],
    mayBreak: ['refund.restore'],
    description:
      'The refund of a bet of 1.000025 USDT gives back 1.00: the wallet keeps six decimals, but refunds only whole cents.',
    change: (right) => ({
      ...inUsdt(right),
      ...booking(right, (store, { call, walletID, moved }) =>
        call === 'refund' && walletID !== null
          ? moved - (moved % centOf(scaleOf(store.wallet(walletID).currency)))
          : moved,
      ),
    }),
  },
  {
    name: 'rounded-to-five-cents',
    breaks: ['money.exact'],
    mayBreak: ['bet.decimal-amount', 'money.large', 'bet.insufficient-funds'],
    description: 'Bets and wins are rounded to five cents, like cash.',
    change: (right) => ({
      readAmount: (text, scale) => {
        const units = right.readAmount(text, scale);
        return units === undefined || readAmount('1', scale) === 1n ? units : ((units + 2n) / 5n) * 5n;
      },
    }),
  },
  {
    name: 'one-decimal-misread',
    breaks: ['bet.decimal-amount'],
    mayBreak: ['money.exact', 'win.credit'],
    description: 'A bet of 1.5 takes 1.05, because the wallet reads the digits after the point as a number of cents.',
    change: (right) => ({
      readAmount: (text, scale) => right.readAmount(text.replace(/^(\d+)\.(\d)$/, '$1.0$2'), scale),
    }),
  },
  {
    name: 'unit-vanishes',
    breaks: ['money.conservation'],
    // The unit may disappear during any call, so the defect may break a rule about any call.
    mayBreak: [
      'bet.debit',
      'bet.many-in-round',
      'win.credit',
      'win.many-in-round',
      'money.large',
      'refund.restore',
      'concurrency.no-lost-update',
      'balance.read-only',
    ],
    description: 'Sometimes one smallest unit of the currency disappears from a wallet without a transaction.',
    change: (right) => {
      let calls = 0;
      return {
        book: (store, wallet, moved) => {
          const balance = right.book(store, wallet, moved);
          // Only whole amounts lose a unit. With an amount that has decimals, the missing unit would look like a rounding error.
          if (moved % 10n ** BigInt(scaleOf(wallet.currency).decimals) !== 0n) return balance;
          calls += 1;
          if (calls % 15 === 0 && balance > 0n) store.setBalance(wallet.id, balance - 1n);
          return balance;
        },
      };
    },
  },
];

function floating(doubles: Doubles, show: Behaviour['show']): Partial<Behaviour> {
  return {
    book: (store, wallet, moved) => {
      if (moved !== 0n) {
        doubles.add(wallet, moved);
        store.setBalance(wallet.id, wallet.balance + moved);
      }
      return wallet.balance + moved;
    },
    show: (wallet, balance) => show(wallet, balance),
  };
}
