import { type AmountScale, readAmount, scaleOf, writeAmount } from '../amount.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Variant } from '../variation.ts';

/** A wallet in a currency that is not fiat. It replaces the wallet in BTC. */
interface CoinWallet {
  readonly name: string;
  readonly description: string;
  readonly currency: string;
  readonly balance: string;
  /** The number of decimals that the wallet stores, and whether the wallet writes zeros at the end of balances. */
  readonly scale: AmountScale;
  /**
   * The wallet's behaviour if an amount has more decimals than the wallet stores: it declines the call, or cuts off the additional
   * decimals.
   */
  readonly finer: 'declined' | 'cut';
}

/** Returns a variant in which the BTC wallet of the reference operator has the given currency, balance and number of decimals. */
function coinWallet({ name, description, currency, balance, scale, finer }: CoinWallet): Variant {
  const isCoin = (amounts: AmountScale): boolean => amounts.decimals === scaleOf(currency).decimals;
  const step = 10n ** BigInt(scaleOf(currency).decimals - scale.decimals);
  const tooFine = new RegExp(`(\\.\\d{${scale.decimals}})\\d+$`);
  return {
    name,
    description,
    change: (right) => ({
      accounts: (sessions) =>
        right.accounts(sessions).map((one) => (one.currency === 'BTC' ? { ...one, currency, balance } : one)),
      readAmount: (text, amounts) => {
        if (!isCoin(amounts)) return right.readAmount(text, amounts);
        const units = readAmount(finer === 'cut' ? text.replace(tooFine, '$1') : text, scale);
        return units === undefined ? undefined : units * step;
      },
      show: (wallet, stored) =>
        wallet.currency === currency ? writeAmount(stored / step, scale) : right.show(wallet, stored),
    }),
  };
}

/** In currencies with two decimals, books the third decimal of bets, and shows it in balances if it is not zero. */
function keepingThirdDecimal(right: Behaviour): Partial<Behaviour> {
  const thousandths = new Map<string, bigint>();
  const taken = new Map<number, bigint>();
  let moving = 0n;
  return {
    verify: {
      ...right.verify,
      bet: (signed) => {
        const verified = right.verify.bet(signed);
        const third = verified.kind === 'call' ? /\.\d\d(\d)$/.exec(verified.call.amount)?.[1] : undefined;
        if (verified.kind === 'call' && third !== undefined) thousandths.set(verified.call.txID, BigInt(third));
        return verified;
      },
    },
    readAmount: (text, scale) =>
      right.readAmount(scale.decimals === 2 && /\.\d{3}$/.test(text) ? text.slice(0, -1) : text, scale),
    debitOf: (bet) => {
      moving = thousandths.get(bet.txID) ?? 0n;
      return right.debitOf(bet);
    },
    creditOf: (win) => {
      moving = 0n;
      return right.creditOf(win);
    },
    restoredBy: (refund, original) => {
      const restored = right.restoredBy(refund, original);
      moving = restored > 0n ? -(thousandths.get(original?.txID ?? '') ?? 0n) : 0n;
      return restored;
    },
    book: (store, wallet, moved) => {
      taken.set(wallet.id, (taken.get(wallet.id) ?? 0n) + moving);
      return right.book(store, wallet, moved);
    },
    show: (wallet, balance) => {
      const fine = taken.get(wallet.id) ?? 0n;
      return fine === 0n
        ? right.show(wallet, balance)
        : writeAmount(balance * 10n - fine, { decimals: 3, padded: true });
    },
  };
}

/**
 * Correct variants of wallets that store unusual numbers of decimals. For currencies that are not fiat, the contract states no
 * number of decimals.
 */
export const COIN_VARIANTS: readonly Variant[] = [
  coinWallet({
    name: 'coins-six-decimals',
    description: 'A wallet in USDT has 6 decimals. Amounts with more decimals are declined with 400.',
    currency: 'USDT',
    balance: '1000',
    scale: { decimals: 6, padded: true },
    finer: 'declined',
  }),
  coinWallet({
    name: 'coins-five-decimals-cut',
    description: 'A wallet in mBCH has 5 decimals. Further decimals of an amount are cut off.',
    currency: 'mBCH',
    balance: '1000',
    scale: { decimals: 5, padded: true },
    finer: 'cut',
  }),
  coinWallet({
    name: 'coins-two-decimals',
    description: 'A wallet in uBTC has 2 decimals. Amounts with more decimals are declined with 400.',
    currency: 'uBTC',
    balance: '50000',
    scale: { decimals: 2, padded: true },
    finer: 'declined',
  }),
  coinWallet({
    name: 'coins-zeros-dropped',
    description: 'A wallet in ETH has 6 decimals, but its balance of 12.500000 is written as 12.5.',
    currency: 'ETH',
    balance: '12.5',
    scale: { decimals: 6, padded: false },
    finer: 'declined',
  }),
  coinWallet({
    name: 'coins-whole-balance',
    description: 'A wallet in BTC has 2 decimals, but its balance of 40.00 is written as 40.',
    currency: 'BTC',
    balance: '40',
    scale: { decimals: 2, padded: false },
    finer: 'cut',
  }),
  {
    name: 'third-decimal-kept',
    mayWarn: ['robustness.bad-amount', 'money.precision'],
    description:
      'A bet of 1.005 takes 1.005, and the balance then shows three decimals. The service never sends such a bet.',
    change: keepingThirdDecimal,
  },
];
