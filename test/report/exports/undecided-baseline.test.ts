import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { whyStillUndecided } from '../../../src/report/exports/undecided-baseline.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';

const fold = (...events: readonly JournalEvent[]) =>
  foldJournal([
    runStarted([planned('bet/debit', ['bet.debit']), planned('win/zero', ['win.zero'])]),
    started('bet/debit'),
    found('bet/debit', 'bet.debit', 'fail'),
    ended('bet/debit'),
    started('win/zero'),
    ...events,
    ended('win/zero'),
    runEnded(),
  ]);

describe('the baseline of a run', () => {
  it('is not enough if nothing that it lists explains why a rule is undecided', async () => {
    const open = await fold(found('win/zero', 'win.zero', 'inconclusive'));
    expect(whyStillUndecided(open)).toBe(
      'UNDECIDED: 1 MUST rule was tested against acme and could not be decided: win.zero.',
    );
  });

  it('is enough if a listed failure explains why a rule is undecided, or if every rule is decided', async () => {
    const explained = await fold(found('win/zero', 'win.zero', 'inconclusive', { causes: ['bet.debit'] }));
    expect(whyStillUndecided(explained)).toBeNull();
    expect(whyStillUndecided(await fold(found('win/zero', 'win.zero', 'fail')))).toBeNull();
  });
});
