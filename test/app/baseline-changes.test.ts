import { expect, it } from 'vitest';
import { type BaselineChange, changeLines } from '../../src/app/baseline-changes.ts';
import { mergeBaseline } from '../../src/app/baseline-merge.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { attributed, ended, found, planned, runEnded, runStarted, started } from '../journal/events.ts';

const TEXTS = '  reason: ours\n  ticket: PAY-1\n  expires: 2999-12-31\n';
const SCENARIOS = [
  planned('bet/debit', ['bet.debit', 'win.zero']),
  planned('bet/zero', ['bet.zero']),
  planned('win/credit', ['win.credit']),
];

it('an update of a baseline says what it adds, extends and removes, and why', async () => {
  const wrongSum = { amount: '-2', currency: 'USD' };
  const fold = await foldJournal([
    runStarted(SCENARIOS),
    started('bet/debit'),
    found('bet/debit', 'bet.debit', 'fail', { wrongSum }),
    found('bet/debit', 'win.zero', 'inconclusive', { causes: ['bet.debit'], wrongSum }),
    attributed('win.zero', 'bet.debit', { scenario: 'bet/debit' }),
    found('bet/debit', 'signature.mismatch', 'fail', { endpoint: 'bet' }),
    ended('bet/debit'),
    started('bet/zero'),
    found('bet/zero', 'signature.mismatch', 'fail', { endpoint: 'bet' }),
    ended('bet/zero'),
    started('win/credit'),
    ended('win/credit', { passes: { 'win.credit': { '*': 1 }, 'bet.zero': { '*': 1 } } }),
    runEnded(),
  ]);
  const entries = [
    `- rule: win.credit\n  client: acme\n${TEXTS}`,
    `- rule: bet.debit\n  client: acme\n  money: 1 USD\n${TEXTS}`,
    `- rule: bet.zero\n  client: acme\n  undecided: true\n${TEXTS}`,
  ];
  const { text, changes } = mergeBaseline(entries.join(''), 'b.yaml', {
    ...fold,
    baseline: [
      {
        known: {
          rule: 'win.credit',
          endpoint: null,
          scenario: null,
          reason: '',
          ticket: '',
          expires: '2999-12-31',
          line: 1,
          tried: true,
        },
        state: 'fixed',
        failed: 0,
        checks: 1,
      },
    ],
  });
  expect(changeLines(changes)).toEqual([
    'Added: signature.mismatch at bet in bet/debit and 1 more scenario',
    'Added: win.zero, which may stay undecided',
    'Extended: bet.debit (PAY-1, line 6): moneyIn',
    'Removed: win.credit (PAY-1, line 1), because it no longer fails',
    'Removed: bet.zero (PAY-1, line 12) as undecided, because it is decided again',
    'The entries of fixed failures are now removed. You need not remove them yourself.',
  ]);
  expect(changeLines(mergeBaseline(text, 'b.yaml', fold).changes)).toEqual(['No entry of the baseline has changed.']);
});

it('an update of a baseline describes at most ten changes, and counts the others', () => {
  const change: BaselineChange = {
    kind: 'replaced',
    rule: 'win.credit',
    endpoint: null,
    scenarios: ['win/credit'],
    isUndecided: false,
    keys: [],
  };
  const line = 'Removed: win.credit in win/credit, because an entry for all scenarios replaces it';
  const ten = Array.from({ length: 10 }, () => change);
  expect(changeLines(ten)).toEqual(ten.map(() => line));
  expect(changeLines([...ten, change, change])).toEqual([...ten.map(() => line), 'And 2 more changes.']);
});
