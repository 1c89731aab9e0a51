import { expect, it } from 'vitest';
import { knownGroups } from '../../src/journal/baseline.ts';
import { conclude } from '../../src/journal/conclusion.ts';
import type { KnownFailure } from '../../src/journal/event.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { knownInOrder, knownSentence } from '../../src/report/known-failures.ts';
import { ended, found, planned, runEnded, runStarted, started } from './events.ts';

const known = (line: number, more: Partial<KnownFailure>): KnownFailure => ({
  rule: 'refund.one-of-many',
  endpoint: null,
  scenario: null,
  reason: 'known before',
  ticket: 'PAY-9',
  expires: '2999-01-01',
  line,
  tried: true,
  ...more,
});

const PASSES = { passes: { 'refund.one-of-many': { '*': 1 } } };

/** A run in which `refund.one-of-many` passes in two scenarios, and in which `refund.restore` fails in one of them. */
const foldOf = (baseline: readonly KnownFailure[]) =>
  foldJournal([
    {
      ...runStarted([planned('refund/many', ['refund.one-of-many']), planned('refund/other', ['refund.one-of-many'])]),
      baseline: { file: 'b.yaml', known: baseline },
    },
    started('refund/many'),
    found('refund/many', 'refund.restore', 'fail'),
    ended('refund/many', { verdict: 'fail', ...PASSES }),
    started('refund/other'),
    ended('refund/other', PASSES),
    runEnded(),
  ]);

const listed = known(9, { rule: 'refund.restore' });

it.each([
  ['passed', 'a new failure in one of its scenarios may hide it', known(1, {}), []],
  ['passed', 'a new failure in its only scenario may hide it', known(1, { scenario: 'refund/many' }), []],
  ['fixed', 'the new failure is in another scenario', known(1, { scenario: 'refund/other' }), []],
  ['fixed', 'the baseline lists the other failure', known(1, {}), [listed]],
] as const)('an entry whose rule passes is %s if %s', async (state, _, entry, others) => {
  const fold = await foldOf([entry, ...others]);
  const [group] = knownGroups(fold.baseline);
  expect(group).toMatchObject({ state });
  expect(conclude(fold).firstLine.includes('remove its entry')).toBe(state === 'fixed');
  if (group && state === 'passed')
    expect(knownSentence(group)).toBe(
      'passed this time, but a new failure in the same scenario may hide it. Keep the entry at line 1 of the baseline (PAY-9) until the new failure is fixed',
    );
});

it('an entry for several scenarios stays as a whole if a new failure in one of them may hide its failure', async () => {
  const { baseline } = await foldOf([known(1, { scenario: 'refund/other' }), known(1, { scenario: 'refund/many' })]);
  expect(knownGroups(baseline)).toMatchObject([
    { state: 'passed', mayBeHidden: true, scenarios: ['refund/other', 'refund/many'] },
  ]);
});

it('an entry that only allows that a rule stays undecided says that the rule fails, if it fails', async () => {
  const fold = await foldOf([known(1, { rule: 'refund.restore', undecided: true })]);
  expect(knownInOrder(fold)).toMatchObject([
    {
      look: 'fail',
      sentence:
        'fails in this run. The entry at line 1 of the baseline allows only that the rule stays undecided (PAY-9)',
    },
  ]);
});
