import { describe, expect, it } from 'vitest';
import { conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent, KnownFailure } from '../../src/journal/event.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import type { WrongSum } from '../../src/journal/money-sums.ts';
import { attributed, ended, found, planned, runEnded, runStarted, started } from '../journal/events.ts';

const SCENARIOS = ['bet/a', 'bet/b', 'signature/c'].map((id) =>
  planned(id, ['bet.debit', 'win.credit', 'signature.no-effect', 'money.conservation']),
);

/** In two scenarios, half of a bet was not taken, once each. */
const HALF: WrongSum = { amount: '0.50', currency: 'USD', moved: '1' };

interface Case {
  readonly sum?: Partial<WrongSum>;
  readonly recurs?: boolean;
  readonly known?: boolean;
  readonly halves?: readonly string[];
  readonly rule?: 'signature.no-effect' | 'money.conservation';
  readonly alsoWins?: boolean;
  /** The sum by which a bet of the same read is wrong. */
  readonly alsoBet?: string;
}

/** A run in which a scenario about signatures has a wrong sum, after a bet of 3. */
async function foldOf({
  sum = {},
  recurs = false,
  known = false,
  halves = ['bet/a', 'bet/b'],
  rule = 'signature.no-effect',
  alsoWins = false,
  alsoBet,
}: Case): Promise<Fold> {
  const start = runStarted(SCENARIOS);
  const wrongSum = {
    amount: '1.50',
    currency: 'USD',
    moved: '3',
    calls: [{ call: 'bet', amount: '3' }],
    ...sum,
  } as const;
  const entry: KnownFailure = {
    rule: 'bet.debit',
    endpoint: null,
    scenario: null,
    reason: 'known',
    ticket: 'PAY-1',
    expires: '2999-01-01',
    intermittent: true,
    line: 1,
    tried: true,
  };
  return await foldJournal([
    { ...start, ...(known && { baseline: { file: 'b.yaml', known: [entry] } }) },
    ...SCENARIOS.flatMap(({ id }): readonly JournalEvent[] => [
      started(id),
      ...(halves.includes(id) ? [found(id, 'bet.debit', 'fail', { wrongSum: HALF, unrepeated: true })] : []),
      ...(alsoWins && id === 'bet/a' ? [found(id, 'win.credit', 'fail', { wrongSum: HALF, unrepeated: true })] : []),
      ...(alsoBet && id === 'signature/c'
        ? [found(id, 'bet.debit', 'fail', { wrongSum: { ...HALF, amount: alsoBet, moved: '3' }, unrepeated: true })]
        : []),
      ...(id === 'signature/c'
        ? [found(id, rule, 'fail', { wrongSum, ...(!recurs && { unrepeated: true as const }) })]
        : []),
      ended(id, {
        passes: {
          'bet.debit': { '*': 9 },
          'win.credit': { '*': 9 },
          'money.conservation': { '*': 9 },
          ...(id !== 'signature/c' && { 'signature.no-effect': { '*': 1 } }),
        },
      }),
    ]),
    { event: 'intermittent', sessionID: 's', player: 'eva', times: 3 },
    runEnded(),
  ]);
}

const verdictOf = async (given: Case): Promise<string> => {
  const result = (await foldOf(given)).rules.find(({ rule }) => rule.id === (given.rule ?? 'signature.no-effect'));
  return `${result?.verdict} ${result?.because ?? '-'}`;
};

describe('a failure that a rare failure of another rule explains exactly', () => {
  it('is undecided, and known if the baseline lists the other rule', async () => {
    expect(await verdictOf({})).toBe('inconclusive bet.debit');
    const fold = await foldOf({ known: true, halves: ['bet/a'] });
    expect(fold.rules.find(({ rule }) => rule.id === 'signature.no-effect')?.reason).toMatch(
      /^the failure of `bet.debit`, which occurs now and then, explains exactly this sum/,
    );
    expect(fold.scenarios.find(({ planned: { id } }) => id === 'signature/c')?.verdict).toBe('inconclusive');
    expect(conclude(fold).exitCode).toBe(0);
  });

  it('is undecided also if the wrong balance was divided into a sum of each rule', async () => {
    const sum = { amount: '-1.50' };
    expect(await verdictOf({ sum, alsoBet: '3' })).toBe('inconclusive bet.debit');
    expect(await verdictOf({ sum, alsoBet: '4' })).toBe('fail -');
  });

  it('fails if it occurs again', async () => {
    expect(await verdictOf({ recurs: true })).toBe('fail -');
    expect(conclude(await foldOf({ recurs: true, known: true })).exitCode).toBe(1);
  });

  it('fails for `money.conservation` if another kind of call fails too, because any call may lose money', async () => {
    const rule = 'money.conservation';
    expect([await verdictOf({ rule }), await verdictOf({ rule, alsoWins: true })]).toEqual([
      'inconclusive bet.debit',
      'fail -',
    ]);
  });

  it.each<[string, Case]>([
    ['the sum is another share of the call', { sum: { amount: '3' } }],
    ['the sum has the other sign', { sum: { amount: '-1.50' } }],
    ['no such call was sent', { sum: { calls: [{ call: 'win', amount: '3' }] } }],
    ['the other rule failed in one scenario only', { halves: ['bet/a'] }],
    ['the other rule did not fail', { halves: [], known: true }],
  ])('fails if %s', async (_name, given) => expect(await verdictOf(given)).toBe('fail -'));
});

describe('a failure in a race with several rounds', () => {
  const ID = 'win/race';
  const WINS = ['win/a', 'win/b', 'win/c'].map((id) => planned(id, ['win.credit']));
  const PLAN = [...WINS, planned(ID, ['win.retried', 'win.failed-keeps-bet'])];
  const sumOf = (amount: string): WrongSum => ({
    amount,
    currency: 'USD',
    moved: '4',
    calls: [{ call: 'win', amount: '4' }],
  });
  const halfOfWin: WrongSum = { amount: '-0.50', currency: 'USD', moved: '1' };
  const race = (attempt: number, round: number): JournalEvent => ({
    event: 'race',
    scenario: ID,
    attempt,
    round,
    step: '1',
    exchanges: ['x1', 'x2'],
    barrier: 0,
    staggerMs: 0,
    overlapped: 2,
  });

  interface Sums {
    readonly retried: string;
    readonly keepsBet?: readonly string[];
  }

  /**
   * A run in which each attempt of the race fails in its last round.
   *
   * @param rounds the number of rounds of each attempt
   * @param sums the sums of the two rules that the judge names in each of these rounds
   */
  const foldOfRace = (
    rounds: readonly number[],
    sums: Sums,
    known: readonly KnownFailure[] = [],
    exchangeOf: (attempt: number) => string | null = () => null,
  ): Promise<Fold> =>
    foldJournal([
      { ...runStarted(PLAN), ...(known.length > 0 && { baseline: { file: 'b.yaml', known } }) },
      ...WINS.flatMap(({ id }): readonly JournalEvent[] => [
        started(id),
        ...(id === 'win/c' ? [] : [found(id, 'win.credit', 'fail', { wrongSum: halfOfWin, unrepeated: true })]),
        ended(id, { passes: { 'win.credit': { '*': 6 } } }),
      ]),
      ...rounds.flatMap((count, at): readonly JournalEvent[] => [
        started(ID, at + 1),
        ...Array.from({ length: count }, (_, round) => race(at + 1, round + 1)),
        found(ID, 'win.retried', 'fail', { wrongSum: sumOf(sums.retried), exchange: exchangeOf(at + 1) }, at + 1),
        ...(sums.keepsBet ?? []).map((amount) =>
          found(ID, 'win.failed-keeps-bet', 'fail', { wrongSum: sumOf(amount) }, at + 1),
        ),
        ended(ID, { attempt: at + 1, verdict: 'fail' }),
      ]),
      { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
      runEnded(),
    ]);

  const verdictsOf = async (rounds: readonly number[], sums: Sums): Promise<readonly string[]> => {
    const { rules } = await foldOfRace(rounds, sums);
    const judged = ['win.retried', ...(sums.keepsBet ? ['win.failed-keeps-bet'] : [])];
    return judged.map((id) => {
      const result = rules.find(({ rule }) => rule.id === id);
      return `${result?.verdict} ${result?.because ?? '-'}`;
    });
  };

  it('does not fail a run whose baseline lists the wins, also if it notes the share of a win that is wrong', async () => {
    const known: KnownFailure = {
      rule: 'win.credit',
      endpoint: null,
      scenario: null,
      reason: 'known',
      ticket: 'PAY-1',
      expires: '2999-01-01',
      intermittent: true,
      maxSums: { USD: '5' },
      maxShare: '0.5',
      balances: 'too low',
      line: 1,
      tried: true,
    };
    const fold = await foldOfRace([5, 1], { retried: '-4', keepsBet: ['1', '1'] }, [known]);
    const stakes = { ...fold.run.settings, stakes: { USD: '1' } };
    expect(conclude({ ...fold, run: { ...fold.run, settings: stakes } }).exitCode).toBe(0);
    expect(fold.rules.find(({ rule }) => rule.id === 'win.retried')?.reason).toBe(
      'the failure of `win.credit`, which occurs now and then, explains exactly this sum, and croupier saw it in only 2 of 6 rounds of the race',
    );
  });

  it('is undecided also if another read of the scenario shows another wrong balance', async () => {
    const fold = async (other: string): Promise<string | undefined> => {
      const wrong = (amount: string, moved: string) => ({
        wrongSum: { ...sumOf(amount), moved },
        unrepeated: true as const,
      });
      const { rules } = await foldJournal([
        runStarted(PLAN),
        ...WINS.flatMap(({ id }): readonly JournalEvent[] => [
          started(id),
          found(id, 'win.credit', 'fail', { wrongSum: halfOfWin, unrepeated: true }),
          ended(id, { passes: { 'win.credit': { '*': 6 } } }),
        ]),
        started(ID),
        found(ID, 'win.retried', 'fail', wrong('-4', '4')),
        found(ID, 'win.retried', 'fail', wrong('1', '4')),
        found(ID, 'win.credit', 'fail', wrong('1', '4')),
        found(ID, 'win.credit', 'fail', wrong('-7', other)),
        ended(ID, { verdict: 'fail' }),
        { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
        runEnded(),
      ]);
      return rules.find(({ rule }) => rule.id === 'win.retried')?.verdict;
    };
    expect([await fold('14'), await fold('4')]).toEqual(['inconclusive', 'fail']);
  });

  it('is undecided although it occurred again, if other rounds passed and a win explains the sum', async () => {
    expect(await verdictsOf([5, 3], { retried: '-2' })).toEqual(['inconclusive win.credit']);
    // Half of the win is missing. The judge says that the whole win is missing, and that two bets were given back.
    expect(await verdictsOf([5, 1], { retried: '-4', keepsBet: ['1', '1'] })).toEqual([
      'inconclusive win.credit',
      'inconclusive win.credit',
    ]);
  });

  it('is undecided if such wins failed more often in the run of which the baseline was written', async () => {
    const entry: KnownFailure = {
      rule: 'win.credit',
      endpoint: null,
      scenario: null,
      reason: 'known',
      ticket: 'PAY-1',
      expires: '2999-01-01',
      intermittent: true,
      line: 1,
      tried: true,
    };
    const verdict = async (known: KnownFailure): Promise<string | undefined> =>
      (await foldOfRace([2, 1, 1, 1, 1], { retried: '-2' }, [known])).rules.find(
        ({ rule }) => rule.id === 'win.retried',
      )?.verdict;
    expect([await verdict(entry), await verdict({ ...entry, failedChecks: { failed: 5, checks: 20 } })]).toEqual([
      'fail',
      'inconclusive',
    ]);
  });

  it('counts a failure once that a repetition only reports again', async () => {
    const reasonOf = async (exchangeOf: (attempt: number) => string): Promise<string | null | undefined> =>
      (await foldOfRace([5, 4, 3], { retried: '-2' }, [], exchangeOf)).rules.find(
        ({ rule }) => rule.id === 'win.retried',
      )?.reason;
    expect(await reasonOf(() => 'x1')).toContain('in only 1 of 12 rounds');
    expect(await reasonOf((attempt) => `x${attempt}`)).toContain('in only 3 of 12 rounds');
  });

  it.each<[string, readonly number[], string]>([
    ['each round fails', [1, 1], '-2'],
    ['the rounds fail more often than such wins do', [2, 1, 1, 1, 1], '-2'],
    ['the whole win is missing', [5, 3], '-4'],
    ['the win was paid twice', [5, 3], '4'],
    ['the balance is wrong by another sum', [5, 3], '-1.90'],
  ])('fails if %s', async (_name, rounds, retried) => {
    expect(await verdictsOf(rounds, { retried })).toEqual(['fail -']);
  });
});

describe('a lost update in a race of a wallet that pays half of some wins', () => {
  const ID = 'concurrency/race';
  const WINS = ['win/a', 'win/b', 'win/c'].map((id) => planned(id, ['win.credit']));
  const PLAN = [...WINS, planned(ID, ['concurrency.no-lost-update']), planned('win/late', ['win.retried'])];
  const calls = [
    { call: 'win', amount: '3' },
    { call: 'bet', amount: '4' },
    { call: 'win', amount: '9' },
  ] as const;
  const sumOf = (amount: string): WrongSum => ({ amount, currency: 'USD', moved: '16', calls });
  const halfOfWin: WrongSum = { amount: '-0.50', currency: 'USD', moved: '1' };
  const race = (round: number): JournalEvent => ({
    event: 'race',
    scenario: ID,
    attempt: 1,
    round,
    step: '1',
    exchanges: ['x1', 'x2'],
    barrier: 0,
    staggerMs: 0,
    overlapped: 2,
  });

  /** A run in which the last of some rounds fails. */
  const foldOf = (
    rounds: number,
    sum: string,
    causes: Finding['causes'] = ['win.credit'],
    { once = true, passes = 6 }: { readonly once?: boolean; readonly passes?: number } = {},
  ): Promise<Fold> =>
    foldJournal([
      runStarted(PLAN),
      ...WINS.flatMap(({ id }): readonly JournalEvent[] => [
        started(id),
        ...(id === 'win/c'
          ? []
          : [found(id, 'win.credit', 'fail', { wrongSum: halfOfWin, ...(once && { unrepeated: true as const }) })]),
        ended(id, { passes: { 'win.credit': { '*': passes } } }),
      ]),
      started(ID),
      ...Array.from({ length: rounds }, (_, at) => race(at + 1)),
      found(ID, 'concurrency.no-lost-update', 'fail', { causes, noMoney: true }),
      found(ID, 'concurrency.no-lost-update', 'fail', { wrongSum: sumOf(sum) }),
      ended(ID, { verdict: 'fail' }),
      found(ID, 'refund.retried', 'fail', { wrongSum: sumOf('5'), causes: ['concurrency.no-lost-update'] }),
      started('win/late'),
      found('win/late', 'win.retried', 'fail', { wrongSum: sumOf('5'), causes: ['concurrency.no-lost-update'] }),
      attributed('win.retried', 'concurrency.no-lost-update', { scenario: 'win/late' }),
      attributed('refund.retried', 'concurrency.no-lost-update', { scenario: ID }),
      ended('win/late'),
      { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
      runEnded(),
    ]);
  const resultOf = ({ rules }: Fold, id: string) => rules.find(({ rule }) => rule.id === id);
  const verdictOf = async (...given: Parameters<typeof foldOf>): Promise<string> => {
    const result = resultOf(await foldOf(...given), 'concurrency.no-lost-update');
    return `${result?.verdict} ${result?.because ?? '-'}`;
  };

  it.each(['-1.50', '-4.50', '-6'])('is undecided if half of one or two wins is missing (%s)', async (sum) =>
    expect(await verdictOf(5, sum)).toBe('inconclusive win.credit'),
  );

  it.each<[string, Parameters<typeof foldOf>]>([
    ['each round fails', [1, '-4.50']],
    ['a whole win is missing', [5, '-3']],
    ['a bet is missing', [5, '4']],
    ['a reply is wrong, and wrong wins do not explain it', [5, '-4.50', ['balance.read']]],
  ])('fails if %s', async (_name, given) => expect(await verdictOf(...given)).toBe('fail -'));

  it('is undecided although the wrong wins occurred again, if only few wins are wrong', async () => {
    const of = (passes: number) => verdictOf(5, '-4.50', ['win.credit'], { once: false, passes });
    expect([await of(7), await of(2)]).toEqual(['inconclusive win.credit', 'fail -']);
  });

  it('explains nothing in another scenario, if it is undecided', async () => {
    const late = async (rounds: number) => resultOf(await foldOf(rounds, '-4.50'), 'win.retried');
    expect(await late(5)).toMatchObject({ verdict: 'fail', because: null });
    expect(await late(1)).toMatchObject({ verdict: 'inconclusive', because: 'concurrency.no-lost-update' });
  });

  it('is not named as the breach that explains another finding of the scenario, if it is undecided', async () => {
    const explained = resultOf(await foldOf(5, '-4.50'), 'refund.retried');
    expect([explained?.because, explained?.reason]).toEqual([
      'win.credit',
      'a failure of `concurrency.no-lost-update` would explain this finding, and the failure of `win.credit` explains what croupier saw of it',
    ]);
  });
});

describe('an overdraft that did not occur again', () => {
  it.each([
    ['0.50', true, 'inconclusive'],
    ['-0.50', true, 'fail'],
    ['0.50', false, 'fail'],
  ] as const)('of a wallet with bets that are wrong by %s (once: %s) is %s', async (amount, isOnce, verdict) => {
    const plan = ['bet/a', 'bet/b'].map((id) => planned(id, ['bet.debit', 'concurrency.no-overdraft']));
    const wrongSum: WrongSum = { amount, currency: 'USD', moved: '1' };
    const { rules } = await foldJournal([
      runStarted(plan),
      ...plan.flatMap(({ id }): readonly JournalEvent[] => [
        started(id),
        found(id, 'bet.debit', 'fail', { wrongSum, unrepeated: true }),
        ...(id === 'bet/a'
          ? [
              found(id, 'concurrency.no-overdraft', 'fail', {
                causes: ['bet.debit'],
                ...(isOnce && { unrepeated: true as const }),
              }),
            ]
          : []),
        ended(id, { verdict: 'fail', passes: { 'bet.debit': { '*': 9 } } }),
      ]),
      { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
      runEnded(),
    ]);
    expect(rules.find(({ rule }) => rule.id === 'concurrency.no-overdraft')?.verdict).toBe(verdict);
  });
});

describe('an accepted bet above the balance', () => {
  const verdict = async (amount: string, causes: Finding['causes'] = ['bet.debit'], isOnce = true): Promise<string> => {
    const plan = ['bet/a', 'bet/b'].map((id) => planned(id, ['bet.debit', 'bet.insufficient-funds']));
    const once = { unrepeated: true as const };
    const wrongSum: WrongSum = { amount, currency: 'USD', moved: '10', varies: true };
    const accepted = { noMoney: true as const, causes, ...(isOnce && once) };
    const { rules } = await foldJournal([
      runStarted(plan),
      started('bet/a'),
      found('bet/a', 'bet.debit', 'fail', { wrongSum, ...once }),
      found('bet/a', 'bet.insufficient-funds', 'fail', accepted),
      ended('bet/a', { verdict: 'fail' }),
      started('bet/b'),
      found('bet/b', 'bet.debit', 'fail', { wrongSum: HALF, ...once }),
      ended('bet/b', { passes: { 'bet.debit': { '*': 9 } } }),
      { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
      runEnded(),
    ]);
    return rules.find(({ rule }) => rule.id === 'bet.insufficient-funds')?.verdict ?? '-';
  };

  it('is undecided if a bet that was taken only in part had left the money for it', async () => {
    expect(await verdict('5')).toBe('inconclusive');
  });

  it('fails if the balance was too low, if it occurs again, or if the bet does not explain it', async () => {
    expect(await verdict('-5')).toBe('fail');
    expect(await verdict('5', ['bet.debit'], false)).toBe('fail');
    expect(await verdict('5', [])).toBe('fail');
  });
});
