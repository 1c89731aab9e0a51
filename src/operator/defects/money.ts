import { readAmount, scaleOf, writeAmount } from '../amount.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../defect.ts';
import type { Wallet } from '../store.ts';
import { bodyOf, type Fields, rewritingFields, textOf } from './rewriting.ts';

/** Changes how a balance is written in every reply. */
function showing(right: Behaviour, write: (balance: string) => unknown): Partial<Behaviour> {
  return rewritingFields(right, (fields: Fields) => ({ ...fields, balance: write(String(fields.balance)) }));
}

/** Keeps balances as doubles beside the books. */
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

function isWithoutDecimals({ currency }: Wallet): boolean {
  return ['JPY', 'KRW', 'VND'].includes(currency);
}

/** A double in the smallest unit, with its fraction cut off. */
function cutOff(text: string, decimals: number): bigint {
  return BigInt(Math.trunc(Number(text) * 10 ** decimals));
}

export const MONEY_DEFECTS: readonly Defect[] = [
  {
    name: 'balance-number',
    breaks: ['money.decimal-string'],
    description: 'The balance is a JSON number.',
    change: (right) => showing(right, Number),
  },
  {
    name: 'balance-grouped',
    breaks: ['money.decimal-string'],
    description: 'The balance has a comma between thousands.',
    change: (right) => showing(right, (balance) => balance.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')),
  },
  {
    name: 'balance-with-currency',
    breaks: ['money.decimal-string'],
    description: 'The balance ends in the name of the currency.',
    change: (right) => showing(right, (balance) => `${balance} EUR`),
  },
  {
    name: 'balance-exponent',
    breaks: ['money.decimal-string'],
    description: 'Balances are written with an exponent.',
    change: (right) => showing(right, (balance) => Number(balance).toExponential()),
  },
  {
    name: 'balance-plus-sign',
    breaks: ['money.decimal-string'],
    description: 'The balance begins with a plus sign.',
    change: (right) => showing(right, (balance) => `+${balance}`),
  },
  {
    name: 'refund-unknown-without-balance',
    breaks: ['refund.unknown'],
    mayBreak: ['money.decimal-string'],
    description: 'The reply to a refund of an unknown bet has no balance.',
    change: (right) => {
      const nothing = new Set<unknown>();
      return {
        originalOf: (store, refund) => {
          const original = right.originalOf(store, refund);
          if (!original) nothing.add(refund.txID);
          return original;
        },
        receive: async (request, answer) => {
          const reply = await right.receive(request, answer);
          const body = bodyOf(request);
          if (!body || reply.status !== 200 || !nothing.has(body.txID)) return reply;
          const { balance: _left, ...fields } = JSON.parse(textOf(reply)) as Fields;
          return { ...reply, body: JSON.stringify(fields) };
        },
      };
    },
  },
  {
    name: 'cents',
    breaks: ['money.main-unit'],
    mayBreak: ['money.decimal-string', 'money.conservation'],
    description: 'Balances are in cents and not in the main unit.',
    change: () => ({ show: (_wallet, balance) => String(balance) }),
  },
  {
    name: 'amounts-in-cents',
    breaks: ['money.main-unit'],
    mayBreak: ['bet.decimal-amount', 'money.exact', 'money.large'],
    description: 'Amounts are taken for cents: a bet of 1.00 takes 0.01.',
    change: () => ({
      readAmount: (text, scale) => {
        const units = readAmount(text, scale);
        return units === undefined || scale.decimals > 3 ? units : units / 10n ** BigInt(scale.decimals);
      },
    }),
  },
  {
    name: 'bets-in-cents',
    breaks: ['money.main-unit'],
    mayBreak: ['bet.decimal-amount', 'money.exact', 'money.large', 'bet.exact-balance', 'bet.debit'],
    description: 'A bet of 1.00 takes 0.01; wins are right.',
    change: (right) => ({ debitOf: (bet) => right.debitOf(bet) / 100n }),
  },
  {
    name: 'float-shown',
    breaks: ['money.exact'],
    mayBreak: ['money.precision', 'money.large', 'bet.exact-balance', 'money.decimal-string'],
    description: 'Balances are doubles and are shown as they are: 0.30000000000000004.',
    change: () => {
      const doubles = new Doubles();
      return floating(doubles, (wallet) => String(doubles.of(wallet)));
    },
  },
  {
    name: 'float-hidden',
    breaks: ['money.exact'],
    mayBreak: ['bet.exact-balance', 'money.large'],
    description: 'Balances are doubles, rounded when they are shown: the last cent can sometimes not be bet.',
    change: (right) => {
      const doubles = new Doubles();
      return {
        ...floating(doubles, right.show),
        covers: (wallet, debit) => doubles.of(wallet) >= asDouble(debit, wallet),
      };
    },
  },
  {
    name: 'amount-truncated',
    breaks: ['money.exact'],
    mayBreak: ['bet.decimal-amount', 'money.large', 'robustness.bad-amount'],
    description: 'Amounts are multiplied by a hundred as doubles and cut off: a bet of 0.29 takes 0.28.',
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
    description: 'Amounts are read as doubles, so those beyond 2^53 of the smallest unit are rounded.',
    change: () => ({
      readAmount: (text, scale) => {
        const units = readAmount(text, scale);
        return units === undefined || units < 2n ** 53n || scale.decimals > 3 ? units : BigInt(Number(units));
      },
    }),
  },
  {
    name: 'decimals-refused',
    breaks: ['bet.decimal-amount'],
    mayBreak: ['money.exact'],
    description: 'Bets must be whole: one of 1.50 is refused.',
    change: () => ({
      readAmount: (text, scale) =>
        /\.\d*[1-9]/.test(text) && scale.decimals > 0 && scale.decimals < 4 ? undefined : readAmount(text, scale),
    }),
  },
  {
    name: 'decimals-cut-off',
    breaks: ['bet.decimal-amount'],
    mayBreak: ['money.exact', 'money.large', 'bet.exact-balance', 'refund.restore', 'money.main-unit'],
    description: 'The decimals of amounts are dropped: a bet of 1.50 takes 1.00.',
    change: () => ({
      readAmount: (text, scale) =>
        readAmount(text, scale) === undefined || scale.decimals > 3
          ? readAmount(text, scale)
          : readAmount(text.replace(/\..*/, ''), scale),
    }),
  },
  {
    name: 'yen-with-decimals',
    breaks: ['money.precision'],
    onlyWarns: true,
    description: 'Balances in yen, won and dong are written with two decimals.',
    change: (right) => ({
      show: (wallet, balance) => `${right.show(wallet, balance)}${isWithoutDecimals(wallet) ? '.00' : ''}`,
    }),
  },
  {
    name: 'three-decimals',
    breaks: ['money.precision'],
    onlyWarns: true,
    description: 'Balances carry a tenth of a cent, which is always 0.',
    change: (right) => ({
      show: (wallet, balance) => `${right.show(wallet, balance)}${scaleOf(wallet.currency).decimals === 2 ? '0' : ''}`,
    }),
  },
  {
    name: 'tenth-of-a-cent',
    breaks: ['money.precision'],
    mayBreak: ['bet.exact-balance', 'money.exact', 'bet.insufficient-funds'],
    description: 'Balances show a fifth of a cent that cannot be bet.',
    change: (right) => ({
      show: (wallet, balance) => `${right.show(wallet, balance)}${scaleOf(wallet.currency).decimals === 2 ? '2' : ''}`,
    }),
  },
  {
    name: 'fee-on-wins',
    breaks: ['win.credit'],
    mayBreak: [
      'money.conservation',
      'concurrency.no-lost-update',
      'free-rounds.withdrawal',
      'win.many-in-round',
      'win.retried',
      'bet.exact-balance',
      'money.exact',
    ],
    description: 'Two percent of each win are kept back.',
    change: (right) => ({ creditOf: (win) => (right.creditOf(win) * 98n) / 100n }),
  },
  {
    name: 'win-plus-bet',
    breaks: ['win.credit'],
    mayBreak: ['money.conservation', 'concurrency.no-lost-update', 'win.many-in-round', 'win.retried', 'win.zero'],
    description: 'A win pays a stake on top, as though the amount were the net win.',
    change: (right) => ({
      creditOf: (win) => (win.type === 'free' || win.frID !== null ? right.creditOf(win) : right.creditOf(win) * 2n),
    }),
  },
  {
    name: 'every-hundredth-lost',
    breaks: ['money.conservation'],
    mayBreak: ['bet.debit', 'win.credit', 'refund.restore', 'concurrency.no-lost-update', 'balance.read-only'],
    description: 'From time to time a unit vanishes from a wallet for no reason.',
    change: (right) => {
      let calls = 0;
      return {
        book: (store, wallet, moved) => {
          calls += 1;
          const balance = right.book(store, wallet, moved);
          if (calls % 25 === 0 && balance > 0n) store.setBalance(wallet.id, balance - 1n);
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
