import { describe, expect, it } from 'vitest';
import { conclude } from '../../../src/journal/conclusion.ts';
import { error } from '../../judge/toy-wallet.ts';
import { operatorServer, P1, P2, ran, scenarioOf } from '../operator-server.ts';

const bad = (sign: string) =>
  `rules: [signature.mismatch, signature.missing]\nsteps: [{ bet: }, { balance: }, { bet: , sign: ${sign}, expect: refused }, { balance: }]`;

const BET = scenarioOf('bet/debit', 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]');
const READ = scenarioOf('balance/read', 'rules: [balance.read]\nsteps: [{ balance: }]');
const LATE = scenarioOf(
  'refund/broken',
  'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: }, { balance: , after: linger }]',
);
const RACE = scenarioOf(
  'concurrency/race',
  'rules: [concurrency.no-lost-update]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: , times: 4 }] }, { balance: }]',
);

describe('a correct operator', () => {
  it('a correct operator passes, and its balance is restored', async () => {
    const { url, wallet } = await operatorServer();
    const run = await ran(url, [BET, READ, LATE, RACE]);
    expect(run.findings().filter(({ verdict }) => verdict !== 'note')).toEqual([]);
    expect(run.ended.how).toBe('complete');
    expect(
      ['bet.debit', 'balance.read', 'refund.broken-connection', 'concurrency.no-lost-update'].map(run.verdict),
    ).toEqual(['pass', 'pass', 'pass', 'pass']);
    expect(run.scenario('bet/debit')).toMatchObject({ verdict: 'pass', restored: true });
    expect(wallet.balance().format(2)).toBe('100.00');
    expect(conclude(run.fold).exitCode).toBe(0);
  });

  it('a balance is raised if a scenario needs more, and restored afterwards', async () => {
    const { url, wallet } = await operatorServer(undefined, { balance: '0.50' });
    const run = await ran(url, [
      scenarioOf(
        'bet/rich',
        'rules: [bet.debit]\nneeds: { balance: "${21 * stake}" }\nsteps: [{ bet: { amount: "${20 * stake}" } }, { balance: }]',
      ),
    ]);
    expect(run.verdict('bet.debit')).toBe('pass');
    expect(wallet.balance().format(2)).toBe('0.50');
    // The surplus was given back at the end of the run, and not by the scenario.
    expect(run.scenario('bet/rich').restored).toBe(null);
  });

  it('surpluses of several scenarios are given back together at the end of the run', async () => {
    const { url, wallet } = await operatorServer();
    const steps = 'rules: [win.credit]\nsteps: [{ bet: }, { win: { amount: "3.00" } }, { balance: }]';
    const run = await ran(url, [scenarioOf('win/one', steps), scenarioOf('win/two', steps)]);
    const restoring = run.events.flatMap((event) =>
      event.event === 'sending' && event.purpose === 'restore' ? [`${event.call} ${event.scenario}`] : [],
    );
    expect(restoring).toEqual(['balance null', 'bet null', 'win null', 'balance null']);
    expect(wallet.balance().format(2)).toBe('100.00');
    expect(run.fold.notices).toEqual([]);
  });

  it('the report names a surplus that could not be given back', async () => {
    let bets = 0;
    const { url, wallet } = await operatorServer(({ call }, tell) => {
      if (call === 'bet') bets += 1;
      return call === 'bet' && bets > 1 ? error(403, 'No more bets today') : tell();
    });
    const steps = 'rules: [win.credit]\nsteps: [{ bet: }, { win: { amount: "3.00" } }, { balance: }]';
    const run = await ran(url, [scenarioOf('win/one', steps)]);
    expect(wallet.balance().format(2)).toBe('102.00');
    expect(run.fold.notices).toEqual([
      'At the end of the run, croupier did not restore the balances of all players, because croupier could not place the bets that restore them.',
    ]);
    expect(run.fold.owedBalances).toMatchObject([{ sessionID: 's1', wanted: '100', missing: '-2' }]);
  });

  it('the report names the whole sum that is missing, also if an earlier scenario left a surplus', async () => {
    let isOver = false;
    const { url, wallet } = await operatorServer(({ call, fields }, tell) => {
      if (isOver && call !== 'balance') return error(403, 'No more calls today');
      isOver ||= fields?.amount === '5.00';
      return tell();
    });
    const surplus = scenarioOf(
      'win/a',
      'rules: [win.credit]\nsteps: [{ bet: }, { win: { amount: "3.00" } }, { balance: }]',
    );
    const loss = scenarioOf('win/b', 'rules: [bet.debit]\nsteps: [{ bet: { amount: "5.00" } }, { balance: }]');
    const run = await ran(url, [surplus, loss], { workers: 1 });
    expect(wallet.balance().format(2)).toBe('97.00');
    expect(run.fold.notices).toEqual([
      'At the end of the run, croupier did not restore the balances of all players, because croupier could not send the wins that restore them.',
    ]);
    expect(run.fold.owedBalances).toMatchObject([{ sessionID: 's1', wanted: '100', missing: '3' }]);
  });

  it('a scenario is skipped if the balance cannot be raised', async () => {
    const { url } = await operatorServer(({ call }, tell) => (call === 'win' ? error(403, 'No wins today') : tell()), {
      balance: '2.00',
    });
    const run = await ran(url, [
      scenarioOf(
        'bet/rich',
        'rules: [bet.debit]\nneeds: { balance: "${20 * stake}" }\nsteps: [{ bet: }, { balance: }]',
      ),
    ]);
    expect(run.scenario('bet/rich').verdict).toBe('skip');
    expect(run.scenario('bet/rich').reason).toContain('needs a balance of 20');
    expect(run.fold.notices).toEqual([
      "One scenario was skipped because the players' balances were too low. Raise the balance of s1 to at least 20 USD, and run again.",
    ]);
  });

  it('several players play in parallel, but each player plays one scenario after another', async () => {
    let max = 0;
    let now = 0;
    const slow = async (_called: unknown, tell: () => ReturnType<typeof error>) => {
      now += 1;
      max = Math.max(max, now);
      await new Promise((resolve) => setTimeout(resolve, 20));
      now -= 1;
      return tell();
    };
    const scenarios = [1, 2, 3, 4].map((number) =>
      scenarioOf(`balance/${number}`, 'rules: [balance.read]\nsteps: [{ balance: , times: 4 }]'),
    );
    const sessions = [P1, P2];
    const { url } = await operatorServer(slow, { sessions });
    await ran(url, scenarios, {}, sessions);
    expect(max).toBe(2);
    max = 0;
    await ran(url, scenarios, { workers: 1 }, sessions);
    expect(max).toBe(1);
  });

  it('the limit of calls per second is kept', async () => {
    const { url } = await operatorServer();
    const start = performance.now();
    await ran(url, [scenarioOf('balance/many', 'rules: [balance.read]\nsteps: [{ balance: , times: 10 }]')], {
      ratePerSecond: 50,
    });
    expect(performance.now() - start).toBeGreaterThan(180);
  });

  it('a call leaves only after its event was written', async () => {
    const announced = new Set<string>();
    let early = 0;
    const { url } = await operatorServer(({ fields }, tell) => {
      if (typeof fields?.txID === 'string' && !announced.has(fields.txID)) early += 1;
      return tell();
    });
    await ran(url, [BET, RACE], {
      record: (event) => {
        const txID = event.event === 'sending' && /"txID":"([^"]+)"/.exec(event.request.body?.data ?? '')?.[1];
        if (txID) announced.add(txID);
      },
    });
    expect(announced.size).toBeGreaterThan(5);
    expect(early).toBe(0);
  });
});

describe('a faulty operator', () => {
  it('a fault of the operator is found, and reported once', async () => {
    const { url } = await operatorServer(({ call }, tell, wallet) => {
      const told = tell();
      if (call !== 'bet') return told;
      wallet.move('-1.00');
      return wallet.ok();
    });
    const run = await ran(url, [BET]);
    expect(run.findings().map(({ rule, verdict }) => `${verdict} ${rule}`)).toEqual(['fail bet.debit']);
    // The round is completed with a win of the missing money, which this operator pays rightly.
    expect(run.scenario('bet/debit')).toMatchObject({ verdict: 'fail', restored: true });
    expect(conclude(run.fold).exitCode).toBe(1);
  });

  it('a bet that is taken after its refund is found within the scenario', async () => {
    const { url } = await operatorServer(({ call }, tell, wallet) => {
      if (call !== 'bet') return tell();
      setTimeout(() => wallet.move('-7.00'), 30);
      return wallet.ok();
    });
    const run = await ran(url, [LATE]);
    expect(run.verdict('refund.broken-connection')).toBe('fail');
  });

  it('a bet that is taken after the end of the scenario is found at the end of the run', async () => {
    const { url } = await operatorServer(
      ({ call, fields }, tell, wallet) => {
        if (call !== 'bet' || fields?.sessionID !== 's1') return tell();
        setTimeout(() => wallet.move('-7.00'), 250);
        return wallet.ok();
      },
      { sessions: [P1, { ...P2, currency: 'JPY' }] },
    );
    const elsewhere = scenarioOf(
      'robustness/elsewhere',
      'rules: [balance.read]\nneeds: { currency: { decimals: 0 } }\nsteps: [{ balance: }, { wait: 400ms }]',
    );
    const run = await ran(url, [LATE, elsewhere], {}, [P1, { ...P2, currency: 'JPY' }]);
    expect(run.scenario('refund/broken').verdict).not.toBe('fail');
    expect(run.verdict('refund.broken-connection')).toBe('fail');
    expect(run.findings('refund.broken-connection')[0]?.actual).toContain('a debit took effect after its refund');
  });

  it('a late reply is reported, and the scenario ends', async () => {
    const { url } = await operatorServer(async ({ call }, tell) => {
      if (call === 'bet') await new Promise((resolve) => setTimeout(resolve, 300));
      return tell();
    });
    const run = await ran(url, [BET]);
    expect(run.findings('reply.deadline').map(({ verdict }) => verdict)).toEqual(['fail']);
    expect(run.scenario('bet/debit').verdict).toBe('fail');
    expect(run.verdict('bet.debit')).toBe('inconclusive');
    expect(run.fold.owed).toEqual([]);
  });

  it('a race whose calls are answered one after another is inconclusive', async () => {
    const { url } = await operatorServer(({ call, response }, tell) => {
      if (call === 'balance') return tell();
      const told = tell();
      response.writeHead(told.status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(told.body));
      return null;
    });
    const alone = scenarioOf(
      'concurrency/alone',
      'rules: [concurrency.no-lost-update]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: }, { bet: , trickle: { pieces: 2, gap: 80ms }, expect: accepted }] }, { balance: }]',
    );
    const run = await ran(url, [alone]);
    expect(run.findings().filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(run.verdict('concurrency.no-lost-update')).not.toBe('pass');
  });

  it('a balance that changes without calls is inconclusive', async () => {
    const { url } = await operatorServer(({ call, number }, tell, wallet) => {
      if (call === 'balance' && number > 1) wallet.move(`0.${10 + number}`);
      return tell();
    });
    const run = await ran(url, [
      READ,
      scenarioOf('balance/again', 'rules: [balance.read-only]\nsteps: [{ balance: , times: 3 }]'),
    ]);
    expect(run.scenario('balance/again')).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('another process moves it') as string,
    });
    expect(conclude(run.fold).exitCode).not.toBe(0);
  });
});

describe('the connection to the operator', () => {
  it('a run ends if the operator never answers', async () => {
    const run = await ran('http://127.0.0.1:1', [READ, BET, RACE]);
    expect(run.ended.how).toBe('unreachable');
    expect(run.findings().filter(({ verdict }) => verdict === 'fail' || verdict === 'pass')).toEqual([]);
    expect(run.events.filter(({ event }) => event === 'scenario-started').length).toBeLessThanOrEqual(2);
    expect(conclude(run.fold).exitCode).toBe(3);
  });

  it('kept-alive connections that are closed during a call are not blamed on the operator', async () => {
    const seen = new WeakSet<object>();
    const { url } = await operatorServer(({ request }, tell) => {
      if (seen.has(request.socket)) {
        request.socket.resetAndDestroy();
        return null;
      }
      seen.add(request.socket);
      return tell();
    });
    const run = await ran(url, [BET, READ]);
    expect(run.findings().filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(run.verdict('bet.debit')).toBe('pass');
    expect(run.fold.notices.join()).toContain('kept-alive');
  });

  it('a scenario with a reset connection is played again', async () => {
    let resets = 0;
    const { url } = await operatorServer(({ request, number }, tell) => {
      if (number !== 2) return tell();
      resets += 1;
      request.socket.resetAndDestroy();
      return null;
    });
    const run = await ran(url, [READ, BET], { client: { wire: { keepAlive: false } } as never });
    expect(resets).toBe(1);
    expect(run.findings().filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(run.verdict('bet.debit')).toBe('pass');
  });
});

describe('a run', () => {
  it('a scenario that the operator declines by its own limits is skipped, with the code', async () => {
    const { url } = await operatorServer(({ call }, tell) =>
      call === 'bet' ? error(403, 'Too much', 'bet_limit') : tell(),
    );
    const run = await ran(url, [BET]);
    expect(run.scenario('bet/debit').verdict).toBe('skip');
    expect(run.scenario('bet/debit').reason).toContain('bet_limit');
    expect(run.verdict('bet.debit')).toBe('skip');
  });

  it('skipped scenarios name the missing settings', async () => {
    const { url, calls } = await operatorServer();
    const run = await ran(url, [
      scenarioOf(
        'signature/client',
        'rules: [signature.client-key]\nneeds: { client: other }\nsteps: [{ bet: , sign: other-client, expect: refused }]',
      ),
      scenarioOf(
        'money/large',
        'rules: [money.large]\nneeds: { amounts: large }\nsteps: [{ bet: , as: r }, { win: { round: r } }, { balance: }]',
      ),
      scenarioOf(
        'session/isolated',
        'rules: [session.isolated]\nneeds: { other: { player: other } }\nsteps: [{ bet: }, { balance: { session: other } }]',
      ),
    ]);
    const reason = (id: string): string | null => run.scenario(id).reason;
    expect(reason('signature/client')).toContain('a second client');
    expect(reason('money/large')).toContain('largeAmounts: true');
    expect(reason('session/isolated')).toContain('another session of another player');
    expect(calls).toEqual([]);
  });

  it('a run with --bail stops after the given number of failures', async () => {
    const { url } = await operatorServer(({ call }, tell, wallet) => (call === 'bet' ? wallet.ok() : tell()));
    const run = await ran(
      url,
      [1, 2, 3, 4].map((number) => scenarioOf(`bet/${number}`, 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]')),
      { bail: 2 },
    );
    expect(run.ended.how).toBe('bail');
    expect(run.events.filter(({ event }) => event === 'scenario-ended')).toHaveLength(2);
  });

  it('a run with --time begins no scenario after this time, and completes the scenario that it has begun', async () => {
    let clock = 0;
    const { url } = await operatorServer((_, tell) => {
      clock += 40;
      return tell();
    });
    const run = await ran(
      url,
      [1, 2, 3, 4].map((number) => scenarioOf(`bet/${number}`, 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]')),
      { endAfterMs: 100, now: () => performance.now() + clock },
    );
    expect(run.ended.how).toBe('time');
    expect(run.events.filter(({ event }) => event === 'scenario-ended')).toHaveLength(1);
    expect(conclude(run.fold).firstLine).toContain('was over (--time) after 1 of ');
    expect(run.scenario('bet/1').verdict).toBe('pass');
  });

  it('an interrupted run begins no scenario and restores the balances', async () => {
    const abort = new AbortController();
    const { url, wallet } = await operatorServer(({ call }, tell) => {
      if (call === 'bet') abort.abort('SIGTERM');
      return tell();
    });
    const run = await ran(
      url,
      [
        scenarioOf(
          'bet/long',
          'rules: [bet.debit]\nsteps: [{ bet: { amount: "5.00" } }, { balance: }, { bet: }, { balance: }]',
        ),
        READ,
      ],
      { signal: abort.signal },
    );
    expect(run.ended).toMatchObject({ how: 'interrupted', signal: 'SIGTERM' });
    expect(run.scenario('bet/long')).toMatchObject({
      verdict: 'inconclusive',
      reason: 'the run was interrupted',
      restored: true,
    });
    expect(wallet.balance().format(2)).toBe('100.00');
    expect(run.events.filter(({ event }) => event === 'scenario-started').length).toBeLessThanOrEqual(2);
    expect(conclude(run.fold).exitCode).toBe(143);
  });

  it('scenarios that are marked as last come after all others, and send the first transactions of the run again', async () => {
    const last = scenarioOf(
      'balance/last',
      'order: last\nrules: [idempotency.durable]\nsteps: [{ balance: }, { resend: { earliest: bet } }, { balance: }]',
    );
    const { url } = await operatorServer();
    const run = await ran(url, [last, BET]);
    expect(run.events.flatMap((event) => (event.event === 'scenario-started' ? [event.scenario] : []))).toEqual([
      'bet/debit',
      'balance/last',
    ]);
    expect(run.verdict('idempotency.durable')).toBe('pass');
  });

  it('findings are attributed to their cause at the end of the run', async () => {
    const { url } = await operatorServer((called, tell, wallet) =>
      called.signedRight ? tell() : wallet.answer({ ...called, signedRight: true }),
    );
    const run = await ran(url, [
      scenarioOf('signature/missing', bad('missing').replace('signature.mismatch, ', '')),
      scenarioOf('signature/mismatch', bad('garbage').replace(', signature.missing', '')),
    ]);
    expect(run.verdict('signature.mismatch')).toBe('fail');
    expect(run.verdict('signature.missing')).toBe('inconclusive');
  });
});

describe('a temporary failure', () => {
  const STORY = scenarioOf(
    'win/zero',
    'rules: [win.zero]\nsteps: [{ bet: , as: a }, { win: { round: a, amount: "0" } }, { balance: }]',
  );

  it('a temporary failure is no finding if the next attempt passes, or if another call fails each time', async () => {
    let bets = 0;
    const { url } = await operatorServer(({ call }, tell) => {
      if (call === 'bet') bets += 1;
      return call === 'bet' && bets < 5 ? error(500, 'Oops') : tell();
    });
    const run = await ran(url, [BET, STORY]);
    expect(run.scenario('win/zero').verdict).toBe('pass');
    expect(run.verdict('bet.debit')).not.toBe('fail');
  });

  it('a failure in every attempt is a finding', async () => {
    const { url } = await operatorServer(({ call, fields }, tell) =>
      call === 'win' && fields?.amount === '0' ? error(500, 'Oops') : tell(),
    );
    const run = await ran(url, [STORY]);
    expect(run.scenario('win/zero').attempt).toBe(8);
    expect(run.verdict('win.zero')).toBe('fail');
  });

  const UNSIGNED = scenarioOf(
    'refund/unsigned',
    'rules: [signature.mismatch]\nsteps: [{ refund: { of: unknown }, sign: garbage, expect: refused }, { refund: { of: unknown }, expect: accepted }]',
  );

  it('a wrongly signed call that fails at first in every attempt is no finding, if it is refused when it is sent again', async () => {
    const failed = new Set<unknown>();
    const { url } = await operatorServer(({ signedRight, fields }, tell) => {
      if (signedRight || failed.has(fields?.txID)) return tell();
      failed.add(fields?.txID);
      return error(500, 'Oops');
    });
    const run = await ran(url, [UNSIGNED]);
    expect(run.scenario('refund/unsigned')).toMatchObject({ verdict: 'pass', attempt: 8 });
    expect(run.verdict('signature.mismatch')).toBe('pass');
  });

  it('a wrongly signed call that always fails is a finding', async () => {
    const { url } = await operatorServer(({ signedRight }, tell) => (signedRight ? tell() : error(500, 'Oops')));
    const run = await ran(url, [UNSIGNED]);
    expect(run.scenario('refund/unsigned').attempt).toBe(8);
    expect(run.verdict('signature.mismatch')).toBe('fail');
  });

  it('a failed bet is reported only by its refund, if the refund goes wrong', async () => {
    let bets = 0;
    const { url } = await operatorServer(({ call }, tell, wallet) => {
      if (call === 'bet') bets += 1;
      if (call === 'bet' && bets === 1) return error(500, 'Oops');
      if (call !== 'refund') return tell();
      wallet.move('1.25');
      return wallet.ok();
    });
    const decimal = scenarioOf(
      'bet/decimal',
      'rules: [bet.decimal-amount]\nsteps: [{ bet: { amount: "1.25" } }, { balance: }]',
    );
    const run = await ran(url, [decimal]);
    expect(run.verdict('refund.after-error')).toBe('fail');
    expect(run.verdict('bet.decimal-amount')).not.toBe('fail');
  });

  it('a scenario is repeated more often if calls fail at random', async () => {
    let calls = 0;
    const { url } = await operatorServer(
      ({ call }, tell) => {
        if (call !== 'bet') return tell();
        calls += 1;
        // The first bet of the first attempt, the second of the next, and so on. The balance is restored without a bet.
        return [1, 3, 4, 6].includes(calls) ? error(500, 'Oops') : tell();
      },
      { sessions: [P1, P2] },
    );
    const two = scenarioOf('bet/two', 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }, { bet: }, { balance: }]');
    const others = Array.from({ length: 12 }, (_, number) =>
      scenarioOf(`balance/${number}`, 'rules: [balance.read]\nsteps: [{ balance: }, { wait: 80ms }]'),
    );
    const run = await ran(url, [two, ...others], {}, [P1, P2]);
    // There may be too many calls at once, so players play one after another from then on.
    const told = run.events.findIndex(({ event }) => event === 'notice');
    expect(run.fold.notices.join()).toContain('one after another');
    const open = new Set<string>();
    for (const [at, event] of run.events.entries()) {
      if (event.event === 'scenario-started' && at > told && event.attempt === 1) expect([...open]).toEqual([]);
      if (event.event === 'scenario-started') open.add(event.scenario);
      if (event.event === 'scenario-ended') open.delete(event.scenario);
    }
    expect(run.scenario('bet/two').verdict).toBe('pass');
    expect(run.scenario('bet/two').attempt).toBeGreaterThan(3);
  });

  it('three failures in a row do not prove a fault if calls fail at random', async () => {
    const zeroWins = new Set<unknown>();
    const refused = new Set<string>();
    let lostBets = 0;
    const { url } = await operatorServer(({ call, fields }, tell) => {
      if (call === 'bet' && fields?.amount === '7.00' && lostBets++ < 2) return error(500, 'Oops');
      if (call === 'refund' && typeof fields?.txID === 'string' && !refused.has(fields.txID)) {
        refused.add(fields.txID);
        return error(500, 'Oops');
      }
      if (call !== 'win' || fields?.amount !== '0') return tell();
      zeroWins.add(fields.txID);
      return zeroWins.size <= 3 ? error(500, 'Oops') : tell();
    });
    const lost = scenarioOf('bet/lost', 'rules: [bet.debit]\nsteps: [{ bet: { amount: "7.00" } }, { balance: }]');
    const run = await ran(url, [lost, STORY], { workers: 1 });
    expect(run.scenario('win/zero')).toMatchObject({ verdict: 'pass', attempt: 4 });
  });
});

describe('an operator that fails every bet', () => {
  it('scenarios that need bets are not played any more if every bet fails, and a notice says so', async () => {
    const { url, calls } = await operatorServer(({ call }, tell) =>
      call === 'bet' || call === 'refund' ? error(500, 'Oops') : tell(),
    );
    const scenarios = Array.from({ length: 12 }, (_, number) =>
      scenarioOf(`bet/${number}`, 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]'),
    );
    const run = await ran(url, [...scenarios, READ]);
    expect(calls.filter(({ call }) => call === 'bet').length).toBeLessThan(20);
    // Some bets are sent four times at first, and only once later.
    expect(calls.filter(({ call }) => call === 'refund').length).toBeLessThan(30);
    expect(
      scenarios.map(({ id }) => run.scenario(id).reason ?? '').filter((why) => /not played/.test(why)),
    ).not.toEqual([]);
    expect(run.verdict('refund.after-error')).toBe('fail');
    expect(run.verdict('balance.read')).toBe('pass');
    expect(run.fold.notices.join()).toContain('POST /bet failed each time');
  });
});

it('a bet is not reported as wrong because the win of 0 that completed the last scenario gave the stake back', async () => {
  const { url } = await operatorServer(
    ({ call, fields }, tell, wallet) => {
      if (call !== 'win' || fields?.amount !== '0') return tell();
      wallet.move('1.00');
      return tell();
    },
    { balance: '1000.00' },
  );
  const steps = 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }]';
  const run = await ran(url, [scenarioOf('bet/one', steps), scenarioOf('bet/two', steps)]);
  expect(run.findings('bet.debit')).toEqual([]);
});

it('a balance that stays wrong while croupier raises it leaves the scenario undecided, and does not skip it', async () => {
  // The wallet leaves out the zeros at the end of a balance.
  const { url } = await operatorServer((_called, tell) => {
    const reply = tell();
    const body = reply.body as { readonly balance?: string };
    if (body.balance === undefined) return reply;
    return { ...reply, body: { ...body, balance: String(Number(body.balance)).replace(/0+$/, '') || '0' } };
  });
  const rich = scenarioOf(
    'bet/rich',
    'rules: [bet.debit]\nneeds: { balance: "900.00" }\nsteps: [{ bet: }, { balance: }]',
  );
  const played = await ran(url, [rich]);
  expect(played.scenario('bet/rich')).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringContaining(
      'after a bet and a win that were accepted, the balance was 19 instead of',
    ) as string,
  });
});
