import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier, type Ended, ended, start } from '../../croupier.ts';
import type { Relayed } from '../../demo-operator.ts';
import { CLIENT_FLAGS, CutOffRun } from './cut-off-run.ts';

let run: CutOffRun;

beforeEach(() => {
  run = new CutOffRun();
});
afterEach(() => run.remove());

const LOST_BET = '  - bet: { amount: "7.00" }\n';
const isBet = ({ call }: Relayed): boolean => call === 'bet';

describe('a settlement', () => {
  beforeEach(() => run.serve());

  it('sends the calls and restores the balances that the reports of the run and --dry-run name, with the same sums', async () => {
    const steps = '  - bet: { amount: "5.00" }\n  - balance:\n  - bet: { amount: "7.00" }\n';
    writeFileSync(path.join(run.cwd, 'mine.yaml'), `title: Mine\nrules: [bet.debit]\nsteps:\n${steps}`);
    run.relay.decide(({ call, fields }) => {
      if (fields.amount === '7.00') return call === 'bet' ? 'lose-reply' : { status: 500 };
      return call === 'win' || (call === 'bet' && fields.amount !== '5.00') ? { status: 403 } : 'pass';
    });
    const ran = await run.cli('run', 'mine.yaml', '--journal', 'run.ndjson', '--report', 'json=run.json');
    const shown = ran.out.replaceAll(/\n +/g, ' ');
    // croupier plays the scenario twice, because a failure of it must occur again.
    expect(shown).toContain('! 2 refunds (14.00 USD) were not answered 200 (500)');
    expect(shown).toContain(
      '! the balance of session eu-anna-usd-catch (anna) will still be 10.00 USD too low after the owed calls are answered. It was 1000.00 USD before the run',
    );
    const report = JSON.parse(readFileSync(path.join(run.cwd, 'run.json'), 'utf8')) as {
      readonly owed: readonly { readonly call: string; readonly fields: { readonly amount: string } }[];
      readonly owedBalances: readonly { readonly sessionID: string; readonly missing: string }[];
    };
    const reported = [
      ...report.owed.map(({ call, fields }) => [call, Number(fields.amount)]),
      ...report.owedBalances.map(({ missing }) => ['balance', Number(missing)]),
    ];
    const itemsOf = ({ out }: Ended) =>
      (JSON.parse(out) as { items: { kind: string; amount: string }[] }).items.map(({ kind, amount }) => [
        kind,
        Number(amount),
      ]);
    expect(reported).toEqual([
      ['refund', 7],
      ['refund', 7],
      ['balance', 10],
    ]);
    expect(itemsOf(await run.settle('--dry-run', '--json'))).toEqual(reported);
    run.relay.decide(() => 'pass');
    expect(itemsOf(await run.settle('--json'))).toEqual(reported);
    expect(run.operator.books()).toEqual(run.before);
    const after = await croupier(['report', 'convert', 'run.ndjson', '--to', 'json=-'], { cwd: run.cwd });
    expect(JSON.parse(after.out)).toMatchObject({ owed: [], owedBalances: [], owedUnknown: null, settle: null });
  });

  it.each([[[]], [['--no-lock']]])(
    'says that its sums may be wrong only if the run had no locks (%s)',
    async (flags) => {
      const balance = (called: Relayed) => called.call === 'balance' && called.number === 1;
      await run.killedAt('  - bet: { amount: "5.00" }\n  - balance:\n', balance, 'lose', ...flags);
      const dry = await run.settle('--dry-run');
      const json = await run.settle('--dry-run', '--json');
      expect((JSON.parse(json.out) as { remarks: readonly string[] }).remarks).toHaveLength(flags.length);
      const settled = await run.settle();
      expect(settled.status).toBe(0);
      for (const { out } of [dry, json, settled])
        expect(out.includes('the sums of the balances above may be wrong')).toBe(flags.length > 0);
    },
  );

  it('does not restore a balance that another transaction has changed', async () => {
    await run.killedAt(
      '  - bet: { amount: "5.00" }\n  - balance:\n',
      ({ call, number }) => call === 'balance' && number === 1,
      'lose',
    );
    run.operator.change("UPDATE wallet SET balance = '90000' WHERE extCID = 'demo-eu' AND player = 'anna'");
    const calls = run.relay.calls.length;
    const { status, out } = await run.settle();
    expect(status).toBe(3);
    expect(out).toContain('the balance is 900, but the run left it at 995 (it was 1000 before the run)');
    expect(run.relay.calls.slice(calls).map(({ call }) => call)).toEqual(['win', 'balance', 'balance']);
    expect(run.operator.books()['anna USD']).toBe('90000');
    // After the balance has its old value again, it can be compared again.
    run.operator.change("UPDATE wallet SET balance = '99500' WHERE extCID = 'demo-eu' AND player = 'anna'");
    expect((await run.settle()).status).toBe(0);
    expect(run.operator.books()).toEqual(run.before);
  });

  it('reports the win of an open round that the operator refuses, and restores the balance all the same', async () => {
    await run.killedAt('  - bet:\n  - balance:\n', ({ call, number }) => call === 'balance' && number === 1, 'lose');
    run.relay.decide(({ call, fields }) => (call === 'win' && fields.amount === '0' ? { status: 404 } : 'pass'));
    const { status, out } = await run.settle();
    expect(status).toBe(3);
    expect(out).toContain('! win: 0.00 USD, session eu-anna-usd-catch (anna)');
    expect(out).toContain('still owed: it was answered 404');
    expect(out).toContain('the balance is now the same as before the run');
    expect(run.operator.books()).toEqual(run.before);
  });

  it('repeats the win of an open round until its reply has status 200', async () => {
    await run.killedAt('  - bet:\n  - balance:\n', ({ call, number }) => call === 'balance' && number === 1, 'lose');
    let refused = 0;
    run.relay.decide(({ call }) => {
      if (call !== 'win' || refused >= 2) return 'pass';
      refused += 1;
      return { status: 503 };
    });
    const { status, out } = await run.settle();
    expect(status).toBe(0);
    expect(out).toContain('✓ win: 0.00 USD');
    expect(run.operator.books()).toEqual(run.before);
  });

  it('prints the obligations of each player as JSON', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    const { status, out } = await run.settle('--json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      client: { extCID: 'demo-eu' },
      dryRun: false,
      owed: 0,
      exitCode: 0,
      items: [
        { kind: 'refund', player: 'anna', currency: 'USD', amount: '7.00', settled: true, tries: 1, status: 200 },
        { kind: 'balance', player: 'anna', wanted: '1000.00', found: '1000.00', settled: true },
      ],
    });
  });

  it('is appended to the journal, which report convert still reads', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    expect((await run.settle()).status).toBe(0);
    const { status, out } = await croupier(['report', 'convert', 'run.ndjson', '--to', 'json=-'], { cwd: run.cwd });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ verdict: 'undecided', owed: [], owedUnknown: null, settle: null });
    const ids = run
      .journal()
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { event: string; id: string })
      .filter(({ event }) => event === 'sending')
      .map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(run.journal()).not.toContain('play-money-key');
  });

  it('needs only the key if there is no configuration', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    rmSync(path.join(run.cwd, 'croupier.yaml'));
    const without = await croupier(['settle', 'run.ndjson'], { cwd: run.cwd });
    expect(without.status).toBe(2);
    expect(without.err).toContain('CROUPIER_KEY');
    const { status } = await croupier(['settle', 'run.ndjson'], {
      cwd: run.cwd,
      env: { CROUPIER_KEY: 'play-money-key-of-demo-eu' },
    });
    expect(status).toBe(0);
    expect(run.operator.books()).toEqual(run.before);
  });

  it('waits while the run is active, and settles it as soon as it ends', async () => {
    writeFileSync(path.join(run.cwd, 'mine.yaml'), `title: Mine\nrules: [bet.debit]\nsteps:\n${LOST_BET}`);
    const running = start(
      ['run', 'mine.yaml', '--journal', 'run.ndjson', '--base-url', run.relay.url, ...CLIENT_FLAGS],
      {
        cwd: run.cwd,
      },
    );
    const isBetSent = new Promise<void>((resolve) => {
      run.relay.decide(({ call }) => {
        if (call !== 'bet') return 'pass';
        resolve();
        return 'lose-reply';
      });
    });
    await isBetSent;
    // Another home folder means other locks of players, as in another container.
    const settling = start(['settle', 'run.ndjson', '--base-url', run.relay.url, ...CLIENT_FLAGS], {
      cwd: run.cwd,
      env: { HOME: path.join(run.cwd, 'home') },
    });
    const over = ended(settling);
    const calls = await new Promise((resolve) => {
      settling.stderr?.once('data', (text) => {
        expect(String(text)).toMatch(
          /^run\.ndjson: croupier run \(process \d+ on .*\) is still writing this journal\. Waiting for up to 35 s/,
        );
        resolve(run.relay.calls.filter(({ call }) => call !== 'balance').length);
        running.kill('SIGKILL');
      });
    });
    expect(calls).toBe(1);
    await ended(running);
    run.relay.decide(() => 'pass');
    expect(await over).toMatchObject({ status: 0, out: expect.stringContaining('Nothing is owed any more.') });
    expect(run.operator.books()).toEqual(run.before);
    expect(readdirSync(run.cwd)).not.toContain('run.ndjson.lock');
  });

  it('that waited for the players of another settlement pays nothing twice', async () => {
    await run.killedAt('  - bet:\n  - balance:\n', ({ call, number }) => call === 'balance' && number === 1, 'lose');
    const both = await Promise.all([run.settle(), run.settle()]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(both.filter(({ out }) => out.includes('Nothing was sent'))).toHaveLength(1);
    expect(run.operator.books()).toEqual(run.before);
  });

  it('is suggested by a run that is ended immediately', async () => {
    writeFileSync(path.join(run.cwd, 'mine.yaml'), `title: Mine\nrules: [bet.debit]\nsteps:\n${LOST_BET}`);
    const child = start(['run', 'mine.yaml', '--journal', 'run.ndjson', '--base-url', run.relay.url, ...CLIENT_FLAGS], {
      cwd: run.cwd,
    });
    run.relay.decide(({ call }) => {
      if (call !== 'bet') return 'pass';
      child.kill('SIGINT');
      setTimeout(() => child.kill('SIGINT'), 400);
      return 'lose-reply';
    });
    const { status, err } = await ended(child);
    expect(status).toBe(130);
    expect(err).toContain('croupier settle run.ndjson');
    run.relay.decide(() => 'pass');
    expect((await run.settle()).status).toBe(0);
    expect(run.operator.books()).toEqual(run.before);
  });
});
