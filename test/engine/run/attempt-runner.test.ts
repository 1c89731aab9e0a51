import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../../src/engine/run-options.ts';
import { conclude } from '../../../src/journal/conclusion.ts';
import { error } from '../../judge/toy-wallet.ts';
import { type Behaviour, operatorServer, P1, P2, type Ran, ran, scenarioOf } from '../operator-server.ts';

const BET = scenarioOf('bet/debit', 'rules: [bet.debit]\nsteps: [{ bet: { amount: "7.00" } }, { balance: }]');

const negative = (amount: unknown): string => `-${typeof amount === 'string' ? amount : ''}`;

/** Takes twice the amount of the first bets of 7.00. */
function takesTwice(first: number): Behaviour {
  let bets = 0;
  return ({ call, fields }, tell, wallet) => {
    const reply = tell();
    if (call !== 'bet' || fields?.amount !== '7.00') return reply;
    bets += 1;
    if (bets <= first) wallet.move('-7.00');
    return reply;
  };
}

async function played(lie: Behaviour, options: Partial<RunOptions>): Promise<Ran> {
  const { url } = await operatorServer(lie);
  return ran(url, [BET], options);
}

const startedWith = ({ events }: Ran) =>
  events.flatMap((event) => (event.event === 'scenario-started' ? [[event.attempt, event.retry ?? 0]] : []));

describe('a failed scenario', () => {
  it('a failed scenario is played once without --retries', async () => {
    const run = await played(takesTwice(1), {});
    expect(startedWith(run)).toEqual([[1, 0]]);
    expect(run.fold.scenarios[0]).toMatchObject({ verdict: 'fail', flaky: false, retries: 0 });
  });

  it('a scenario that fails, then passes on retry, is reported as flaky and fails the run', async () => {
    const run = await played(takesTwice(1), { retries: 3 });
    expect(startedWith(run)).toEqual([
      [1, 0],
      [2, 1],
    ]);
    expect(run.fold.scenarios[0]).toMatchObject({ verdict: 'fail', flaky: true, retries: 1, attempt: 2 });
    const rule = run.fold.rules.find(({ verdict }) => verdict === 'fail');
    expect(rule).toMatchObject({ flaky: true, reason: expect.stringContaining('flaky') });
    expect(conclude(run.fold)).toMatchObject({ exitCode: 1, firstLine: expect.stringContaining('(flaky)') });
  });

  it('a flaky scenario is a warning with --allow-flaky', async () => {
    const run = await played(takesTwice(2), { retries: 2, allowFlaky: true });
    expect(run.fold.scenarios[0]).toMatchObject({ verdict: 'warn', flaky: true, retries: 2 });
    expect(run.fold.rules.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(conclude(run.fold)).toMatchObject({ exitCode: 0, firstLine: expect.stringContaining('1 scenario') });
  });

  it('a scenario that fails on each retry is not flaky, and its failure counts once', async () => {
    const run = await played(takesTwice(9), { retries: 2, allowFlaky: true });
    expect(startedWith(run).map(([, retry]) => retry)).toEqual([0, 1, 2]);
    expect(run.fold.scenarios[0]).toMatchObject({ verdict: 'fail', flaky: false, retries: 2, attempt: 3 });
    expect(run.fold.rules.filter(({ verdict }) => verdict === 'fail').map(({ breaches }) => breaches)).toEqual([1]);
    expect(conclude(run.fold).exitCode).toBe(1);
  });

  it('a failed scenario whose retry decides nothing has failed', async () => {
    const twice = takesTwice(1);
    let bets = 0;
    const lie: Behaviour = (called, tell, wallet) => {
      if (called.call === 'bet') bets += 1;
      return bets > 1 ? error(429, 'Enough for today') : twice(called, tell, wallet);
    };
    const run = await played(lie, { retries: 1 });
    expect(run.fold.scenarios[0]).toMatchObject({ verdict: 'fail', flaky: false, retries: 1, attempt: 1 });
    expect(conclude(run.fold).exitCode).toBe(1);
  });

  it('a flaky scenario counts for --bail', async () => {
    const run = await played(takesTwice(1), { retries: 1, bail: 1 });
    expect(run.ended.how).toBe('bail');
  });
});

describe('a temporary error', () => {
  const READ = scenarioOf('balance/read', 'rules: [balance.read]\nsteps: [{ balance: }]');

  it.each([
    ['that goes away in the sixth attempt accuses nobody', 5, 'pass', 6],
    ['in eight attempts breaks the rule', 99, 'fail', 8],
  ] as const)('%s', async (_title, failing, verdict, attempts) => {
    let reads = 0;
    const { url } = await operatorServer((_called, tell) => {
      reads += 1;
      return reads <= failing ? error(500, 'Try again later') : tell();
    });
    const run = await ran(url, [READ], {});
    expect([run.verdict('balance.read'), startedWith(run).length]).toEqual([verdict, attempts]);
  });
});

describe('a failure that only a balance shows, if somebody else may move the balance', () => {
  /** Takes 0.37 more for the bets with these numbers. Changes the balance before the balance calls with these numbers. */
  function disturbed(bets: readonly number[], reads: readonly number[]): Behaviour {
    let [bet, read] = [0, 0];
    return ({ call }, tell, wallet) => {
      if (call === 'bet') bet += 1;
      if (call === 'balance') read += 1;
      if (call === 'bet' && bets.includes(bet)) wallet.move('-0.37');
      if (call === 'balance' && reads.includes(read)) wallet.move('5.00');
      return tell();
    };
  }
  const EVERY = Array.from({ length: 20 }, (_, index) => index + 1);
  const WATCHED = { watchesBalances: true };

  it('in each round of a race is played again until a round passes, if single calls fail now and then', async () => {
    const race = scenarioOf(
      'concurrency/bets',
      'rules: [concurrency.no-lost-update]\nsteps: [{ balance: }, { together: [{ bet: { amount: "1.00" } }, { bet: { amount: "3.00" } }] }, { balance: }]',
    );
    /** Takes half of the first bet of 7.00, and of these bets of 3.00. */
    const halves = async (wrong: readonly number[]): Promise<Ran> => {
      const times = new Map<unknown, number>();
      const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
        if (call !== 'bet') return tell();
        const time = (times.get(fields?.amount) ?? 0) + 1;
        times.set(fields?.amount, time);
        const reply = tell();
        const half =
          fields?.amount === '7.00' && time === 1
            ? '3.50'
            : fields?.amount === '3.00' && wrong.includes(time)
              ? '1.50'
              : null;
        if (half === null) return reply;
        wallet.move(half);
        return wallet.ok();
      });
      return ran(url, [BET, race], WATCHED);
    };
    const attempts = ({ events }: Ran): number =>
      events.filter((event) => event.event === 'scenario-started' && event.scenario === race.id).length;
    const [now, always] = [await halves([1, 2]), await halves(EVERY)];
    // An attempt ends with the first round that fails.
    const hasPassed = ({ events }: Ran): boolean => events.some((event) => event.event === 'race' && event.round > 1);
    expect([hasPassed(now), hasPassed(always)]).toEqual([true, false]);
    expect(attempts(always)).toBeGreaterThanOrEqual(7);
    expect([now, always].map((run) => run.findings('concurrency.no-lost-update').at(-1)?.unrepeated)).toEqual([
      true,
      undefined,
    ]);
  });

  it.each([
    [[1, 2, 3], true],
    [[1, 2, 3, 4], undefined],
  ] as const)('must occur in four attempts if single calls fail now and then (in %j)', async (wrong, unrepeated) => {
    const twice = scenarioOf(
      'idempotency/bet',
      'rules: [idempotency.bet]\nsteps: [{ bet: { amount: "3.00" }, as: one }, { balance: }, { resend: one }, { balance: }]',
    );
    const times = { bet: 0, resend: 0 };
    const seen = new Set<unknown>();
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      if (call !== 'bet') return tell();
      const isAgain = seen.has(fields?.txID);
      seen.add(fields?.txID);
      const reply = tell();
      if (isAgain) times.resend += 1;
      if (isAgain && wrong.some((time) => time === times.resend)) wallet.move('-3.00');
      if (fields?.amount !== '7.00') return reply;
      times.bet += 1;
      if (times.bet > 1) return reply;
      wallet.move('3.50');
      return wallet.ok();
    });
    const run = await ran(url, [BET, twice], WATCHED);
    expect(run.findings('idempotency.bet').at(-1)).toMatchObject({ verdict: 'fail' });
    expect(run.findings('idempotency.bet').at(-1)?.unrepeated).toBe(unrepeated);
  });

  it('fails the run if it occurs again', async () => {
    const run = await played(disturbed(EVERY, []), WATCHED);
    expect(startedWith(run).map(([attempt]) => attempt)).toEqual([1, 2]);
    expect(run.verdict('bet.debit')).toBe('fail');
    expect(run.findings('bet.debit').at(-1)?.unrepeated).toBeUndefined();
    // The same failure also proves that others, which do not occur again, come from the operator.
    expect(run.fold.intermittent).toMatchObject({ player: 'p1', times: 2 });
  });

  /** Takes 0.37 more for each bet of 7.00 with an odd number, at most as often as the limit. */
  function takesMoreForOddBets(limit: number): Behaviour {
    let bets = 0;
    return ({ call, fields }, tell, wallet) => {
      if (call === 'bet' && fields?.amount === '7.00') bets += 1;
      if (call === 'bet' && bets % 2 === 1 && bets < 2 * limit) wallet.move('-0.37');
      return tell();
    };
  }
  it('is undecided if it occurs only once or twice, although nothing shows that somebody else moves the balance', async () => {
    const run = await played(takesMoreForOddBets(2), WATCHED);
    expect([run.fold.movedAlone, run.fold.intermittent]).toEqual([null, null]);
    expect(startedWith(run)).toHaveLength(8);
    expect(run.findings('bet.debit').at(-1)).toMatchObject({ verdict: 'fail', unrepeated: true });
    expect(run.verdict('bet.debit')).toBe('inconclusive');
    expect(conclude(run.fold)).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining('1 rule failed, but not again when croupier repeated the scenario') as string,
    });
  });

  it('fails the run if it occurs now and then, and nobody moves the balance after it', async () => {
    const run = await played(takesMoreForOddBets(3), WATCHED);
    expect(run.fold.intermittent).toMatchObject({ player: 'p1', times: 3 });
    expect(startedWith(run)).toHaveLength(5);
    expect(run.findings('bet.debit').at(-1)).toMatchObject({ verdict: 'fail', unrepeated: true });
    expect(conclude(run.fold).exitCode).toBe(1);
  });

  it.each([
    ['in bets and in wins, by a sum that is not their amount, is undecided', 'win', '10.00', 3],
    ['in bets only, by a sum that is not their amount, fails the run', 'bet', '10.00', 1],
    ['in bets and in wins, by their amount, fails the run', 'win', 'amount', 1],
  ] as const)('and that occurs now and then %s', async (_, second, sum, exitCode) => {
    const times = new Map<string, number>();
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      const amount = typeof fields?.amount === 'string' ? fields.amount : '';
      const isTested = (call === 'bet' || call === 'win') && ['7.00', '3.00'].includes(amount);
      if (!isTested) return tell();
      const time = (times.get(amount) ?? 0) + 1;
      times.set(amount, time);
      if (time % 2 === 1) wallet.move(sum === 'amount' ? amount : sum);
      return tell();
    });
    const win =
      'rules: [win.credit]\nsteps: [{ bet: { amount: "2.00" } }, { balance: }, { win: { amount: "3.00" } }, { balance: }]';
    const bet = 'rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }]';
    const other = second === 'win' ? scenarioOf('win/other', win) : scenarioOf('bet/other', bet);
    const run = await ran(url, [BET, other], WATCHED);
    expect(run.findings('bet.debit').at(-1)).toMatchObject({ verdict: 'fail', unrepeated: true });
    expect(conclude(run.fold).exitCode).toBe(exitCode);
  });

  it.each([
    ['once', 1, 'a balance was wrong, and croupier could not decide'],
    ['again and again', 9, 'the operator moves wrong amounts'],
  ] as const)('if it occurs %s, a notice says why no balance was restored', async (_, failures, notice) => {
    const { url } = await operatorServer(takesMoreForOddBets(failures));
    const yaml = 'rules: [win.credit]\nsteps: [{ bet: { amount: "3.00" } }, { win: { amount: "5.00" } }, { balance: }]';
    const run = await ran(url, [scenarioOf('win/kept', yaml), BET], WATCHED);
    expect(run.fold.notices).toContainEqual(expect.stringContaining(notice));
  });

  it('is undecided if it occurs now and then, and somebody moves the balance after it', async () => {
    const odd = takesMoreForOddBets(3);
    let reads = 0;
    const run = await played((called, tell, wallet) => {
      reads = called.call === 'balance' ? reads + 1 : 0;
      if (reads === 12) wallet.move('5.00');
      return odd(called, tell, wallet);
    }, WATCHED);
    expect(run.fold.movedAlone).toMatchObject({ player: 'p1' });
    expect(run.verdict('bet.debit')).toBe('inconclusive');
  });

  it.each([
    ['is undecided', {}, 'undecided'],
    ['counts if nobody else can move the balance, even', { watchesBalances: false }, 'nonconforming'],
  ] as const)('%s if the run is interrupted before the scenario is repeated', async (_, options, verdict) => {
    const stop = new AbortController();
    const run = await played(
      ({ call }, tell, wallet) => {
        if (call === 'bet') wallet.move('-0.37');
        if (call === 'bet') stop.abort('SIGINT');
        return tell();
      },
      { ...WATCHED, ...options, signal: stop.signal },
    );
    expect(run.ended.how).toBe('interrupted');
    expect(conclude(run.fold)).toMatchObject({ exitCode: 130, verdict });
  });

  it('is undecided if it occurs only once, and the balance changed between two reads without a call', async () => {
    // In the first attempt, reads 1 to 4 are the opening read, the read after the bet, and two reads to make sure.
    const run = await played(disturbed([1], [5]), WATCHED);
    expect(run.fold.movedAlone).toMatchObject({ player: 'p1', onlyUnrepeated: true });
    expect(run.verdict('bet.debit')).toBe('inconclusive');
    expect(conclude(run.fold)).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining('the balance of the player p1 changed without a call') as string,
    });
  });

  it('must occur in three attempts if the balance changed between two reads without a call', async () => {
    const run = await played(disturbed(EVERY, [5]), WATCHED);
    expect(startedWith(run).map(([attempt]) => attempt)).toEqual([1, 2, 3]);
    expect(conclude(run.fold).exitCode).toBe(1);
    expect((await played(disturbed([1, 2], [5]), WATCHED)).verdict('bet.debit')).toBe('inconclusive');
  });

  it('is not repeated in each scenario if its rule has failed again before', async () => {
    const { url } = await operatorServer(disturbed(EVERY, []));
    const other = scenarioOf('bet/other', 'rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }]');
    const run = await ran(url, [BET, other], WATCHED);
    expect(startedWith(run).map(([attempt]) => attempt)).toEqual([1, 2, 1]);
  });

  /** A bet of the whole balance, and a win of it. The scenario cannot be repeated without money. */
  const WHOLE = scenarioOf(
    'win/whole',
    `rules: [win.credit]
needs: { balance: "2.00" }
steps: [{ bet: { amount: "\${balance}" }, as: all }, { win: { amount: "\${all.amount}" } }, { balance: }]`,
  );

  it('counts if croupier cannot repeat the scenario, but the wallet does not pay the wins that raise the balance either', async () => {
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      const reply = tell();
      if (call === 'win') wallet.move(negative(fields?.amount));
      return reply;
    });
    const run = await ran(url, [WHOLE], WATCHED);
    expect(run.findings('win.credit').at(-1)).not.toHaveProperty('unrepeated');
    expect(conclude(run.fold).exitCode).toBe(1);
  });

  it.each([
    ['because the player has no money', WHOLE, 'win', 'win.credit'],
    ['because the operator declines the bet', BET, 'bet', 'bet.debit'],
  ] as const)(
    'is undecided if croupier cannot repeat the scenario %s, and is not said to be gone',
    async (_, scenario, wrong, rule) => {
      let calls = 0;
      const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
        if (call !== wrong) return tell();
        calls += 1;
        if (calls > 1) return error(402, 'Not today');
        const reply = tell();
        wallet.move(negative(fields?.amount));
        return reply;
      });
      const run = await ran(url, [scenario], WATCHED);
      const failures = run.findings(rule).filter(({ verdict }) => verdict === 'fail');
      expect(failures.at(-1)).toMatchObject({ awaitsRepetition: true });
      expect(failures.at(-1)).not.toHaveProperty('unrepeated');
      expect(run.verdict(rule)).toBe('inconclusive');
      expect(conclude(run.fold)).toMatchObject({
        exitCode: 3,
        firstLine: expect.stringContaining('1 rule failed, but croupier could not repeat the scenario') as string,
      });
    },
  );

  it('is undecided if croupier could raise the balance, and the repetition does not show it', async () => {
    let wins = 0;
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      const reply = tell();
      if (call === 'win') wins += 1;
      if (call === 'win' && wins === 1) wallet.move(negative(fields?.amount));
      return reply;
    });
    const run = await ran(url, [WHOLE], WATCHED);
    expect(run.findings('win.credit').at(-1)).toMatchObject({ verdict: 'fail', unrepeated: true });
    expect(conclude(run.fold).exitCode).toBe(3);
  });

  it.each([
    ['first', ['40.00', '1.00']],
    ['second', ['1.00', '40.00']],
  ])('has the higher of two sums that depend on the balance (of the %s attempt)', async (_, kept) => {
    const whole = scenarioOf(
      'bet/whole',
      'rules: [bet.debit]\nsteps: [{ bet: { amount: "${balance}" } }, { balance: }]',
    );
    let bets = 0;
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      const reply = tell();
      if (call === 'bet' && Number(fields?.amount) > 50) wallet.move(kept[bets++] ?? '0.00');
      return reply;
    });
    const run = await ran(url, [whole], WATCHED);
    expect(run.findings('bet.debit').at(-1)).toMatchObject({
      verdict: 'fail',
      wrongSum: { amount: '40', varies: true },
    });
  });

  it('does not hide a failure that a reply shows', async () => {
    let bets = 0;
    const run = await played((called, tell, wallet) => {
      if (called.call !== 'bet') return tell();
      bets += 1;
      if (bets > 1) return tell();
      wallet.move('-0.37');
      const reply = tell();
      return { ...reply, status: 201 };
    }, WATCHED);
    expect(run.verdict('reply.success-is-200')).toBe('fail');
  });

  it.each([
    ['is undecided if the repetition does not get it', 8, 'inconclusive'],
    ['breaks the rule if the three attempts of the repetition get it too', 11, 'fail'],
  ] as const)('and which is a temporary error in eight attempts %s', async (_, failing, verdict) => {
    let reads = 0;
    const run = await played(({ call }, tell) => {
      if (call === 'balance') reads += 1;
      return call === 'balance' && reads <= failing ? error(500, 'Try again later') : tell();
    }, WATCHED);
    expect(run.verdict('balance.read')).toBe(verdict);
  });

  it.each([
    ['fails the run if it moves the same sum in each attempt', ['-0.37'], 1],
    ['is undecided if it moves another sum in each attempt', ['-0.37', '-0.38', '-0.39', '-0.40', '-0.41', '-0.42'], 3],
    ['is undecided if it moves another sum in the repetition', ['-0.37', '-0.37', '-0.38', '-0.39', '-0.40'], 3],
  ])("of one player's bet that changes another player's balance %s", async (_, sums, status) => {
    const sessions = [P1, P2];
    let bets = 0;
    const { url } = await operatorServer(
      ({ call, fields }, tell, wallet) => {
        if (call === 'bet' && fields?.sessionID === P1.sessionID) wallet.move(sums[bets++ % sums.length] ?? '', 'p2');
        return tell();
      },
      { sessions },
    );
    const scenario = scenarioOf(
      'session/isolated',
      `rules: [session.isolated]
needs: { other: { player: other } }
steps: [{ balance: { session: other } }, { bet: }, { balance: { session: other } }]`,
    );
    const run = await ran(url, [scenario], WATCHED, sessions);
    expect(conclude(run.fold).exitCode).toBe(status);
    expect(run.verdict('session.isolated')).toBe(status === 1 ? 'fail' : 'inconclusive');
  });
});

describe('a reply after the deadline', () => {
  const READ = 'rules: [balance.read]\nsteps: [{ balance: }, { bet: }, { balance: }]';
  const LATE = { watchesBalances: true, deadlineMs: 400 };

  it.each([
    ['to the first call of a run is undecided, and the scenario is repeated', [1], 3, 2],
    ['breaks the rule if the repetition gets one too', [1, 5], 1, 2],
    ['breaks the rule if another scenario gets one too', [1, 8], 1, 2],
  ] as const)('%s', async (_, late, exitCode, attempts) => {
    let calls = 0;
    const { url } = await operatorServer(async (_called, tell) => {
      calls += 1;
      if (late.some((one) => one === calls)) await sleep(1000);
      return tell();
    });
    const run = await ran(url, [scenarioOf('balance/one', READ), scenarioOf('balance/two', READ)], LATE);
    expect(startedWith(run).filter(([attempt]) => attempt === 1)).toHaveLength(2);
    // Only the first late reply of the run is tried again.
    expect(startedWith(run).filter(([attempt]) => attempt === 2)).toHaveLength(1);
    expect(Math.max(...startedWith(run).map(([attempt]) => attempt ?? 0))).toBe(attempts);
    expect(conclude(run.fold).exitCode).toBe(exitCode);
  });
});
