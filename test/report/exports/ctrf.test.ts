import { type CTRFReport, isValid, merge, validateStrict } from 'ctrf';
import { describe, expect, it } from 'vitest';
import { foldOf, JOURNALS, reportText } from '../journals.ts';

const read = (text: string): CTRFReport => JSON.parse(text) as CTRFReport;

describe('the CTRF report', () => {
  it.each(JOURNALS)('of the journal %s is valid by the published schema, and its totals are right', async (name) => {
    const report = read(await reportText(name, 'ctrf'));
    validateStrict(report);
    const { summary, tests } = report.results;
    const count = (status: string) => tests.filter((test) => test.status === status).length;
    expect(summary).toMatchObject({
      tests: tests.length,
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      other: 0,
    });
    expect(new Set(tests.map((test) => `${test.suite?.join(' ')} ${test.name}`)).size).toBe(tests.length);
  });

  it('counts a rule that fails or is undecided as failed, and names the line of its scenario', async () => {
    const { tests } = read(await reportText('failing', 'ctrf')).results;
    for (const { rule, verdict } of (await foldOf('failing')).rules) {
      const failed = verdict === 'fail' || verdict === 'inconclusive';
      expect([rule.id, tests.find((test) => test.name === rule.id)?.status === 'failed']).toEqual([rule.id, failed]);
    }
    expect(tests.find((test) => test.name === 'idempotency.bet')).toMatchObject({
      suite: ['acme-eu', 'idempotency'],
      filePath: 'scenarios/idempotency/bet.yaml',
      line: 9,
      rawStatus: 'fail',
      labels: { level: 'MUST', money: true },
      message: expect.stringMatching(/^A player can be charged twice .* Seen: the balance is 78\.00/) as string,
    });
  });

  it.each(['killed', 'interrupted', 'unreachable'] as const)('of the %s run is not a success', async (name) => {
    const { results } = read(await reportText(name, 'ctrf'));
    expect(results.summary.failed).toBeGreaterThan(0);
    expect(results.environment?.healthy).toBe(false);
  });

  it('can be merged with the report of another client by the tools of the format', async () => {
    const both = merge([read(await reportText('green', 'ctrf')), read(await reportText('failing', 'ctrf'))]);
    expect(isValid(both)).toBe(true);
    expect(both.results.summary.failed).toBe(read(await reportText('failing', 'ctrf')).results.summary.failed);
  });

  it('shows text of an operator without control characters', async () => {
    const { tests } = read(await reportText('hostile', 'ctrf')).results;
    const text = tests.flatMap(({ message = '', trace = '' }) => [message, trace]).join('\n');
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });
});
