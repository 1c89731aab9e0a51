import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/journal/finding.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { columnsOf } from '../../../src/report/terminal/layout.ts';
import { watchReport } from '../../../src/report/terminal/watch-report.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import { OPTIONS } from '../journals.ts';

const ROWS = 24;

/** The report of a run in which this number of scenarios misses an expectation. */
async function reportOf(failing: number, earlier: readonly (readonly [string, Verdict])[] = []): Promise<string> {
  const stories = Array.from({ length: failing + 1 }, (_, at) => planned(`ours/s${at}`, []));
  const events = [
    runStarted(stories),
    ...stories.flatMap(({ id, place }, at) => [
      started(id),
      ...(at === 0 ? [] : [found(id, 'expectation', 'fail', { place: { ...place, line: at } })]),
      ended(id, { verdict: at === 0 ? 'pass' : 'fail' }),
    ]),
    runEnded(),
  ];
  let text = '';
  const report = watchReport(new Map(earlier), ROWS);
  for await (const piece of report(await foldJournal(events), () => events, OPTIONS)) text += piece;
  return text;
}

describe('the report of --watch', () => {
  it('shows what was expected and found if the screen has room, and the scenarios whose verdict changed', async () => {
    const text = await reportOf(1, [
      ['ours/s0', 'fail'],
      ['ours/s1', 'fail'],
    ]);
    expect(text).toContain('  ✓ ours/s0 now passes\n');
    expect(text).not.toContain('ours/s1 now fails');
    expect(text).toContain('     expected  what is right\n     actual    what was seen (fail)\n');
  });

  it.each([3, 8, 30])('of %i failures fits on one screen, and says how many are left out', async (failing) => {
    const text = await reportOf(failing);
    const rows = text
      .trimEnd()
      .split('\n')
      .reduce((sum, line) => sum + Math.ceil(columnsOf(line) / OPTIONS.width), 0);
    expect(rows).toBeLessThanOrEqual(ROWS - 6);
    const shown = text.match(/^ {2}1\. expectation /gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(2);
    const left = failing - shown;
    if (left > 0 && failing <= 10) expect(text).toContain(`… and ${left} more`);
  });
});
