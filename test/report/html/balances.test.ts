import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { type BalancePoint, balanceCharts } from '../../../src/report/html/balances.ts';
import { html } from '../../../src/report/html/markup.ts';

/** The height of the digits of a label, in pixels. */
const DIGITS = 9;

function point(label: string, reportedText: string, isPresent: boolean): BalancePoint {
  return {
    id: `${label} ${reportedText}`,
    label,
    player: 'anna',
    currency: 'USD',
    reported: Money.of(reportedText),
    reportedText,
    should: [],
    shouldText: '',
    isPresent,
    isRestoring: false,
    isOff: false,
  };
}

it('draws the labels of a race beside the line of the balances, and above the names of the calls', () => {
  const points = [
    point('balance', '1000.00', true),
    point('bet 1.00', '900.00', false),
    point('bet 1.00', '0.00', false),
    point('balance', '0.00', true),
  ];
  const { text } = html`${balanceCharts(points)}`;
  const labels = [...text.matchAll(/<text[^>]* x="([\d.]+)" y="([\d.]+)">([^<]*)</g)].map(([, x, y, of = '']) => ({
    x: Number(x),
    y: Number(y),
    of,
  }));
  const [line] = [...text.matchAll(/class="reported" d="M[\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
  const highest = labels.find(({ of }) => of === '900.00');
  const lowest = labels.find(({ of, x }) => of === '0.00' && x === highest?.x);
  const call = labels.find(({ of }) => of === 'bet × 2');
  expect(highest?.y).toBeLessThan(line ?? 0);
  expect((call?.y ?? 0) - DIGITS).toBeGreaterThan((lowest?.y ?? 0) + 2);
});
