import { describe, expect, it } from 'vitest';
import { compare, newFailures } from '../../src/report/comparison.ts';
import { comparisonText } from '../../src/report/comparison-text.ts';
import { PLAIN } from '../../src/report/paint.ts';
import { type Judged, type RunSummary, summaryOfFold, summaryOfReport } from '../../src/report/run-summary.ts';
import { foldOf, JOURNALS, reportText } from './journals.ts';

const rule = (id: string, verdict: Judged['verdict'], more: Partial<Judged> = {}): Judged => ({
  id,
  level: 'MUST',
  money: false,
  verdict,
  isKnown: false,
  reason: null,
  ...more,
});

const run = (judged: readonly Judged[], more: Partial<RunSummary> = {}): RunSummary => ({
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

  it('tells broken, fixed, new and gone apart; what is not judged any more is not fixed', () => {
    const comparison = compare(before, now);
    expect(ids(comparison.broken)).toEqual(['a', 'g']);
    expect(ids(comparison.fixed)).toEqual(['b']);
    expect(ids(comparison.added)).toEqual(['c']);
    expect(ids(comparison.gone)).toEqual(['d', 'f']);
    expect(ids(comparison.stillFailing)).toEqual(['e']);
    expect(ids(newFailures(comparison))).toEqual(['a']);
    expect(compare(now, now)).toMatchObject({ broken: [], fixed: [], added: [], gone: [], differences: [] });
  });

  it('takes an expectation that is not told for met where its scenario was played', () => {
    const missed = run([rule('expectation in bet/debit', 'fail')]);
    expect(ids(compare(run([]), missed).broken)).toEqual(['expectation in bet/debit']);
    expect(ids(compare(missed, run([])).fixed)).toEqual(['expectation in bet/debit']);
    expect(ids(compare(missed, run([], { scenarios: [] })).gone)).toEqual(['expectation in bet/debit']);
  });

  it('calls slower only what is beyond noise', () => {
    const latency = (p95Ms: number, count = 50) => run([], { latency: [{ call: 'bet', count, p95Ms }] });
    expect(compare(latency(100), latency(160)).slower).toEqual([{ call: 'bet', beforeMs: 100, nowMs: 160 }]);
    expect(compare(latency(100), latency(140)).slower).toEqual([]);
    expect(compare(latency(1), latency(15)).slower).toEqual([]);
    expect(compare(latency(100, 5), latency(900)).slower).toEqual([]);
  });

  it('says what makes the two hard to compare', () => {
    const other = run([], { contract: '1.8.0', selection: ['bet'], extCID: 'other', scenarios: ['win/credit', 'x'] });
    expect(compare(run([]), other).differences).toEqual([
      'another client: acme before, other now',
      'another version of the contract: 1.10.2 before, 1.8.0 now',
      'another selection: everything before, bet now',
      'another plan: 2 scenarios are new, 1 are gone',
    ]);
  });

  it('is told with text from outside made harmless', () => {
    const hostile = run([rule('a', 'fail', { reason: '\u001b[31mred' })], { firstLine: '\u001b]0;owned\u0007' });
    const text = comparisonText(before, hostile, compare(before, hostile), { paint: PLAIN, width: 80, unicode: true });
    expect(text).toMatch(/^1 rule broken, /);
    expect(text).toContain('\\x1b[31mred');
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it.each(JOURNALS)('reads the JSON report of %s as it reads the journal', async (name) => {
    const fromReport = summaryOfReport(JSON.parse(await reportText(name, 'json')));
    const fromJournal = summaryOfFold(await foldOf(name));
    if ('complaint' in fromReport) throw new Error(fromReport.complaint);
    expect(compare(fromJournal, fromReport)).toMatchObject({
      broken: [],
      fixed: [],
      added: [],
      gone: [],
      differences: [],
    });
    expect(fromReport.judged).toEqual(fromJournal.judged);
  });

  it('says what is wrong with a report that is none', () => {
    expect(summaryOfReport({ schema: 'x' })).toHaveProperty('complaint');
  });
});
