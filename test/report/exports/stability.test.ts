import { expect, it } from 'vitest';
import type { KnownFailure } from '../../../src/journal/event.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { failingPlaces } from '../../../src/report/exports/baseline.ts';
import { mayShowMore } from '../../../src/report/exports/stability.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';

const WRONG = { wrongSum: { amount: '1', currency: 'USD' } };
const LISTED: KnownFailure = {
  rule: 'bet.debit',
  endpoint: null,
  scenario: null,
  reason: 'known before',
  ticket: 'PAY-9',
  expires: '2999-01-01',
  line: 1,
  tried: true,
};

/** Says whether another run may show more failures than a run in which a rule fails once. */
async function mayDiffer(rule: Finding['rule'], more: Partial<Finding>, known: readonly KnownFailure[] = []) {
  const fold = await foldJournal([
    { ...runStarted([planned('bet/debit', ['bet.debit'])]), baseline: { file: 'b.yaml', known } },
    started('bet/debit'),
    found('bet/debit', rule, 'fail', more),
    ended('bet/debit'),
    runEnded(),
  ]);
  return mayShowMore(failingPlaces(fold));
}

it('another run may show more failures if only a balance shows a failure that no entry lists, or if replies are late', async () => {
  expect(await mayDiffer('bet.debit', WRONG)).toBe(true);
  expect(await mayDiffer('reply.deadline', {})).toBe(true);
  expect(await mayDiffer('bet.debit', WRONG, [LISTED])).toBe(false);
  expect(await mayDiffer('signature.mismatch', {})).toBe(false);
});
