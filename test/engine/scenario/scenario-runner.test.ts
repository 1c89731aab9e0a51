import { describe, expect, it } from 'vitest';
import { type Behaviour, operatorServer, P1, P2, ran, scenarioOf } from '../operator-server.ts';

const BUSY = { status: 503, body: { message: 'Busy' } };

/** Plays the steps of one scenario. The deadline is high, so that a busy machine does not break it. */
async function played(
  steps: string,
  { behaviour, ...options }: { behaviour?: Behaviour } & Parameters<typeof ran>[2] = {},
) {
  const { url, calls, wallet } = await operatorServer(behaviour);
  const run = await ran(url, [scenarioOf('bet/one', `rules: [bet.debit]\n${steps}`)], { deadlineMs: 4000, ...options });
  const stepsSent = run.events.flatMap((event) =>
    event.event === 'sending' ? [`${event.purpose} ${event.call}`] : [],
  );
  return { run, calls, wallet, stepsSent, ended: run.scenario('bet/one') };
}

describe('the steps of a scenario', () => {
  it('a win is repeated with the same bytes until the operator is no longer busy, and only the last answer is judged', async () => {
    let wins = 0;
    const { run, calls, wallet } = await played('steps: [{ bet: }, { win: { amount: "3.00" } }, { balance: }]', {
      behaviour: ({ call }, tell) => {
        if (call === 'win') wins += 1;
        return call === 'win' && wins < 3 ? BUSY : tell();
      },
    });
    const sent = calls.filter(({ call, fields }) => call === 'win' && fields?.amount === '3.00');
    expect(new Set(sent.map(({ fields }) => fields?.txID)).size).toBe(1);
    expect(sent).toHaveLength(3);
    expect(run.findings().filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(run.scenario('bet/one')).toMatchObject({ verdict: 'pass', attempt: 1, restored: null });
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('a bet is not repeated if the operator is busy', async () => {
    const { stepsSent } = await played('steps: [{ bet: , expect: either }, { balance: }]', {
      behaviour: ({ call }, tell) => (call === 'bet' ? { status: 429, body: { message: 'Busy' } } : tell()),
    });
    expect(stepsSent.filter((one) => one === 'step bet')).toHaveLength(1);
  });

  it('a step whose value cannot be computed stops the scenario with the reason, and the balance is restored', async () => {
    const { ended, wallet } = await played(
      'steps: [{ bet: , as: first }, { bet: { amount: "${first.reply.bonus}" } }]',
    );
    expect(ended.verdict).toBe('inconclusive');
    expect(ended.reason).toMatch(/^step \S+ could not be sent: /);
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('a step that needs the balance is skipped after a bet that was answered 500', async () => {
    let bets = 0;
    const { ended } = await played('steps: [{ bet: , expect: either }, { bet: { amount: "${balance}" } }]', {
      behaviour: ({ call }, tell) => {
        if (call === 'bet') bets += 1;
        return call === 'bet' && bets === 1 ? { status: 500, body: { message: 'Oops' } } : tell();
      },
    });
    expect(ended).toMatchObject({ verdict: 'skip' });
    expect(ended.reason).toContain('a bet was answered 500 or not at all');
  });

  it('the steps of `always` are sent although an earlier step stopped the scenario', async () => {
    const { calls } = await played(
      'steps: [{ bet: , as: first }, { bet: { amount: "${first.reply.bonus}" } }]\nalways: [{ win: { round: first, amount: "0.25" } }]',
    );
    expect(calls.filter(({ call, fields }) => call === 'win' && fields?.amount === '0.25')).toHaveLength(1);
  });

  it('an interrupted wait ends at once, and no further step is sent', async () => {
    const aborting = new AbortController();
    const { ended, stepsSent } = await played('steps: [{ bet: }, { wait: 60s }, { bet: }, { balance: }]', {
      signal: aborting.signal,
      record: (event) => {
        if (event.event === 'received' && event.scenario === 'bet/one') setTimeout(() => aborting.abort('SIGINT'), 50);
      },
    });
    expect(ended).toMatchObject({ reason: 'the run was interrupted', restored: true });
    expect(stepsSent.filter((one) => one === 'step bet')).toHaveLength(1);
  });

  it('the balance is read after 200 calls of a long repetition', async () => {
    const { run, stepsSent } = await played('steps: [{ bet: { amount: "0.01" }, times: 210 }, { balance: }]');
    const bets = stepsSent.flatMap((one, index) => (one === 'step bet' ? [index] : []));
    const reads = stepsSent.flatMap((one, index) => (one === 'read balance' ? [index] : []));
    expect(bets).toHaveLength(210);
    expect(reads.some((at) => at > (bets[0] ?? 0) && at < (bets.at(-1) ?? 0))).toBe(true);
    expect(run.verdict('bet.debit')).toBe('pass');
  });

  it('a race whose replies are lost is recorded with its exchanges, and settled before the next read', async () => {
    const { run, stepsSent } = await played('steps: [{ together: [{ bet: }, { bet: }] }, { balance: }]', {
      behaviour: ({ call, number }, tell) => (call === 'bet' && number % 2 === 0 ? { status: 500, body: {} } : tell()),
      raceRounds: 1,
    });
    const race = run.events.find((event) => event.event === 'race');
    expect(race?.event === 'race' && race.exchanges).toHaveLength(2);
    const settling = stepsSent.indexOf('settle refund');
    expect(stepsSent.slice(0, settling).filter((one) => one === 'step bet')).toHaveLength(2);
    expect(settling).toBeLessThan(stepsSent.indexOf('step balance'));
  });

  it('the steps of two sessions are sent in the session of each', async () => {
    const { url, calls } = await operatorServer(undefined, { sessions: [P1, P2] });
    const two = scenarioOf(
      'session/two',
      'rules: [session.isolated]\nneeds: { other: { player: other } }\nsteps: [{ bet: }, { balance: { session: other } }, { balance: }]',
    );
    const run = await ran(url, [two], { deadlineMs: 4000 }, [P1, P2]);
    expect(run.scenario('session/two').verdict).toBe('pass');
    expect(new Set(calls.map(({ fields }) => fields?.sessionID))).toEqual(new Set(['s1', 's2']));
  });
});
