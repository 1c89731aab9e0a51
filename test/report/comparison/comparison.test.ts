import { describe, expect, it } from 'vitest';
import {
  compare,
  type JudgedRule,
  newFailures,
  type RunSummary,
  summaryOfFold,
  summaryOfReport,
} from '../../../src/report/comparison/comparison.ts';
import { comparisonText } from '../../../src/report/comparison/comparison-text.ts';
import { PLAIN } from '../../../src/report/paint.ts';
import { foldOf, JOURNALS, reportText } from '../journals.ts';

const rule = (id: string, verdict: JudgedRule['verdict'], more: Partial<JudgedRule> = {}): JudgedRule => ({
  id,
  level: 'MUST',
  money: false,
  verdict,
  isKnown: false,
  reason: null,
  ...more,
});

const run = (judged: readonly JudgedRule[], more: Partial<RunSummary> = {}): RunSummary => ({
  extCID: 'acme',
  contract: '1.10.2',
  startedAt: '2026-11-20T09:30:00.000Z',
  firstLine: 'CONFORMING: …',
  selection: [],
  strict: false,
  judged,
  scenarios: ['bet/debit'],
  latency: [],
  ...more,
});

const ids = (changes: readonly { readonly id: string }[]) => changes.map(({ id }) => id);

describe('comparing two runs', () => {
  const before = run([
    rule('a', 'pass'),
    rule('b', 'fail'),
    rule('c', 'untested'),
    rule('d', 'warn'),
    rule('e', 'fail'),
    rule('f', 'fail'),
    rule('g', 'skip'),
  ]);
  const now = run([
    rule('a', 'fail'),
    rule('b', 'pass'),
    rule('c', 'pass'),
    rule('d', 'skip'),
    rule('e', 'fail'),
    rule('f', 'inconclusive'),
    rule('g', 'fail', { isKnown: true }),
  ]);

  it('separates broken, fixed, new and gone rules, and does not count a rule as fixed if it is no longer judged', () => {
    const comparison = compare(before, now);
    expect(ids(comparison.broken)).toEqual(['a', 'g']);
    expect(ids(comparison.fixed)).toEqual(['b']);
    expect(ids(comparison.added)).toEqual(['c']);
    expect(ids(comparison.gone)).toEqual(['d', 'f']);
    expect(ids(comparison.stillFailing)).toEqual(['e']);
    expect(ids(newFailures(comparison))).toEqual(['a']);
    expect(compare(now, now)).toMatchObject({ broken: [], fixed: [], added: [], gone: [], differences: [] });
  });

  it('counts an unlisted expectation as met if its scenario was played', () => {
    const missed = run([rule('expectation in bet/debit', 'fail')]);
    expect(ids(compare(run([]), missed).broken)).toEqual(['expectation in bet/debit']);
    expect(ids(compare(missed, run([])).fixed)).toEqual(['expectation in bet/debit']);
    expect(ids(compare(missed, run([], { scenarios: [] })).gone)).toEqual(['expectation in bet/debit']);
  });

  it('reports a call as slower only if the difference is more than noise', () => {
    const latency = (p95Ms: number, count = 50) => run([], { latency: [{ call: 'bet', count, p95Ms }] });
    expect(compare(latency(100), latency(160)).slower).toEqual([{ call: 'bet', beforeMs: 100, nowMs: 160 }]);
    expect(compare(latency(100), latency(140)).slower).toEqual([]);
    expect(compare(latency(1), latency(15)).slower).toEqual([]);
    expect(compare(latency(100, 5), latency(900)).slower).toEqual([]);
  });

  it('lists the differences that make two runs hard to compare', () => {
    const other = run([], { contract: '1.8.0', selection: ['bet'], extCID: 'other', scenarios: ['win/credit', 'x'] });
    expect(compare(run([]), other).differences).toEqual([
      'different client: acme before, other now',
      'different version of the contract: 1.10.2 before, 1.8.0 now',
      'different selection: everything before, bet now',
      'different plan: 2 scenarios are new, 1 are gone',
    ]);
  });

  it('escapes text from outside', () => {
    const hostile = run([rule('a', 'fail', { reason: '\u001b[31mred' })], { firstLine: '\u001b]0;owned\u0007' });
    const text = comparisonText(before, hostile, compare(before, hostile), { paint: PLAIN, width: 80, unicode: true });
    expect(text).toMatch(/^1 rule broken, /);
    expect(text).toContain('\\x1b[31mred');
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it.each(JOURNALS)('reads the JSON report of %s as it reads the journal', async (name) => {
    const fromReport = summaryOfReport(JSON.parse(await reportText(name, 'json')));
    const fromJournal = summaryOfFold(await foldOf(name));
    if ('problem' in fromReport) throw new Error(fromReport.problem);
    expect(compare(fromJournal, fromReport)).toMatchObject({
      broken: [],
      fixed: [],
      added: [],
      gone: [],
      differences: [],
    });
    expect(fromReport.judged).toEqual(fromJournal.judged);
  });

  it('names the problem of a value that is not a report', () => {
    expect(summaryOfReport({ schema: 'x' })).toHaveProperty('problem');
  });
});
