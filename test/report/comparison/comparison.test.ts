import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../../src/journal/event.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { inAlikeCurrencies, type MoneySums } from '../../../src/journal/money-sums.ts';
import type { CoreCheck } from '../../../src/journal/results/core-check.ts';
import { compare, isLessTested, newFailures } from '../../../src/report/comparison/comparison.ts';
import { comparisonText } from '../../../src/report/comparison/comparison-text.ts';
import {
  type JudgedRule,
  type RunSummary,
  summaryOfFold,
  summaryOfReport,
} from '../../../src/report/comparison/run-summary.ts';
import { PLAIN } from '../../../src/report/paint.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import { foldOf, JOURNALS, reportOfEvents, reportText } from '../journals.ts';

const rule = (id: string, verdict: JudgedRule['verdict'], more: Partial<JudgedRule> = {}): JudgedRule => ({
  id,
  level: 'MUST',
  money: false,
  verdict,
  isKnown: false,
  reason: null,
  endpoints: [],
  failing: [],
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
  decided: ['bet/debit'],
  tried: ['bet/debit'],
  sessions: null,
  croupier: '0.1.0',
  labels: {},
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

  it('names a rule that passed before and warns now, and the other way', () => {
    const passed = run([rule('a', 'pass'), rule('b', 'warn'), rule('c', 'fail'), rule('d', 'note')]);
    const warned = run([rule('a', 'warn'), rule('b', 'pass'), rule('c', 'warn'), rule('d', 'warn')]);
    const comparison = compare(passed, warned);
    expect(ids(comparison.warned)).toEqual(['a', 'd']);
    expect(ids(comparison.cleared)).toEqual(['b']);
    expect(ids(comparison.fixed)).toEqual(['c']);
    const text = comparisonText(passed, warned, comparison, { paint: PLAIN, width: 80, unicode: true });
    expect(text).toContain('Nothing broken, 1 fixed, 2 new warnings, 1 warning gone.');
    expect(text).toContain('Warning now, but not before\n  ! a  MUST  passed before\n');
    expect(text).toContain('No longer a warning\n  ✓ b  MUST  warning before\n');
  });

  it('counts an unlisted expectation as met if its scenario was played', () => {
    const missed = run([rule('expectation in bet/debit', 'fail')]);
    expect(ids(compare(run([]), missed).broken)).toEqual(['expectation in bet/debit']);
    expect(ids(compare(missed, run([])).fixed)).toEqual(['expectation in bet/debit']);
    expect(ids(compare(missed, run([], { scenarios: [] })).gone)).toEqual(['expectation in bet/debit']);
  });

  const place = (scenario: string, endpoint: string | null = null, noMoney = false, wrongSums: MoneySums = {}) => ({
    scenario,
    endpoint,
    noMoney,
    wrongSums,
    alikeSums: inAlikeCurrencies(wrongSums, { USD: '1', EUR: '1', JPY: '100', BTC: '0.0001' }),
    rules: [] as readonly string[],
  });
  const failing = (...places: readonly ReturnType<typeof place>[]) => rule('a', 'fail', { failing: places });

  it.each([
    ['at another endpoint', place('x', 'bet'), [place('x', 'bet'), place('x', 'win')], 'it also fails at win'],
    ['with money', place('x', null, true), [place('x')], 'it now moves money'],
    [
      'with more money',
      place('x', null, false, { USD: '2', JPY: '200' }),
      [place('x', null, false, { EUR: '9', JPY: '200', USD: '2.01' })],
      'it makes balances more wrong in x: by 2.01 USD now, by 2 USD before',
    ],
    ['in another scenario', place('x'), [place('x'), place('y')], 'it also fails in y'],
  ] as const)('calls a rule worse that failed before and now also fails %s', (_, before, now, how) => {
    const scenarios = { decided: ['x', 'y'], tried: ['x', 'y'] };
    const grown = compare(run([failing(before)], scenarios), run([failing(...now)], scenarios));
    expect(grown.worse).toMatchObject([{ id: 'a', how }]);
    expect([ids(newFailures(grown)), grown.stillFailing]).toEqual([['a'], []]);
    const shrunk = compare(run([failing(...now)], scenarios), run([failing(before)], scenarios));
    expect([shrunk.worse, ids(shrunk.stillFailing)]).toEqual([[], ['a']]);
  });

  it('does not call a rule fixed without doubt if a new failure in its scenario may hide its failure', () => {
    const hidden = rule('b', 'fail', { failing: [place('x')] });
    const before = run([rule('a', 'pass'), hidden]);
    const beside = compare(before, run([failing(place('x')), rule('b', 'pass')]));
    expect([beside.fixed, beside.mayBeHidden]).toMatchObject([[], [{ id: 'b', hiddenIn: 'x' }]]);
    const style = { paint: PLAIN, width: 80, unicode: true };
    const text = comparisonText(before, before, beside, style);
    expect(text).toContain('1 rule broken, 1 perhaps hidden.');
    expect(text).toContain('Not known whether fixed: a new failure may hide the failure\n  ✓ b  MUST  failed before\n');
    expect(text).toContain('a new failure in x may hide it');
    const elsewhere = compare(before, run([failing(place('y')), rule('b', 'pass')]));
    expect(ids(elsewhere.fixed)).toEqual(['b']);
    expect(comparisonText(before, before, elsewhere, style)).not.toContain('may hide');
  });

  it('calls a rule fixed only if it was tried again with the player of its failures', () => {
    const sessions = ['p1', 'p2'].map((player) => ({ player, currency: 'USD', gameID: null, state: 'active' }));
    const played = (x: string, y: string) => ({
      sessions,
      played: [
        { id: 'x', rules: ['b'], players: [x] },
        { id: 'y', rules: ['b'], players: [y] },
      ],
    });
    const passed = [rule('a', 'pass'), rule('b', 'pass')];
    const fixedIn = (earlier: RunSummary, x: string, y: string) => compare(earlier, run(passed, played(x, y)));
    const before = run([rule('a', 'pass'), rule('b', 'fail', { failing: [place('x')] })], played('p2', 'p1'));
    const untried = fixedIn(before, 'p1', 'p1');
    expect([untried.fixed, untried.notTriedAgain]).toMatchObject([[], [{ id: 'b', player: 'p2' }]]);
    expect(isLessTested(untried)).toBe(false);
    const text = comparisonText(before, before, untried, { paint: PLAIN, width: 80, unicode: true });
    expect(text).toContain('Nothing broken, 1 not tried again.');
    expect(text).toContain('Not known whether fixed: not tried again with the player of the failure\n  ✓ b  MUST');
    for (const again of [fixedIn(before, 'p2', 'p1'), fixedIn(before, 'p1', 'p2')])
      expect([ids(again.fixed), again.notTriedAgain, isLessTested(again)]).toEqual([['b'], [], false]);
    const ofBoth = run([rule('b', 'fail', { failing: [place('x'), place('y')] })], played('p2', 'p1'));
    expect(ids(fixedIn(ofBoth, 'p1', 'p1').fixed)).toEqual(['b']);
  });

  it('does not call a rule gone that only failures of both runs left undecided', () => {
    const still = failing(place('x'));
    const open = (id: string, because: string | null) => rule(id, 'inconclusive', { because });
    const before = run([still, rule('b', 'pass'), rule('c', 'pass'), rule('d', 'pass'), rule('e', 'pass')]);
    const now = run([still, open('b', 'a'), open('c', 'b'), open('d', null), open('e', 'x')]);
    const comparison = compare(before, now);
    expect([ids(comparison.leftUndecided), ids(comparison.gone)]).toEqual([
      ['b', 'c'],
      ['d', 'e'],
    ]);
    expect(isLessTested(compare(before, { ...now, judged: now.judged.slice(0, 3) }))).toBe(true);
    const [one, other] = [run([still, rule('b', 'pass')]), run([still, open('b', 'a')])];
    expect(isLessTested(compare(one, other))).toBe(false);
    const text = comparisonText(one, other, compare(one, other), { paint: PLAIN, width: 80, unicode: true });
    expect(text).toContain('Nothing broken, 1 left undecided.');
    expect(text).toContain(
      'Left undecided by known failures: judged before, but not now\n  ? b  MUST  passed before\n',
    );
    // A failure that is new, or that got worse, does not explain this.
    const grown = run([failing(place('x', 'bet')), open('b', 'a')]);
    expect(ids(compare(one, grown).gone)).toEqual(['b']);
    const fresh = compare(run([rule('a', 'pass'), rule('b', 'pass')]), other);
    expect(ids(fresh.gone)).toEqual(['b']);
  });

  it('calls a rule worse that the same baseline allowed before and does not allow now', () => {
    const failingWith = (isKnown: boolean, baseline: string | undefined) =>
      run([rule('a', 'fail', { isKnown })], {
        digests: { rules: 'r', suite: 's', config: 'c', ...(baseline && { baseline }) },
      });
    const worseFrom = (...[before, now]: readonly [RunSummary, RunSummary]) => ids(compare(before, now).worse);
    expect(worseFrom(failingWith(true, 'b'), failingWith(false, 'b'))).toEqual(['a']);
    expect(worseFrom(failingWith(true, 'b'), failingWith(false, 'other'))).toEqual([]);
    expect(worseFrom(failingWith(true, 'b'), failingWith(true, 'b'))).toEqual([]);
    expect(worseFrom(failingWith(false, 'b'), failingWith(false, 'b'))).toEqual([]);
  });

  it('calls a rule worse that fails in another way, with or without a wrong balance', () => {
    const reply = run([failing(place('x'))]);
    const balance = run([failing(place('x', null, false, { USD: '2' }))]);
    expect(compare(reply, balance).worse).toMatchObject([{ how: 'it now makes balances wrong: by 2 USD in x' }]);
    expect(compare(balance, reply).worse).toMatchObject([
      { how: 'it fails in another way in x: before, a balance was wrong there' },
    ]);
  });

  it.each([
    ['3.50 USD', '3.50 EUR', [], false],
    ['3.50 USD', '350 JPY', [], false],
    ['3.50 USD', '4 EUR', [], true],
    ['350 JPY', '4 EUR', [], true],
    ['3.50 USD', '0.00035 BTC', [], false],
    ['3.50 USD', '0.0004 BTC', [], true],
    ['1.01 USD', '0.00010299 BTC', [], false],
    ['2 USD', '4 EUR', ['refund.broken-connection'], false],
  ] as const)('compares %s with %s in the same scenario, which tests %j', (earlier, later, rules, isWorse) => {
    const failingBy = (sum: string) => {
      const [amount = '', code = ''] = sum.split(' ');
      return run([failing({ ...place('x', null, false, { [code]: amount }), rules })]);
    };
    expect(compare(failingBy(earlier), failingBy(later)).worse).toHaveLength(isWorse ? 1 : 0);
  });

  it('does not call a rule worse for a scenario that was played in another currency', () => {
    const played = (currencies: Readonly<Record<string, readonly string[]>>) => ({ decided: ['x', 'y'], currencies });
    const before = run([failing(place('x'))], played({ x: ['JPY'], y: ['USD'] }));
    const now = (y: string) => run([failing(place('x'), place('y'))], played({ x: ['JPY'], y: [y] }));
    expect(compare(before, now('JPY')).worse).toEqual([]);
    expect(compare(before, now('USD')).worse).toMatchObject([{ how: 'it also fails in y' }]);
  });

  it('calls a rule about signatures worse for a scenario that was played in another currency', () => {
    const signature = (...places: readonly ReturnType<typeof place>[]) =>
      rule('signature.mismatch', 'fail', { failing: places });
    const played = (code: string) => ({ decided: ['x', 'y'], currencies: { x: ['USD'], y: [code] } });
    const before = run([signature(place('x', 'win'))], played('USD'));
    const now = run([signature(place('x', 'win'), place('y', 'win'))], played('BTC'));
    expect(compare(before, now).worse).toMatchObject([{ how: 'it also fails in y' }]);
  });

  it('does not call a rule worse for a scenario that is new, or that shows a race by chance', () => {
    const both = [place('x'), place('y')];
    const before = run([failing(place('x'))], { decided: ['x'] });
    expect(compare(before, run([failing(...both)], { decided: ['x', 'y'] })).worse).toEqual([]);
    const race = (...places: readonly ReturnType<typeof place>[]) =>
      run([rule('concurrency.no-lost-update', 'fail', { failing: places })], { decided: ['x', 'y'] });
    expect(compare(race(place('x')), race(...both)).worse).toEqual([]);
  });

  it('finds endpoints, scenarios and sessions that are no longer tested', () => {
    const session = { player: 'p1', currency: 'EUR', gameID: null, state: 'active' };
    const before = run([rule('a', 'pass', { endpoints: ['bet', 'win'] })], {
      decided: ['x', 'y', 'z'],
      tried: ['x', 'y', 'z'],
      sessions: [session, { ...session, player: 'p2', currency: 'JPY' }, { ...session, state: 'expired' }],
    });
    const now = run([rule('a', 'pass', { endpoints: ['bet'] })], {
      decided: ['x'],
      tried: ['x', 'y'],
      sessions: [session],
    });
    const comparison = compare(before, now);
    expect(isLessTested(comparison)).toBe(true);
    expect(comparison).toMatchObject({
      goneEndpoints: [{ id: 'a', endpoint: 'win' }],
      goneScenarios: ['z'],
      fewerSessions: [
        '1 session now, 3 before',
        '1 player now, 2 before',
        '0 expired sessions now, 1 before',
        'no session in JPY now',
      ],
    });
    const text = comparisonText(before, now, comparison, { paint: PLAIN, width: 80, unicode: true });
    expect(text).toMatch(/^Nothing broken, less tested\./);
    expect(text).toContain('Less tested than before\n  - 1 session now, 3 before\n');
    expect(isLessTested(compare(now, before))).toBe(false);
    expect(isLessTested(compare(run([rule('a', 'pass')]), run([rule('a', 'skip')])))).toBe(true);
  });

  it('finds kinds of calls that are now tried only with other players', () => {
    const tried = (players: Readonly<Record<string, readonly CoreCheck[]>>, races = 3) =>
      run([rule('a', 'pass')], {
        triedChecks: {
          players: Object.entries(players).map(([player, checks]) => ({ player, checks })),
          scenarios: { race: races },
        },
      });
    const before = tried({ p1: ['race', 'free'], p2: ['race'] });
    const now = tried({ p1: [], p2: ['race'] });
    const comparison = compare(before, now);
    expect([isLessTested(comparison), comparison.goneChecks]).toEqual([true, [{ player: 'p1', checks: ['race'] }]]);
    // The history stores what is compared as JSON.
    const stored = [before, now].map((one) => JSON.parse(JSON.stringify(one)) as RunSummary) as [
      RunSummary,
      RunSummary,
    ];
    expect(compare(...stored)).toEqual(comparison);
    expect(comparisonText(before, now, comparison, { paint: PLAIN, width: 80, unicode: true })).toContain(
      'Less tested than before\n  - no longer tried with p1: bets and wins at the same moment\n',
    );
    expect([isLessTested(compare(now, before)), isLessTested(compare(before, run([rule('a', 'pass')])))]).toEqual([
      false,
      false,
    ]);
    // With four players, chance decides which of them get the three scenarios.
    const four = tried({ p1: ['race'], p2: ['race'], p3: ['race'], p4: [] });
    const others = { p1: ['race'], p2: [], p3: [], p4: ['race'] } as const;
    expect([tried(others, 3), tried(others, 2)].map((one) => isLessTested(compare(four, one)))).toEqual([false, true]);
  });

  it('lists labels and digests that differ', () => {
    const digests = { rules: 'r', suite: 's', config: 'c' };
    const before = run([], { labels: { build: '41' }, digests });
    const now = run([], { labels: { build: '42' }, digests: { rules: 'q', suite: 't', config: 'd', baseline: 'b' } });
    expect(compare(before, now).differences).toEqual([
      'different label build: 41 before, 42 now',
      'different rules: the catalogue of rules was changed',
      'different scenarios: the ids are the same, but the contents differ',
      'different settings that the journals do not name, such as the stakes, the rate, the paths or the required rules',
      'different baseline',
    ]);
  });

  it('names the settings that differ', () => {
    const session = { player: 'p1', currency: 'EUR', gameID: null, state: 'active' };
    const withConfig = (config: string, settings: Readonly<Record<string, unknown>>, sessions = [session]) =>
      run([], { digests: { rules: 'r', suite: 's', config }, settings, sessions });
    const before = withConfig('c', { deadlineMs: 5000, strict: false, budgetMs: { bet: 800 } });
    const now = withConfig('d', { deadlineMs: 2000, strict: false, trace: true }, [{ ...session, currency: 'USD' }]);
    expect(compare(before, now).differences).toEqual([
      'different settings: deadline (5000 ms before, 2000 ms now), budget ({"bet":800} ms before, none now), trace (none before, true now), the sessions',
    ]);
    const quick = { ...withConfig('d', before.settings ?? {}), quick: true as const };
    expect(compare(before, quick).differences).toEqual(['different settings: --quick (only now)']);
    const renamed = [{ ...session, player: 'p7' }];
    expect(compare(before, withConfig('c', before.settings ?? {}, renamed)).differences).toEqual([]);
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
      'different plan: 2 scenarios are new, and 1 is missing now',
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
    expect(isLessTested(compare(fromJournal, fromReport))).toBe(false);
    expect(compare(fromJournal, fromReport)).toMatchObject({
      broken: [],
      worse: [],
      fixed: [],
      added: [],
      gone: [],
      differences: [],
    });
    expect(fromReport.judged).toEqual(fromJournal.judged);
  });

  it('compares the sums that a rule explains, also if one of the runs is a JSON report', async () => {
    const story = planned('idempotency/bet', ['idempotency.bet']);
    const run = { ...runStarted([story]), settings: { ...runStarted([story]).settings, stakes: { EUR: '2' } } };
    const sum = {
      event: 'wrong-sum',
      scenario: story.id,
      attempt: 1,
      rule: 'idempotency.bet',
      endpoint: null,
      step: 'again',
      wrongSum: { amount: '-2', currency: 'EUR' },
    } as const;
    const events = (...sums: readonly JournalEvent[]): readonly JournalEvent[] => [
      run,
      started(story.id),
      found(story.id, 'idempotency.bet', 'fail', { actual: 'the txID is "op-2"' }),
      ...sums,
      ended(story.id, { verdict: 'fail' }),
      runEnded(),
    ];
    const summaries = async (of: readonly JournalEvent[]) => {
      const fromReport = summaryOfReport(JSON.parse(await reportOfEvents(of, 'json')));
      if ('problem' in fromReport) throw new Error(fromReport.problem);
      return [summaryOfFold(await foldJournal(of)), fromReport];
    };
    const [known, charged] = [await summaries(events()), await summaries(events(sum))];
    for (const before of known)
      for (const now of charged)
        expect(compare(before, now).worse).toMatchObject([
          { how: 'it now makes balances wrong: by 2 EUR in idempotency/bet' },
        ]);
    for (const before of charged) for (const now of charged) expect(compare(before, now).worse).toEqual([]);
  });

  it('calls a rule worse whose replies are now wrong too, as a baseline does, also if one of the runs is a JSON report', async () => {
    const stories = ['win/a', 'win/b', 'win/c'].map((id) => planned(id, ['win.credit']));
    const fee: Partial<Finding> = { wrongSum: { amount: '-0.10', currency: 'USD', moved: '1' } };
    const reply: Partial<Finding> = { ...fee, wrongReply: true };
    const summaries = async (...findings: readonly Partial<Finding>[]) => {
      const events = [
        runStarted(stories),
        ...stories.flatMap(({ id }, at) => [
          started(id),
          found(id, 'win.credit', 'fail', findings[at]),
          ended(id, { verdict: 'fail' }),
        ]),
        { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 } as const,
        runEnded(),
      ];
      const fromReport = summaryOfReport(JSON.parse(await reportOfEvents(events, 'json')));
      if ('problem' in fromReport) throw new Error(fromReport.problem);
      return [summaryOfFold(await foldJournal(events)), fromReport];
    };
    const worse = async (before: readonly Partial<Finding>[], now: readonly Partial<Finding>[]) => {
      const [earlier, later] = [await summaries(...before), await summaries(...now)];
      return [...new Set(earlier.flatMap((one) => later.map((other) => compare(one, other).worse[0]?.how)))];
    };
    expect(await worse([fee, fee, fee], [fee, reply, fee])).toEqual([
      'its replies now have wrong balances: the next read shows another balance (in win/b)',
    ]);
    expect(await worse([reply, fee, fee], [fee, reply, reply])).toEqual([undefined]);
    expect(await worse([fee, fee, fee], [fee, { ...reply, unrepeated: true }, fee])).toEqual([undefined]);
    // A failure that occurs now and then explains a few wrong replies.
    const once = { ...fee, unrepeated: true } as const;
    expect(await worse([fee, once, fee], [fee, reply, reply])).toEqual([undefined]);
    expect((await worse([fee, once, fee], [reply, reply, reply]))[0]).toContain('its replies now have wrong balances');
  });

  describe('a rule about the amounts of calls', () => {
    const CASES = Array.from({ length: 20 }, (_, at) => `win/c${at + 10}`);
    const PLANNED = CASES.map((id) => planned(id, ['win.credit']));
    interface Failing {
      /** Number of scenarios, from the first one, in which half of a win is wrong. */
      readonly halves?: number;
      readonly sign?: '' | '-';
      /** Number of scenarios, from the last one, in which the sum has the other sign. */
      readonly turned?: number;
      readonly once?: boolean;
      readonly from?: number;
    }
    const runOfWins = async ({ halves = 0, sign = '-', turned = 0, once = true, from = 0 }: Failing) => {
      const other = sign === '-' ? '' : '-';
      const isWrong = (at: number): boolean => (at >= from && at < from + halves) || at >= CASES.length - turned;
      const failure = (at: number): Partial<Finding> => ({
        wrongSum: { amount: `${at >= CASES.length - turned ? other : sign}0.50`, currency: 'USD', moved: '1' },
        ...(once && { unrepeated: true as const }),
      });
      const events: readonly JournalEvent[] = [
        runStarted(PLANNED),
        ...CASES.flatMap((id, at): readonly JournalEvent[] => [
          started(id),
          ...(isWrong(at) ? [found(id, 'win.credit', 'fail', failure(at))] : []),
          ended(id, { passes: { 'win.credit': { '*': isWrong(at) ? 0 : 1 } } }),
        ]),
        { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
        runEnded(),
      ];
      const fromReport = summaryOfReport(JSON.parse(await reportOfEvents(events, 'json')));
      if ('problem' in fromReport) throw new Error(fromReport.problem);
      return [summaryOfFold(await foldJournal(events)), fromReport];
    };
    const worse = async (before: Failing, now: Failing): Promise<readonly (string | undefined)[]> => {
      const [earlier, later] = [await runOfWins(before), await runOfWins(now)];
      return [...new Set(earlier.flatMap((one) => later.map((two) => compare(one, two).worse[0]?.how)))];
    };

    it('is worse if it fails much more often, and not if it fails in other scenarios by chance', async () => {
      expect(await worse({ halves: 3 }, { halves: 20 })).toEqual([
        'it fails much more often: in 20 of 20 checks now, in 3 of 20 before',
      ]);
      expect(await worse({ halves: 3 }, { halves: 6, from: 5 })).toEqual([undefined]);
      expect((await worse({ halves: 3, once: false }, { halves: 6, once: false }))[0]).toContain('it also fails in');
    });

    it('is worse if balances are wrong in the other direction in two scenarios', async () => {
      expect(await worse({ halves: 8 }, { halves: 6, turned: 2 })).toEqual([
        'it now makes balances too high (in win/c28, win/c29). Before, they were too low',
      ]);
      expect(await worse({ halves: 8, sign: '' }, { halves: 6, sign: '-' })).toEqual([
        'it now makes balances too low (in win/c10, win/c11, win/c12 and 3 more). Before, they were too high',
      ]);
      expect(await worse({ halves: 8 }, { halves: 7, turned: 1 })).toEqual([undefined]);
      expect(await worse({ halves: 5 }, { halves: 3, turned: 2 })).toEqual([undefined]);
      expect(await worse({ halves: 8, turned: 1 }, { halves: 6, turned: 2 })).toEqual([undefined]);
    });
  });

  it('reads a JSON report of an older version, which lacks the newer parts', async () => {
    const value = JSON.parse(await reportText('failing', 'json')) as Record<string, unknown> & {
      scenarios: { id: string }[];
    };
    const { croupier, labels, digests, budgets, settings, ...old } = value;
    const summary = summaryOfReport({ ...old, scenarios: value.scenarios.map(({ id }) => ({ id })) });
    if ('problem' in summary) throw new Error(summary.problem);
    const now = summaryOfFold(await foldOf('failing'));
    expect(newFailures(compare(summary, now))).toEqual([]);
    expect([croupier, labels, digests, budgets, settings]).toEqual(['0.1.0', {}, undefined, [], expect.anything()]);
  });

  it('names the problem of a value that is not a report', () => {
    expect(summaryOfReport({ schema: 'x' })).toHaveProperty('problem');
  });
});
