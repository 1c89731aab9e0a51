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
