import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/journal/event.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { attributed, ended, found, planned, runEnded, runStarted, started } from './events.ts';

/** Each scenario with its findings, in a run that was played to its end. */
async function causesOf(
  stories: Readonly<Record<string, readonly JournalEvent[]>>,
  after: readonly JournalEvent[] = [],
  strict = false,
) {
  const start = runStarted(
    Object.keys(stories).map((id) => planned(id, [])),
    strict,
  );
  const events = [
    { ...start, settings: { ...start.settings, stakes: { USD: '1' } } },
    ...Object.entries(stories).flatMap(([id, findings]) => [started(id), ...findings, ended(id, { verdict: 'fail' })]),
    ...after,
    runEnded(),
  ];
  const { causes } = await foldJournal(events);
  return causes;
}

const names = (causes: Awaited<ReturnType<typeof causesOf>>) => causes.map(({ result }) => result.rule.id);

describe('the likely causes of the broken rules', () => {
  it('are an empty list for a run without a broken rule, even if rules are undecided', async () => {
    expect(await causesOf({ a: [found('a', 'bet.debit', 'inconclusive'), found('a', 'win.credit', 'warn')] })).toEqual(
      [],
    );
  });

  it('are the rules that explain the others, each with the rules that it explains', async () => {
    const causes = await causesOf(
      {
        a: [found('a', 'idempotency.bet', 'fail')],
        b: [found('b', 'bet.debit', 'fail', { causes: ['idempotency.bet'] })],
        c: [found('c', 'money.conservation', 'fail', { causes: ['idempotency.bet'] })],
      },
      [attributed('money.conservation', 'idempotency.bet', { scenario: 'c' })],
    );
    expect(names(causes)).toEqual(['idempotency.bet']);
    expect(causes[0]).toMatchObject({
      explains: [
        { rule: 'bet.debit', verdict: 'fail' },
        { rule: 'money.conservation', verdict: 'inconclusive' },
      ],
      findings: 3,
      scenarios: ['a'],
    });
  });

  it('keep a second breach of a rule that the first cause does not explain', async () => {
    const causes = await causesOf({
      a: [found('a', 'idempotency.bet', 'fail')],
      b: [found('b', 'bet.debit', 'fail', { causes: ['idempotency.bet'] })],
      c: [found('c', 'bet.debit', 'fail')],
    });
    expect(names(causes)).toEqual(['bet.debit', 'idempotency.bet']);
    expect(causes.flatMap(({ explains }) => explains)).toEqual([]);
  });

  it('are only one rule if that rule explains two rules that explain each other', async () => {
    const causes = await causesOf({
      a: [found('a', 'bet.debit', 'fail', { causes: ['money.exact'] })],
      b: [found('b', 'money.exact', 'fail', { causes: ['bet.debit'] })],
      c: [found('c', 'win.credit', 'fail', { causes: ['money.exact'] })],
    });
    expect(names(causes)).toEqual(['money.exact']);
    expect(causes[0]?.explains.map(({ rule }) => rule)).toEqual(['bet.debit', 'win.credit']);
  });

  it.each<[string, Finding['wrongSum'], boolean]>([
    ['half of a win', { amount: '-2', currency: 'USD', moved: '4', calls: [{ call: 'win', amount: '4' }] }, true],
    ['a whole win', { amount: '-4', currency: 'USD', moved: '4', calls: [{ call: 'win', amount: '4' }] }, false],
    ['half of a bet', { amount: '-2', currency: 'USD', moved: '4', calls: [{ call: 'bet', amount: '4' }] }, false],
    ['the other direction', { amount: '2', currency: 'USD', moved: '4', calls: [{ call: 'win', amount: '4' }] }, false],
    ['half of unknown calls', { amount: '-2', currency: 'USD', moved: '4' }, true],
    ['a cent of unknown calls', { amount: '-0.01', currency: 'USD', moved: '4' }, false],
  ])('that make wins wrong by half of their amount: %s', async (_what, wrongSum, isExplained) => {
    const half = { amount: '-1.5', currency: 'USD', moved: '3' };
    const causes = await causesOf({
      a: [found('a', 'win.credit', 'fail', { wrongSum: half })],
      b: [found('b', 'refund.restore', 'fail', { causes: ['win.credit'], ...(wrongSum && { wrongSum }) })],
    });
    expect(names(causes)).toEqual(isExplained ? ['win.credit'] : ['win.credit', 'refund.restore']);
  });

  it('explain no wrong balance if only replies to their calls were wrong', async () => {
    const causes = await causesOf({
      a: [found('a', 'bet.debit', 'fail', { wrongReply: true })],
      b: [
        found('b', 'bet.decimal-amount', 'fail', {
          causes: ['bet.debit'],
          wrongSum: { amount: '-0.75', currency: 'USD' },
        }),
      ],
    });
    expect(names(causes)).toEqual(['bet.debit', 'bet.decimal-amount']);
  });

  it('explain a bet above the balance by wrong bets only if these made a balance wrong', async () => {
    const above = found('b', 'bet.insufficient-funds', 'fail', { causes: ['bet.debit'] });
    const causes = (more: Partial<Finding>) => causesOf({ a: [found('a', 'bet.debit', 'fail', more)], b: [above] });
    expect(names(await causes({ wrongSum: { amount: '1', currency: 'USD' } }))).toEqual(['bet.debit']);
    expect(names(await causes({ wrongReply: true }))).toEqual(['bet.debit', 'bet.insufficient-funds']);
  });

  it('do not depend on the order of the findings', async () => {
    const a = [found('a', 'bet.debit', 'fail', { causes: ['win.credit'] })];
    const b = [found('b', 'win.credit', 'fail', { causes: ['bet.debit'] })];
    expect(names(await causesOf({ a, b }))).toEqual(['bet.debit']);
    expect(names(await causesOf({ b, a }))).toEqual(['bet.debit']);
  });

  it('include only the first rule of a chain of explanations', async () => {
    const causes = await causesOf(
      {
        a: [found('a', 'balance.read', 'fail')],
        b: [found('b', 'bet.debit', 'fail', { causes: ['balance.read'] })],
        c: [found('c', 'win.credit', 'fail')],
      },
      [attributed('win.credit', 'bet.debit', { scenario: 'c' })],
    );
    expect(names(causes)).toEqual(['balance.read']);
    expect(causes[0]?.explains.map(({ rule }) => rule)).toEqual(['bet.debit', 'win.credit']);
  });

  it('include passes that are undecided because of the cause', async () => {
    const passes = { 'signature.missing': { bet: 2 } } as const;
    const events = [
      runStarted([planned('a', ['signature.mismatch'])]),
      started('a'),
      found('a', 'signature.mismatch', 'fail', { endpoint: 'bet' }),
      ended('a', { verdict: 'fail', passes }),
      attributed('signature.missing', 'signature.mismatch', { endpoint: 'bet' }),
      runEnded(),
    ];
    const [cause] = (await foldJournal(events)).causes;
    expect(cause?.explains).toEqual([{ rule: 'signature.missing', verdict: 'inconclusive' }]);
    expect(cause?.findings).toBe(1);
  });

  it('list rules about money first, then the rules that explain most findings', async () => {
    const causes = await causesOf({
      a: [found('a', 'balance.read', 'fail'), found('a', 'reply.json', 'fail'), found('a', 'reply.json', 'fail')],
      b: [found('b', 'refund.retried', 'fail'), found('b', 'idempotency.bet', 'fail')],
      c: [found('c', 'win.zero', 'fail', { causes: ['reply.json'] })],
      d: [found('d', 'win.credit', 'fail', { causes: ['idempotency.bet'] })],
    });
    expect(names(causes)).toEqual(['idempotency.bet', 'refund.retried', 'reply.json', 'balance.read']);
  });

  it('list a rule that every check showed to be broken before one that some checks did not', async () => {
    const causes = await causesOf({
      a: [found('a', 'bet.debit', 'fail'), found('a', 'win.credit', 'fail')],
      b: [found('b', 'bet.debit', 'pass')],
    });
    expect(names(causes)).toEqual(['win.credit', 'bet.debit']);
  });

  it('count a call that took effect twice to the rule about plain replays only if such a replay took effect again', async () => {
    const wrongSum = { amount: '-1.00', currency: 'USD' };
    const race = found('b', 'idempotency.concurrent', 'fail', { causes: ['idempotency.bet'], wrongSum });
    const replay = (more: Partial<Finding>) => found('a', 'idempotency.bet', 'fail', more);
    expect(names(await causesOf({ a: [replay({ wrongSum })], b: [race] }))).toEqual(['idempotency.bet']);
    expect(names(await causesOf({ a: [replay({})], b: [race] }))).toEqual([
      'idempotency.bet',
      'idempotency.concurrent',
    ]);
  });

  it('include a SHOULD only if it fails the run', async () => {
    const stories = { a: [found('a', 'idempotency.same-reply', 'warn')] };
    expect(names(await causesOf(stories))).toEqual([]);
    expect(names(await causesOf(stories, [], true))).toEqual(['idempotency.same-reply']);
  });

  it("show first a finding that no other rule explains, then a finding of the rule's own scenario, then a finding with an exchange", async () => {
    const stories = ['a', 'b', 'c', 'd'].map((id) => planned(id, id === 'c' || id === 'd' ? ['bet.debit'] : []));
    const findings = [
      found('a', 'bet.debit', 'fail', { causes: ['win.credit'], exchange: 'x1' }),
      found('b', 'bet.debit', 'fail', { exchange: 'x2' }),
      found('c', 'bet.debit', 'fail'),
      found('d', 'bet.debit', 'fail', { exchange: 'x4' }),
    ];
    const events = [runStarted(stories), ...stories.map(({ id }) => started(id)), ...findings, runEnded()];
    const [cause] = (await foldJournal(events)).causes;
    expect(cause?.mainFinding?.exchange).toBe('x4');
    expect(cause?.scenarios).toEqual(['d', 'c', 'b', 'a']);
  });
});

describe('a rule that only the calls of one player break', () => {
  const sessions = ['em', 'bo'].map((player) => ({
    sessionID: `s-${player}`,
    player,
    currency: 'USD',
    gameID: null,
    state: 'active' as const,
  }));
  const playedBy = (player: string, id: string, findings: readonly JournalEvent[], passes = {}): JournalEvent[] => [
    { ...started(id), sessions: { main: `s-${player}` } },
    ...findings,
    ended(id, { verdict: findings.length > 0 ? 'fail' : 'pass', passes }),
  ];
  const restored = { 'refund.restore': { '*': 1 } };
  const lost = (id: string) => found(id, 'refund.without-round', 'fail', { causes: ['refund.restore'] });

  it.each([
    ['does not explain a failure of another player', 'bo', ['refund.restore', 'refund.without-round']],
    ['explains a failure of the same player', 'em', ['refund.restore']],
  ])('%s', async (_, player, expected) => {
    const ids = ['em1', 'bo1', 'bo2', 'bo3', 'lost'];
    const begun = runStarted(ids.map((id) => planned(id, [])));
    const { causes } = await foldJournal([
      { ...begun, settings: { ...begun.settings, sessions } },
      ...playedBy('em', 'em1', [found('em1', 'refund.restore', 'fail')]),
      ...['bo1', 'bo2', 'bo3'].flatMap((id) => playedBy('bo', id, [], restored)),
      ...playedBy(player, 'lost', [lost('lost')]),
      runEnded(),
    ]);
    expect(names(causes).toSorted()).toEqual(expected);
  });
});
