import { expect, it } from 'vitest';
import { concludeLoad, type LoadFacts } from '../../../src/journal/load/result.ts';
import { loadHtml } from '../../../src/report/load/html.ts';
import { loadText } from '../../../src/report/load/text.ts';
import { PLAIN } from '../../../src/report/paint.ts';
import { RIGHT_LOAD } from '../../load/load-result.ts';

const PROBLEM: LoadFacts['money']['problems'][number] = {
  player: 'anna',
  sessionID: 's-1',
  currency: 'EUR',
  rule: 'money.conservation',
  expected: '9.74',
  shown: '10.00',
  difference: '0.26',
  transactions: [],
  possibleTransactions: [
    {
      call: 'win',
      txID: 'w-1',
      roundID: 'r-1',
      sessionID: 's-1',
      amount: '1.80',
      what: "moved 2.06, the amount of another player's bet b-1 at the same moment",
      atMs: 4,
    },
  ],
  isOneOfSeveral: false,
  windowSize: 3,
  atMs: 5,
  isDrift: true,
  hasMovedInSilence: false,
  replay: 'croupier replay',
};

it('a transaction that fits a wrong balance only by chance is named as a possibility, and the test stays undecided', () => {
  const facts = { ...RIGHT_LOAD, money: { ...RIGHT_LOAD.money, problems: [PROBLEM], problemCount: 1 } };
  const result = { ...concludeLoad(facts), ...facts };
  expect(result.verdict).toBe('UNDECIDED');
  const what = "win w-1 of 1.80 EUR moved 2.06, the amount of another player's bet b-1 at the same moment";
  const text = loadText(result, { paint: PLAIN, width: 80, unicode: true });
  expect(text).toContain('changed, and no transaction explains this for certain. Either somebody else used the wallet');
  expect(text).toContain(`    perhaps ${what}. This may also fit by chance\n`);
  expect(loadHtml(result)).toContain('Perhaps win <code>w-1</code> of 1.80 moved 2.06');
});

it('the page says what the text says: the exact balances, the sign of a difference, declined bets and what is owed', () => {
  const pageOf = (own: Partial<LoadFacts>): string => {
    const facts = { ...RIGHT_LOAD, ...own };
    return loadHtml({ ...concludeLoad(facts), ...facts });
  };
  const load = { ...RIGHT_LOAD.load, interrupted: 'SIGINT' } as const;
  expect(pageOf({ load })).toContain('2 balances of acme are exact after 10 transactions, but SIGINT interrupted');
  const owed = [{ player: 'anna', call: 'win', txID: 'w-1', amount: '1.00' }] as const;
  const money = { ...RIGHT_LOAD.money, problems: [PROBLEM], problemCount: 1, owed: [...owed], healed: 1 };
  const freeRounds = { campaign: 'spring', bets: 0, declined: 3 };
  const page = pageOf({ money, declinedBets: 2, freeRounds });
  expect(page).toContain('<h3>anna: +0.26 EUR</h3>');
  expect(page).toContain('<dt>Declined</dt><dd>2 bets</dd>');
  expect(page).toContain('3 declined and none accepted. Does the operator know the campaign spring?');
  expect(page).toContain('1 balance became right only after the linger');
  expect(page).toContain('<code>croupier settle load.ndjson</code>');
});

it.each([
  [1, ['4', '3', '2', '1', '0']],
  [5, ['8', '6', '4', '2', '0']],
  [11, ['12', '9', '6', '3', '0']],
  [101, ['120', '90', '60', '30', '0']],
])('a chart of at most %d errors per second has whole numbers as labels', (errors, labels) => {
  const second = { second: 0, asked: null, sent: 0, errors, p50: null, p99: null, p999: null };
  const facts = { ...RIGHT_LOAD, seconds: [second] };
  const page = loadHtml({ ...concludeLoad(facts), ...facts });
  const chart = page.slice(page.indexOf('id="errors-over-time"'));
  const texts = chart.slice(chart.indexOf('class="ys"'), chart.indexOf('<svg')).match(/(?<=<span>)[^<]+/gu);
  expect(texts).toEqual(labels);
});
