import { describe, expect, it } from 'vitest';
import { RULES, type RuleId } from '../../src/contract/catalogue.ts';
import type { JournalEvent, KnownFailure, Raced, ScenarioEnded } from '../../src/journal/event.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { type Fold, foldJournal, startFold } from '../../src/journal/fold.ts';
import type { CoreCheck } from '../../src/journal/results/core-check.ts';
import type { RuleResult } from '../../src/journal/rule-result.ts';
import { attributed, ended, exchange, found, planned, runEnded, runOf, runStarted, started } from './events.ts';

const bet = planned('bet/debit', ['bet.debit']);

function ruleIn(fold: Fold, id: RuleId): RuleResult {
  const result = fold.rules.find(({ rule }) => rule.id === id);
  if (!result) throw new Error(`${id} has no result`);
  return result;
}

async function ruleOf(events: readonly JournalEvent[], id: RuleId): Promise<RuleResult> {
  return ruleIn(await foldJournal(events), id);
}

describe('the result of a journal', () => {
  it('gives every rule of the catalogue one verdict, in the order of the catalogue', async () => {
    const fold = await foldJournal(runOf(bet, [ended(bet.id, { passes: { 'bet.debit': { '*': 2 } } })]));
    expect(fold.rules.map(({ rule }) => rule.id)).toEqual(RULES.map(({ id }) => id));
    expect(fold.rules.filter(({ verdict }) => verdict !== 'untested').map(({ rule }) => rule.id)).toEqual([
      'bet.debit',
    ]);
  });

  it('counts passes, and names the scenarios that tested a rule', async () => {
    const result = await ruleOf(
      runOf(bet, [ended(bet.id, { passes: { 'bet.debit': { '*': 2, bet: 1 } } })]),
      'bet.debit',
    );
    expect(result).toMatchObject({ verdict: 'pass', checks: 3, reason: null, scenarios: ['bet/debit'] });
  });

  it('takes the most severe of several verdicts, and its reason', async () => {
    const events = runOf(bet, [
      found(bet.id, 'bet.debit', 'warn'),
      found(bet.id, 'bet.debit', 'fail', { actual: 'the bet was taken twice' }),
      found(bet.id, 'bet.debit', 'inconclusive'),
      ended(bet.id, { verdict: 'fail', passes: { 'bet.debit': { '*': 5 } } }),
    ]);
    const result = await ruleOf(events, 'bet.debit');
    expect(result).toMatchObject({ verdict: 'fail', reason: 'the bet was taken twice', checks: 7, findingCount: 3 });
    expect(result.findings.map(({ verdict }) => verdict)).toEqual(['fail', 'inconclusive', 'warn']);
  });

  it('gives a finding that the replies prove before findings of the same rule that only reads show', async () => {
    const events = runOf(bet, [
      ...Array.from({ length: 9 }, () => found(bet.id, 'bet.debit', 'fail', { actual: 'a read' })),
      found(bet.id, 'bet.debit', 'fail', { actual: 'a reply', shownByReplies: true }),
      ended(bet.id, { verdict: 'fail' }),
    ]);
    const { findings } = await ruleOf(events, 'bet.debit');
    expect(findings[0]).toMatchObject({ actual: 'a reply' });
  });

  it('counts no pass of another scenario if all scenarios that test the rule were skipped', async () => {
    const exact = planned('money/exact', ['money.exact']);
    const other = planned('balance/read-only', ['balance.read-only']);
    const passing = ended(other.id, { passes: { 'money.exact': { '*': 1 }, 'balance.read-only': { '*': 1 } } });
    const played = (verdict: 'skip' | 'pass', passes: ScenarioEnded['passes'] = {}) => [
      runStarted([exact, other]),
      { ...started(exact.id), sessions: {} },
      ended(exact.id, { verdict, reason: verdict === 'skip' ? 'the scenario needs a currency' : null, passes }),
      started(other.id),
      passing,
      runEnded(),
    ];
    expect(await ruleOf(played('skip'), 'money.exact')).toMatchObject({
      verdict: 'skip',
      reason: 'the scenario needs a currency',
      seenIn: 'money/exact',
    });
    expect(await ruleOf(played('pass', { 'money.exact': { '*': 1 } }), 'money.exact')).toMatchObject({
      verdict: 'pass',
      checks: 2,
    });
    // No scenario of this run claims to test the rule.
    expect(await ruleOf(runOf(other, [passing]), 'money.exact')).toMatchObject({ verdict: 'pass' });
  });

  it('gives a verdict to each endpoint, so that a pass does not hide a skip', async () => {
    const story = planned('signature/mismatch', ['signature.mismatch']);
    const events = runOf(story, [
      found(story.id, 'signature.mismatch', 'skip', { endpoint: 'refund', actual: 'refunds are off' }),
      ended(story.id, { passes: { 'signature.mismatch': { bet: 1, win: 2 } } }),
    ]);
    const { verdict, endpoints } = await ruleOf(events, 'signature.mismatch');
    expect(verdict).toBe('pass');
    expect(endpoints.map((result) => [result.endpoint, result.verdict, result.checks])).toEqual([
      ['balance', 'untested', 0],
      ['bet', 'pass', 1],
      ['win', 'pass', 2],
      ['refund', 'skip', 0],
    ]);
    expect(endpoints[3]?.reason).toBe('refunds are off');
  });

  it('keeps the races of the last attempt that have a finding, whether it comes before or after the race', async () => {
    const race = (exchanges: readonly string[], attempt: number): Raced => ({
      event: 'race',
      scenario: bet.id,
      attempt,
      round: 1,
      step: '1',
      exchanges,
      barrier: 0,
      staggerMs: 0,
      overlapped: 2,
    });
    const fold = await foldJournal([
      runStarted([bet]),
      started(bet.id, 1),
      race(['a', 'b'], 1),
      started(bet.id, 2),
      found(bet.id, 'bet.debit', 'fail', { exchange: 'd' }, 2),
      race(['a', 'b'], 1),
      race(['c', 'd'], 2),
      race(['e', 'f'], 2),
      race(['g', 'h'], 2),
      found(bet.id, 'bet.debit', 'fail', { exchange: 'e' }, 2),
      runEnded(),
    ]);
    expect(fold.races.map(({ exchanges }) => exchanges.join(''))).toEqual(['cd', 'ef']);
  });

  it('counts only breaches, not warnings and not findings that are attributed to a cause', async () => {
    const events = runOf(bet, [
      found(bet.id, 'bet.debit', 'fail'),
      found(bet.id, 'bet.debit', 'fail'),
      found(bet.id, 'bet.debit', 'warn'),
      found('other', 'bet.debit', 'fail'),
      ended(bet.id, { verdict: 'fail', passes: { 'bet.debit': { '*': 4 } } }),
      attributed('bet.debit', 'balance.read', { scenario: 'other' }),
    ]);
    expect(await ruleOf(events, 'bet.debit')).toMatchObject({ breaches: 2, checks: 7 });
  });

  it('ignores the findings of an attempt after the scenario was started again', async () => {
    const fold = await foldJournal([
      runStarted([bet]),
      started(bet.id, 1),
      found(bet.id, 'bet.debit', 'fail'),
      started(bet.id, 2),
      found(bet.id, 'bet.debit', 'fail', {}, 1),
      ended(bet.id, { attempt: 1, verdict: 'fail', passes: {} }),
      ended(bet.id, { attempt: 2, passes: { 'bet.debit': { '*': 1 } } }),
      runEnded(),
    ]);
    expect(ruleIn(fold, 'bet.debit').verdict).toBe('pass');
    expect(fold.scenarios[0]).toMatchObject({ attempt: 2, verdict: 'pass', findingCount: 0 });
  });

  it('counts a finding after the end of the scenario, such as a late debit', async () => {
    const events = runOf(bet, [
      ended(bet.id, { passes: { 'bet.debit': { '*': 1 } } }),
      found(bet.id, 'bet.debit', 'fail'),
    ]);
    const fold = await foldJournal(events);
    expect(ruleIn(fold, 'bet.debit').verdict).toBe('fail');
    expect(fold.scenarios[0]?.verdict).toBe('fail');
  });

  it('counts a finding of the whole run that belongs to no planned scenario', async () => {
    const fold = await foldJournal(runOf(bet, [ended(bet.id), found('end of run', 'money.conservation', 'fail')]));
    expect(ruleIn(fold, 'money.conservation')).toMatchObject({ verdict: 'fail', scenarios: ['end of run'] });
  });

  it('says why a rule was skipped when its scenario was skipped', async () => {
    const events = runOf(bet, [ended(bet.id, { verdict: 'skip', reason: 'no session has enough money' })]);
    expect(await ruleOf(events, 'bet.debit')).toMatchObject({
      verdict: 'skip',
      reason: 'no session has enough money',
      checks: 0,
      scenarios: [],
    });
  });

  it('prefers a pass in another scenario to a skip, and an undecided check to a pass', async () => {
    const other = planned('bet/other', ['bet.debit']);
    const run = (verdict: 'skip' | 'inconclusive') => [
      runStarted([bet, other]),
      started(bet.id),
      ended(bet.id, { passes: { 'bet.debit': { '*': 1 } } }),
      started(other.id),
      ended(other.id, { verdict, reason: 'why' }),
      runEnded(),
    ];
    expect((await ruleOf(run('skip'), 'bet.debit')).verdict).toBe('pass');
    expect(await ruleOf(run('inconclusive'), 'bet.debit')).toMatchObject({ verdict: 'inconclusive', reason: 'why' });
  });

  it('does not let a rule pass that its scenario left undecided', async () => {
    expect(await ruleOf(runOf(bet, [ended(bet.id)]), 'bet.debit')).toMatchObject({
      verdict: 'inconclusive',
      reason: 'the scenario ended without deciding the rule',
      seenIn: 'bet/debit',
    });
  });

  it('keeps a rule skipped if its scenario had to skip it, whatever else that scenario decided', async () => {
    const events = runOf(bet, [
      found(bet.id, 'bet.debit', 'skip', { actual: 'a limit' }),
      ended(bet.id, { verdict: 'pass' }),
    ]);
    expect(await ruleOf(events, 'bet.debit')).toMatchObject({ verdict: 'skip', reason: 'a limit' });
  });

  it('counts a rule that passed as decided, even if a scenario that claims it left it open', async () => {
    const other = planned('bet/other', ['bet.debit']);
    const result = await ruleOf(
      [
        runStarted([bet, other]),
        started(bet.id),
        ended(bet.id, { passes: { 'bet.debit': { '*': 1 } } }),
        started(other.id),
        ended(other.id),
        runEnded(),
      ],
      'bet.debit',
    );
    expect(result.verdict).toBe('pass');
  });

  it.each([
    [true, 'bet.debit', 'no scenario of this run tests it'],
    [false, 'bet.debit', 'not selected'],
  ] as const)('says why a rule is untested (the whole suite was selected: %s, rule: %s)', async (whole, id, reason) => {
    expect(await ruleOf([runStarted([], false, whole), runEnded()], id)).toMatchObject({ verdict: 'untested', reason });
  });

  it.each([
    [[], 'the run was cut off'],
    [[runEnded('bail')], 'the run stopped early after failures (--bail)'],
    [[runEnded('interrupted', 'SIGINT')], 'the run was interrupted'],
    [[runEnded('unreachable')], 'the operator could not be reached'],
  ])('says why a planned scenario was not played', async (end, reason) => {
    expect(await ruleOf([runStarted([bet]), ...end], 'bet.debit')).toMatchObject({ verdict: 'untested', reason });
  });

  it('accepts a journal that was cut off by a kill', async () => {
    const fold = await foldJournal([runStarted([bet]), started(bet.id), ...exchange('x1', bet.id)]);
    expect(fold.ended).toBeNull();
    expect(ruleIn(fold, 'bet.debit')).toMatchObject({
      verdict: 'inconclusive',
      reason: 'the run was cut off before the scenario decided the rule',
      seenIn: 'bet/debit',
    });
    expect(fold.scenarios[0]).toMatchObject({ state: 'cut-off', verdict: 'inconclusive' });
    expect(fold.exchanges).toEqual({ sent: 1, answered: 1 });
  });

  it('lists the calls that are still owed, which were opened and not closed', async () => {
    const owed = (txID: string, open: boolean): JournalEvent => ({
      event: 'owed',
      scenario: bet.id,
      call: 'refund',
      sessionID: 's-1',
      txID,
      open,
      fields: {},
    });
    const fold = await foldJournal(runOf(bet, [owed('a', true), owed('b', true), owed('a', false), ended(bet.id)]));
    expect(fold.owed.map(({ txID }) => txID)).toEqual(['b']);
  });

  it('contains each notice once', async () => {
    const notice = { event: 'notice', text: 'TLS was not checked' } as const;
    expect((await foldJournal(runOf(bet, [notice, notice]))).notices).toEqual(['TLS was not checked']);
  });

  describe('about kinds of calls', () => {
    const session = (player: string, currency: string) => ({
      sessionID: `s-${player}`,
      player,
      currency,
      gameID: null,
      state: 'active' as const,
    });
    const plan = ['race', 'decimals', 'skipped'].map((id) => planned(id, ['bet.debit']));
    const events = (whole: boolean): readonly JournalEvent[] => {
      const start = runStarted(plan, false, whole);
      const sessions = [session('p1', 'EUR'), session('p2', 'JPY'), session('p3', 'EUR')];
      const play = (id: string, player: string, checks: readonly CoreCheck[], more: Partial<ScenarioEnded> = {}) => [
        { ...started(id), sessions: { main: `s-${player}` }, checks },
        ended(id, more),
      ];
      return [
        { ...start, settings: { ...start.settings, sessions } },
        ...play('race', 'p1', ['race']),
        ...play('decimals', 'p3', ['decimal-win']),
        ...play('skipped', 'p2', ['race'], { verdict: 'skip', reason: 'the bet was declined' }),
        runEnded(),
      ];
    };

    it('names the players that lack them, and leaves out decimals of a currency without decimals', async () => {
      const { notices } = await foldJournal(events(true));
      expect(notices).toEqual([
        'Not tried with p1: wins with decimals; with p2: bets and wins at the same moment; with p3: bets and wins at the same moment. Other players made such calls, so a fault of one player may not show.',
      ]);
    });

    it('says nothing if the user selected some scenarios', async () => {
      expect((await foldJournal(events(false))).notices).toEqual([]);
    });
  });

  it('cannot be computed before the event that starts the run', () => {
    expect(() => startFold().result()).toThrow('the events have no run-started event');
  });
});

describe('an attribution of findings to a cause', () => {
  it('replaces the verdict of findings and passes, and names the cause', async () => {
    const events = runOf(bet, [
      found(bet.id, 'bet.debit', 'fail'),
      ended(bet.id, { verdict: 'fail', passes: { 'bet.debit': { '*': 3 } } }),
      attributed('bet.debit', 'balance.read'),
    ]);
    const fold = await foldJournal(events);
    const result = ruleIn(fold, 'bet.debit');
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      because: 'balance.read',
      reason: 'balance.read explains it',
      checks: 0,
    });
    expect(result.findings[0]).toMatchObject({ verdict: 'inconclusive', because: 'balance.read' });
    expect(fold.scenarios[0]?.verdict).toBe('inconclusive');
  });

  it('changes only the endpoint and the scenario that it names', async () => {
    const one = planned('signature/one', ['signature.mismatch']);
    const two = planned('signature/two', ['signature.mismatch']);
    const events = [
      runStarted([one, two]),
      started(one.id),
      found(one.id, 'signature.mismatch', 'fail', { endpoint: 'bet' }),
      found(one.id, 'signature.mismatch', 'fail', { endpoint: 'win' }),
      ended(one.id, { verdict: 'fail' }),
      started(two.id),
      found(two.id, 'signature.mismatch', 'fail', { endpoint: 'bet' }),
      ended(two.id, { verdict: 'fail' }),
      attributed('signature.mismatch', 'balance.read', { endpoint: 'bet', scenario: one.id }),
      runEnded(),
    ];
    const { findings } = await ruleOf(events, 'signature.mismatch');
    const verdicts = findings.map(({ scenario, endpoint, verdict }) => `${scenario} ${endpoint} ${verdict}`);
    expect(verdicts.toSorted()).toEqual([
      'signature/one bet inconclusive',
      'signature/one win fail',
      'signature/two bet fail',
    ]);
  });

  it('does not change a skip, because a rule that was not tested needs no explanation', async () => {
    const events = runOf(bet, [
      found(bet.id, 'bet.debit', 'skip'),
      ended(bet.id),
      attributed('bet.debit', 'balance.read'),
    ]);
    expect((await ruleOf(events, 'bet.debit')).because).toBeNull();
  });

  it('is replaced by a later attribution of the same findings', async () => {
    const events = runOf(bet, [
      found(bet.id, 'bet.debit', 'fail'),
      ended(bet.id),
      attributed('bet.debit', 'balance.read'),
      attributed('bet.debit', 'money.main-unit'),
    ]);
    expect((await ruleOf(events, 'bet.debit')).because).toBe('money.main-unit');
  });
});

describe('the level of a rule', () => {
  const story = planned('reply/all', ['reply.content-type', 'bet.zero']);

  it.each([
    [false, 'warn'],
    [true, 'fail'],
  ] as const)('with strict %s, the breach of a SHOULD is a %s', async (strict, verdict) => {
    const events = runOf(story, [found(story.id, 'reply.content-type', 'warn'), ended(story.id)], strict);
    expect((await ruleOf(events, 'reply.content-type')).verdict).toBe(verdict);
  });

  it('keeps the warning of a MUST a warning, even in a strict run', async () => {
    const events = runOf(bet, [found(bet.id, 'bet.debit', 'warn'), ended(bet.id)], true);
    expect((await ruleOf(events, 'bet.debit')).verdict).toBe('warn');
  });

  it('makes the breach of a NOTE a note in every run', async () => {
    const events = runOf(story, [found(story.id, 'bet.zero', 'fail'), ended(story.id)], true);
    expect((await ruleOf(events, 'bet.zero')).verdict).toBe('note');
  });
});

async function foldedSize(times: number): Promise<number> {
  function* events(): Generator<JournalEvent> {
    yield runStarted([bet]);
    yield started(bet.id);
    for (let index = 0; index < times; index += 1) {
      yield* exchange(`x${index}`, bet.id);
      yield found(bet.id, 'bet.debit', 'fail', { exchange: 'x1' });
      yield { event: 'notice', text: `call ${index} was odd` };
    }
    yield ended(bet.id, { verdict: 'fail' });
    yield runEnded();
  }
  const fold = await foldJournal(events());
  expect(ruleIn(fold, 'bet.debit').findingCount).toBe(times);
  return JSON.stringify(fold).length;
}

describe('the size of the result of a journal', () => {
  it('does not depend on the number of findings and exchanges', async () => {
    const [small, large] = [await foldedSize(200), await foldedSize(20_000)];
    expect(large / small).toBeLessThan(1.05);
  });
});

describe('the rule about balance calls', () => {
  it('says to look for a cache or a replica if each failure is an old balance', async () => {
    const hintOf = async (...findings: readonly Partial<Finding>[]): Promise<string | undefined> => {
      const fold = await foldJournal([
        runStarted([planned('a', ['balance.read'])]),
        started('a'),
        ...findings.map((more) => found('a', 'balance.read', 'fail', more)),
        ended('a', { verdict: 'fail' }),
        runEnded(),
      ]);
      return fold.rules.find(({ rule }) => rule.id === 'balance.read')?.rule.hint;
    };
    expect(await hintOf({ staleRead: true })).toContain('not from a cache or a read replica');
    expect(await hintOf({ staleRead: true }, {})).toContain('verifies the signature');
  });
});

describe('the first example of a rule that is worse than the baseline allows', () => {
  const known = {
    endpoint: null,
    scenario: null,
    intermittent: true,
    reason: 'known',
    ticket: 'PAY-1',
    expires: '2999-01-01',
    line: 1,
    tried: true,
  } as const;
  const firstOf = async (rule: RuleId, entry: Partial<KnownFailure>, ...findings: readonly Partial<Finding>[]) => {
    const ids = ['a', 'b', 'c'];
    const start = runStarted(ids.map((id) => planned(id, [rule])));
    const fold = await foldJournal([
      {
        ...start,
        settings: { ...start.settings, stakes: { USD: '1' } },
        baseline: { file: 'b.yaml', known: [{ ...known, rule: 'win.credit', ...entry }] },
      },
      ...ids.flatMap((id, at): readonly JournalEvent[] => [
        started(id),
        found(id, rule, 'fail', { wrongSum: { amount: '-3', currency: 'USD', moved: '6' }, ...findings[at] }),
        found(id, 'win.credit', 'fail', { wrongSum: { amount: '-3', currency: 'USD', moved: '6' } }),
        ended(id, { verdict: 'fail' }),
      ]),
      runEnded(),
    ]);
    return fold.rules.find(({ rule: { id } }) => id === rule)?.findings[0]?.scenario;
  };

  it('is one that calls of the known failure do not explain', async () => {
    const of = (call: 'bet' | 'win'): Partial<Finding> => ({
      causes: ['win.credit'],
      wrongSum: { amount: '-3', currency: 'USD', moved: '6', calls: [{ call, amount: '6' }] },
    });
    expect(await firstOf('concurrency.no-lost-update', {}, of('win'), of('bet'), of('win'))).toBe('b');
  });

  it('has the largest share of the amounts of its calls', async () => {
    const share = (amount: string): Partial<Finding> => ({ wrongSum: { amount, currency: 'USD', moved: '6' } });
    expect(await firstOf('bet.debit', {}, share('-3'), share('-3'), share('-6'))).toBe('c');
  });
});
