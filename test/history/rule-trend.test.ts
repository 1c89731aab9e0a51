import { describe, expect, it } from 'vitest';
import { type RuleInRun, ruleTrend } from '../../src/history/rule-trend.ts';

/** Runs from the oldest to the newest, as `ruleTrend` gets them: the newest first. */
function runs(...given: readonly Partial<RuleInRun>[]): readonly RuleInRun[] {
  const all = given.map(
    (one, at): RuleInRun => ({
      number: at + 1,
      run_id: `run-${at + 1}`,
      kind: 'run',
      started_at: `2026-11-${String(at + 1).padStart(2, '0')}T01:00:00.000Z`,
      ended: 'complete',
      croupier: '1.0.0',
      contract: '1.10.2',
      build: '1',
      rules_digest: 'r',
      suite_digest: 's',
      config_digest: 'c',
      played_digest: 'p',
      verdict: 'pass',
      flaky: false,
      reason: null,
      failing: one.verdict === 'fail' ? ['bet/debit'] : [],
      played: ['bet/debit'],
      ...one,
    }),
  );
  return all.toReversed();
}

const fail = { verdict: 'fail' } as const;

describe('the trend of a rule', () => {
  it('is broken since the first failure of a new build, and names the build as the difference', () => {
    const trend = ruleTrend(runs({}, {}, { ...fail, build: '2' }, { ...fail, build: '2' }, { ...fail, build: '3' }));
    expect(trend).toMatchObject({ state: 'broken', compared: 2, changed: 0, flakiness: 0, differences: ['build'] });
    expect([trend.since?.number, trend.since?.build, trend.lastGood?.number]).toEqual([3, '2', 2]);
  });

  it.each([
    ['croupier', { croupier: '1.1.0' }],
    ['rules', { rules_digest: 'r2' }],
    ['contract', { contract: '1.9.0' }],
    ['suite', { suite_digest: 's2' }],
    ['configuration', { config_digest: 'c2' }],
    ['scenarios', { played_digest: 'p2' }],
  ] as const)('shows that a change of %s may have broken a rule, and is not flaky', (input, change) => {
    const trend = ruleTrend(runs({}, { ...fail, ...change }));
    expect(trend).toMatchObject({ state: 'broken', differences: [input], compared: 0, flakiness: null });
  });

  it('is flaky if the verdict changes although nothing else does, also when runs of another build are in between', () => {
    const trend = ruleTrend(runs({}, fail, {}, { build: '2' }, {}, fail));
    expect(trend).toMatchObject({ state: 'flaky', compared: 4, changed: 3, flakiness: 0.75 });
    expect(ruleTrend(runs({}, fail, {})).state).toBe('flaky');
    expect(trend.firstChange?.number).toBe(2);
    const later = ruleTrend(runs({}, fail, {}, { build: '2' }, { build: '2' }, { ...fail, build: '2' }));
    expect([later.state, later.firstChange?.number, later.firstChange?.build]).toEqual(['flaky', 6, '2']);
  });

  it('is no longer flaky with a new build that always passes', () => {
    const trend = ruleTrend(runs({}, fail, {}, { build: '2' }, { build: '2' }));
    expect(trend).toMatchObject({ state: 'passing', compared: 3, changed: 2, firstChange: null });
  });

  it('is flaky after a failure that passed on retry within one run', () => {
    expect(ruleTrend(runs({ ...fail, flaky: true }))).toMatchObject({ state: 'flaky', compared: 1, changed: 1 });
  });

  it('is broken after one change between runs without a build, and unclear after several', () => {
    const build = null;
    expect(ruleTrend(runs({ build }, { build }, { ...fail, build }))).toMatchObject({
      state: 'broken',
      flakiness: null,
      unexplained: 1,
    });
    expect(ruleTrend(runs({ build }, { ...fail, build }, { build }, { ...fail, build }))).toMatchObject({
      state: 'unclear',
      flakiness: null,
      unexplained: 3,
    });
  });

  it('stays broken after a run that passed only other scenarios', () => {
    const other = { played: ['bet/repeat'], played_digest: 'other' };
    const trend = ruleTrend(runs({}, { ...fail, build: '2' }, other, { ...fail, build: '2' }));
    expect(trend).toMatchObject({ state: 'broken', changed: 0 });
    expect([trend.since?.number, trend.lastGood?.number]).toEqual([2, 1]);
  });

  it('is a warning, and not passing, if the latest run shows only warnings', () => {
    const trend = ruleTrend(
      runs({}, { verdict: 'note' }, { verdict: 'warn', build: '2' }, { verdict: 'warn', build: '2' }),
    );
    expect(trend).toMatchObject({ state: 'warning', compared: 2, changed: 0, differences: ['build'] });
    expect([trend.since?.number, trend.lastGood?.number]).toEqual([3, 2]);
  });

  it('counts one repair once, although a run of all and a run of one scenario both show it', () => {
    const all = { build: null };
    const one = { build: null, played_digest: 'one' };
    const repaired = runs({ ...all, ...fail }, { ...one, ...fail }, one, all);
    expect(ruleTrend(repaired)).toMatchObject({ state: 'passing', unexplained: 1 });
    const twice = runs({ ...all, ...fail }, all, { ...one, ...fail }, one);
    expect(ruleTrend(twice)).toMatchObject({ unexplained: 2 });
  });

  it('does not count undecided runs, load tests and runs that ended early as changes', () => {
    const trend = ruleTrend(
      runs(fail, { verdict: 'inconclusive' }, { kind: 'load', verdict: 'warn' }, { ended: 'interrupted' }, fail),
    );
    expect(trend).toMatchObject({ compared: 1, changed: 0 });
    expect(ruleTrend(runs({ verdict: 'inconclusive' })).state).toBe('undecided');
  });
});
