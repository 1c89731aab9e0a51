import { readAmount, scaleOf, writeAmount } from '../amount.ts';
import type { Behaviour } from '../behaviour.ts';
import { type Fields, rewritingFields } from '../rewriting.ts';
import type { Wallet } from '../store.ts';
import type { Defect } from '../variation.ts';

/** Changes the text of the balance in every reply. */
function showing(right: Behaviour, write: (balance: string) => unknown): Partial<Behaviour> {
  return rewritingFields(right, (fields: Fields) => ({ ...fields, balance: write(String(fields.balance)) }));
}

function isWithoutDecimals({ currency }: Wallet): boolean {
  return ['JPY', 'KRW', 'VND'].includes(currency);
}

export const SHOWN_BALANCE_DEFECTS: readonly Defect[] = [
  {
    name: 'balance-number',
    breaks: ['money.decimal-string'],
    description: 'The balance is a JSON number instead of a string.',
    change: (right) => showing(right, Number),
  },
  {
    name: 'balance-left-out-at-zero',
    breaks: ['balance.read', 'money.decimal-string'],
    mayBreak: ['bet.exact-balance'],
    description: 'A reply has no balance if the balance is 0, because the wallet leaves out empty fields of the JSON.',
    change: (right) => showing(right, (balance) => (Number(balance) === 0 ? undefined : balance)),
  },
  {
    name: 'balance-loses-zeros',
    breaks: ['money.main-unit'],
    mayBreak: ['bet.insufficient-funds', 'bet.exact-balance', 'money.precision'],
    description: 'A balance of 1000.00 is shown as 1: the wallet cuts off all zeros and dots at the end.',
    change: (right) => showing(right, (balance) => balance.replace(/(?<![0.])[0.]+$/, '') || '0'),
  },
  {
    name: 'balance-cents-not-padded',
    breaks: ['money.exact'],
    mayBreak: ['bet.exact-balance', 'bet.insufficient-funds'],
    description: 'A balance of 5.05 is shown as 5.5: the wallet writes the cents without the zero before them.',
    change: (right) => showing(right, (balance) => balance.replace(/\.0+(?=[1-9])/, '.')),
  },
  {
    name: 'balance-grouped',
    breaks: ['money.decimal-string'],
    description: 'Balances of a thousand and more have commas: "1,000.00".',
    change: (right) => showing(right, (balance) => balance.replace(/\B(?=(\d{3}){1,9}(?!\d))(?<!\.\d{0,9})/g, ',')),
  },
  {
    name: 'balance-in-german',
    breaks: ['money.decimal-string'],
    description:
      'Balances with decimals are written as in Germany, with a decimal comma and points between the thousands: "1.000,00".',
    change: (right) =>
      showing(right, (balance) =>
        balance.includes('.')
          ? balance.replace('.', ',').replace(/\B(?=(\d{3}){1,9}(?!\d))(?<!,\d{0,9})/g, '.')
          : balance,
      ),
  },
  {
    name: 'balance-with-currency',
    breaks: ['money.decimal-string'],
    description: 'The balance ends with the name of the currency: "10.00 EUR".',
    change: (right) => showing(right, (balance) => `${balance} EUR`),
  },
  {
    name: 'balance-exponent',
    breaks: ['money.decimal-string'],
    description: 'Balances are written with an exponent: "1000.00e0".',
    change: (right) => showing(right, (balance) => `${balance}e0`),
  },
  {
    name: 'balance-exponent-when-small',
    breaks: ['money.decimal-string'],
    description: 'Balances below a thousandth are written with an exponent: "1e-8".',
    change: (right) =>
      showing(right, (balance) =>
        Number(balance) > 0 && Number(balance) < 0.001 ? Number(balance).toExponential() : balance,
      ),
  },
  {
    name: 'balance-without-leading-zero',
    breaks: ['money.decimal-string'],
    description: 'Balances below 1 begin with the point: ".50".',
    change: (right) => showing(right, (balance) => (/^0\.0*[1-9]/.test(balance) ? balance.slice(1) : balance)),
  },
  {
    name: 'balance-plus-sign',
    breaks: ['money.decimal-string'],
    description: 'Balances begin with a plus sign: "+10.00".',
    change: (right) => showing(right, (balance) => `+${balance}`),
  },
  {
    name: 'shown-in-whole-units',
    breaks: ['money.exact'],
    mayBreak: ['bet.decimal-amount', 'bet.insufficient-funds', 'money.large'],
    description: 'Replies round balances to whole units of the currency, and only the stored balances have cents.',
    change: () => ({
      show: ({ currency }, balance) => {
        const scale = scaleOf(currency);
        const main = readAmount('1', scale) ?? 1n;
        return writeAmount(((balance + main / 2n) / main) * main, scale);
      },
    }),
  },
  {
    name: 'reads-in-whole-units',
    breaks: ['money.exact'],
    mayBreak: ['bet.decimal-amount', 'bet.insufficient-funds', 'bet.exact-balance', 'refund.restore', 'balance.read'],
    description:
      'A balance call shows 1000 for 1000.75: it cuts off the decimals. The other calls show the right balance.',
    change: (right) => ({
      carryOut: async (store, work) => {
        const decision = await right.carryOut(store, work);
        if (decision.kind !== 'balance') return decision;
        return { ...decision, balance: decision.balance.replace(/\..*/, '') };
      },
    }),
  },
  {
    name: 'yen-with-decimals',
    breaks: ['money.precision'],
    onlyWarns: true,
    description: 'Balances in yen, won and dong end with .00, although these currencies have no decimals.',
    change: (right) => ({
      show: (wallet, balance) => `${right.show(wallet, balance)}${isWithoutDecimals(wallet) ? '.00' : ''}`,
    }),
  },
  {
    name: 'three-decimals',
    breaks: ['money.precision'],
    onlyWarns: true,
    description: 'Balances have three decimals, and the last is always 0.',
    change: (right) => ({
      show: (wallet, balance) => `${right.show(wallet, balance)}${scaleOf(wallet.currency).decimals === 2 ? '0' : ''}`,
    }),
  },
  {
    name: 'tenth-of-a-cent',
    breaks: ['money.precision'],
    mayBreak: ['bet.exact-balance', 'money.exact', 'bet.insufficient-funds'],
    description:
      'The wallet adds interest, so balances have more decimals than the currency. Nobody can bet this fraction of a cent.',
    change: (right) => ({
      show: (wallet, balance) => `${right.show(wallet, balance)}${scaleOf(wallet.currency).decimals === 2 ? '2' : ''}`,
    }),
  },
];
