import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';

/**
 * The approximate value of one US dollar in each currency. Approximate values are enough for demo balances and for the bets of free
 * rounds. With the real rates of the day, tests would have different results on different days.
 */
const PER_USD = `
AED 3.7 ALL 93 AMD 390 ARS 1000 AUD 1.5 AZN 1.7 BAM 1.8 BDT 120 BGN 1.8 BND 1.3 BOB 6.9 BRL 5.4 BYN 3.3 CAD 1.4 CDF 2800
CHF 0.88 CNY 7.2 COP 4000 CRC 510 CZK 23 DKK 6.9 DOP 60 EUR 0.92 GBP 0.78 GEL 2.7 GHS 15 GTQ 7.7 HKD 7.8 HUF 360 HTG 130
IDR 16000 ILS 3.7 INR 84 IQD 1300 IRR 42000 KES 130 KGS 87 KHR 4100 KZT 480 LAK 22000 LKR 300 MAD 9.9 MDL 18 MKD 57
MMK 2100 MXN 18 MNT 3400 MVR 15 MYR 4.4 NGN 1600 NOK 11 NPR 134 NZD 1.7 PEN 3.7 PHP 57 PKR 280 PLN 4 RON 4.6 RSD 108
RUB 90 SAR 3.8 SEK 10.5 SGD 1.3 SZL 18 THB 35 TJS 10.9 TMT 3.5 TND 3.1 TRY 34 TTD 6.8 TWD 32 TZS 2700 UAH 41 USD 1
UYU 41 UZS 12700 ZAR 18 ZMW 26 KWD 0.31 EGP 48 JOD 0.71 HRK 6.9 BHD 0.38 QAR 3.6 BTN 84 OMR 0.38 AOA 900 BZD 2 DZD 134
ETB 120 MZN 64 SDG 600 VES 40 BMD 1
JPY 150 KRW 1350 VND 25000 CLP 940 ISK 138 PYG 7700 RWF 1350 UGX 3700 XAF 600 XOF 600
ADA 2 BCH 0.0025 mBCH 2.5 DOT 0.2 LUNA 2.5 UNI 0.12 XLM 8 XRP 1.7 LTC 0.012 mLTC 12 TRX 6 USDT 1 USDC 1 DOGE 7 MATIC 2
SOL 0.006 BNB 0.0017 SHIB 55000 ETH 0.0004 mETH 0.4 BTC 0.000015 uBTC 15 TON 0.2 nanoTON 200000000 microTON 200000
milliTON 200
FUN 1`;

const RATES: ReadonlyMap<string, Money> = new Map(
  [...PER_USD.matchAll(/(?<!\S)(\S+) (\S+)/g)].map(([, code = '', rate = '']) => [code, Money.of(rate)]),
);

/** The maximum number of decimals of a rounded amount, for a currency that has no fixed number of decimals. */
const MAX_DECIMALS = 9;

/**
 * Returns the largest round amount that is worth at most the given dollars. A round amount is 1, 2 or 5 of the smallest
 * unit, times a power of ten.
 */
export function convertUsdRounded(dollars: Money, code: string): Money {
  const exact = convertUsd(dollars, code);
  const unit = Money.unit(currencyByCode(code)?.decimals ?? MAX_DECIMALS);
  let chosen = unit;
  for (let zeros = 0; ; zeros += 1) {
    for (const digit of [1, 2, 5]) {
      const next = unit.times(Money.of(String(digit))).shift(zeros);
      if (next.compare(exact) > 0) return chosen;
      chosen = next;
    }
  }
}

/**
 * Converts an amount of US dollars to a currency. If croupier does not know the currency, one main unit of it counts as one dollar.
 */
export function convertUsd(dollars: Money, code: string): Money {
  return dollars.times(RATES.get(code) ?? Money.of('1'));
}
