import { describe, expect, it } from 'vitest';
import { conclude } from '../../src/journal/conclusion.ts';
import type { Intermittent, JournalEvent, MovedAlone } from '../../src/journal/event.ts';
import { EXPECTATION, type Finding } from '../../src/journal/finding.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { MOVED_ALONE, movedAloneWarning } from '../../src/journal/scenario-result.ts';
import { ended, exchange, found, planned, runEnded, runStarted, started } from './events.ts';

const scenario = planned('bet/debit', ['bet.debit']);
const moved: MovedAlone = { event: 'moved-alone', sessionID: 's-1', player: 'anna', values: ['10', '9', '7.5'] };

const of = (...findings: Parameters<typeof found>[1][]) =>
  foldJournal([
    runStarted([scenario]),
    started(scenario.id),
    ...findings.map((rule) => found(scenario.id, rule, 'fail')),
    ended(scenario.id, { verdict: 'fail' }),
    moved,
    runEnded(),
  ]);

it('a balance that somebody else moved leaves every failure that a balance shows undecided', async () => {
  const fold = await of('bet.debit', 'bet.insufficient-funds', EXPECTATION);
  expect(conclude(fold)).toEqual({
    verdict: 'undecided',
    exitCode: 3,
    firstLine:
      "UNDECIDED: the balance of the player anna changed without a call of this run (10 → 9 → 7.5): another process moves it, or the operator's reads are wrong. So 2 rules and 1 expectation could not be decided. Make sure that only this run uses the player, and run again.",
  });
});

it('a balance that somebody else moved does not excuse a breach that a reply shows', async () => {
  const fold = await of('bet.debit', 'reply.json', 'signature.mismatch');
  const verdicts = fold.rules.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule.id);
  expect(verdicts).toEqual(['signature.mismatch', 'reply.json']);
  expect(conclude(fold)).toMatchObject({ verdict: 'nonconforming', exitCode: 1 });
});

it.each([
  ['is undecided if no other reply was late', [5000], true, 3],
  ['breaks the rule if it occurred again', [5000], false, 1],
  ['is undecided if the other late replies were late at the same time', [5000, 5020, 9900], true, 3],
  ['breaks the rule if replies were late at another time too', [5000, 10_100], true, 1],
] as const)('a late reply %s', async (_, ends, unrepeated, exitCode) => {
  const late = ends.flatMap((end, index) => {
    const [sending, received] = exchange(`x${index}`, 'balance/read');
    const about = {
      endpoint: 'balance',
      exchange: `x${index}`,
      ...(unrepeated && { unrepeated: true as const }),
    } as const;
    const stamps = { ...received.stamps, start: end - 4999, end };
    return [sending, found('balance/read', 'reply.deadline', 'fail', about), { ...received, stamps }];
  });
  const fold = await foldJournal([
    runStarted([planned('balance/read', ['reply.deadline'])]),
    started('balance/read'),
    ...late,
    ended('balance/read', { verdict: 'fail', passes: { 'balance.read': { '*': 1 } } }),
    runEnded(),
  ]);
  const { exitCode: status, firstLine } = conclude(fold);
  expect(status).toBe(exitCode);
  if (exitCode === 3)
    expect(firstLine).toMatch(/^UNDECIDED: replies were late at only one time of the run, .* Run again, and/);
});

describe('a failure that only a balance shows, and that did not occur again', () => {
  const intermittent: Intermittent = { event: 'intermittent', sessionID: 's-1', player: 'anna', times: 3 };
  const wrongSum = { amount: '1', currency: 'EUR' } as const;
  const foldOf = (more: Partial<Finding>, ...proof: readonly JournalEvent[]) =>
    foldJournal([
      runStarted([scenario]),
      started(scenario.id),
      found(scenario.id, 'bet.debit', 'fail', more),
      ended(scenario.id, { verdict: 'fail' }),
      ...proof,
      runEnded(),
    ]);

  it.each([
    ['undecided', 'nothing shows why', { wrongSum, unrepeated: true }, [], 3, 'croupier repeated the scenario'],
    ['a breach', 'the operator fails now and then', { wrongSum, unrepeated: true }, [intermittent], 1, null],
    [
      'undecided',
      'croupier could not repeat the scenario',
      { wrongSum, awaitsRepetition: true },
      [],
      3,
      'croupier could not repeat the scenario to this point',
    ],
    [
      'undecided',
      'nothing shows why, and its sum depends on the balance',
      { wrongSum: { ...wrongSum, varies: true }, unrepeated: true },
      [],
      3,
      'croupier repeated the scenario',
    ],
    ['a breach', 'only a reply shows it', { unrepeated: true }, [], 1, null],
  ] as const)('is %s if %s', async (_, __, more, proof, exitCode, reason) => {
    const fold = await foldOf(more, ...proof);
    expect(conclude(fold).exitCode).toBe(exitCode);
    const rule = fold.rules.find(({ rule: { id } }) => id === 'bet.debit');
    if (reason !== null) expect(rule).toMatchObject({ reason: expect.stringContaining(reason) });
    expect(fold.scenarios.map(({ verdict }) => verdict)).toEqual([exitCode === 1 ? 'fail' : 'inconclusive']);
  });

  it('has no warning about others if the operator is proven to fail now and then', async () => {
    const proof = { event: 'intermittent', sessionID: 's', player: 'anna', times: 3 } as const;
    const warningOf = async (...more: readonly JournalEvent[]) =>
      movedAloneWarning(
        await foldJournal([
          runStarted([scenario]),
          started(scenario.id),
          found(scenario.id, 'bet.debit', 'fail', { wrongSum }),
          ended(scenario.id, { verdict: 'fail', reason: MOVED_ALONE }),
          ...more,
          runEnded(),
        ]),
      );
    expect([await warningOf(), await warningOf(proof)]).toEqual([expect.stringContaining('another process'), null]);
  });

  it('is undecided without a wrong sum too, if more bets were accepted than croupier knew money for', async () => {
    const findings = (more: Partial<Finding>) =>
      foldJournal([
        runStarted([scenario]),
        started(scenario.id),
        found(scenario.id, 'concurrency.no-overdraft', 'fail', more),
        ended(scenario.id, { verdict: 'fail', passes: { 'bet.debit': { '*': 1 } } }),
        runEnded(),
      ]);
    expect(conclude(await findings({ unrepeated: true })).exitCode).toBe(3);
    expect(conclude(await findings({})).exitCode).toBe(1);
  });

  it('is excused if the baseline allows that the rule fails now and then', async () => {
    const place = {
      rule: 'bet.debit',
      endpoint: null,
      scenario: null,
      intermittent: true,
      line: 1,
      tried: true,
    } as const;
    const known = { ...place, reason: 'known', ticket: 'PAY-1', expires: '2999-01-01' };
    const excused = await foldJournal([
      { ...runStarted([scenario]), baseline: { file: 'b.yaml', known: [known] } },
      started(scenario.id),
      found(scenario.id, 'bet.debit', 'fail', { wrongSum, unrepeated: true }),
      ended(scenario.id, { verdict: 'fail', passes: { 'bet.debit': { '*': 1 }, 'win.credit': { '*': 1 } } }),
      runEnded(),
    ]);
    expect(excused.baseline.map(({ state }) => state)).toEqual(['undecided']);
    expect(conclude(excused).exitCode).toBe(0);
  });
});
