import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import type { Verdict } from '../../../src/journal/finding.ts';
import type { PastVerdict } from '../../../src/report/options.ts';
import { foldOf, reportText } from '../journals.ts';

/** Verdicts of earlier runs, the latest first. */
const past = (build: string | null, ...verdicts: readonly Verdict[]): readonly PastVerdict[] =>
  verdicts.map((verdict, at) => ({
    number: verdicts.length - at,
    startedAt: `2026-11-${String(20 - at)}T01:00:00.000Z`,
    build,
    verdict,
  }));

/** The HTML report of a failing run, with these verdicts for every rule. */
const page = (earlier: readonly PastVerdict[]) =>
  reportText('failing', 'html', { past: new Map(RULES.map(({ id }) => [id, earlier])) });

const rowsOf = (text: string): readonly string[] => text.match(/<dt>last runs<\/dt><dd>.*?<\/dd>/gu) ?? [];

describe('the last runs in the HTML report', () => {
  it('show a mark for each run, and the same in words for screen readers', async () => {
    const [row] = rowsOf(await page(past('1.4', 'fail', 'fail', 'pass', 'inconclusive', 'pass')));
    expect(row).toBe(
      '<dt>last runs</dt><dd><code aria-hidden="true">✓✓✗✗✗</code> failed in 3 of the last 5 runs, each time since run 4 (2026-11-19, build 1.4)</dd>',
    );
  });

  it('say that the run before did not fail', async () => {
    const [row] = rowsOf(await page(past(null, 'pass', 'fail')));
    expect(row).toContain('✗✓✗</code> failed in 2 of the last 3 runs, but not in run 2, the one before');
  });

  it('are shown once for each rule that failed or warned, and for no other', async () => {
    const { rules } = await foldOf('failing');
    const wrong = rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').length;
    expect(rowsOf(await page(past('1', 'pass')))).toHaveLength(Math.min(wrong, 12));
    expect(rowsOf(await reportText('failing', 'html'))).toEqual([]);
    expect(rowsOf(await page([]))).toEqual([]);
  });

  it('escape the name of the build, and take less than 5 kB', async () => {
    const many = Array.from({ length: 30 }, () => 'fail' as const);
    const text = await page(past('<script>"&\u202E'.repeat(20), ...many));
    const [row = ''] = rowsOf(text);
    expect(row).toContain('build &lt;script&gt;&quot;&amp;');
    expect(row).not.toContain('<script>');
    expect(row.match(/✗/gu)).toHaveLength(10);
    // A report has at most 12 rows.
    expect(Buffer.byteLength(row) * 12).toBeLessThan(5000);
  });
});
