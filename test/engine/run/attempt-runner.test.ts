import { describe, expect, it } from 'vitest';
import type { RunOptions } from '../../../src/engine/run-options.ts';
import { conclude } from '../../../src/journal/conclusion.ts';
import { error } from '../../judge/toy-wallet.ts';
import { type Behaviour, operatorServer, type Ran, ran, scenarioOf } from '../operator-server.ts';

const BET = scenarioOf('bet/debit', 'rules: [bet.debit]\nsteps: [{ bet: { amount: "7.00" } }, { balance: }]');

/** Takes twice the amount of the first bets of 7.00. */
function takesTwice(first: number): Behaviour {
  let bets = 0;
  return ({ call, fields }, tell, wallet) => {
    const told = tell();
    if (call !== 'bet' || fields?.amount !== '7.00') return told;
    bets += 1;
    if (bets <= first) wallet.move('-7.00');
    return told;
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
