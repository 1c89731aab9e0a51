import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier, type Ended, ended, start } from '../../croupier.ts';
import { type DemoOperator, demoOperator, relayTo } from '../../demo-operator.ts';

let cwd = '';
let operator: DemoOperator;
beforeEach(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  operator = await demoOperator(cwd);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const WHOM = ['--client', 'demo-eu', '--linger', '50ms'];

function run(...args: readonly string[]): Promise<Ended> {
  return croupier(['run', ...args, ...WHOM], { cwd });
}

/** The first run: bets, wins and refunds. */
async function earlier(): Promise<void> {
  const { status } = await run('refund/restore', 'idempotency/win', '--journal', 'before.ndjson');
  expect(status).toBe(0);
}

interface Report {
  readonly rules: readonly { readonly id: string; readonly verdict: string; readonly reason: string | null }[];
}

function ruleIn({ out }: Ended, id: string): Report['rules'][number] | undefined {
  return (JSON.parse(out) as Report).rules.find((rule) => rule.id === id);
}

/** Sends transactions of the first run again. */
async function runAfter(...flags: readonly string[]) {
  const ran = await run('idempotency/durable-earlier-run', '--after', 'before.ndjson', '--json', ...flags);
  return { status: ran.status, rule: ruleIn(ran, 'idempotency.durable') };
}

async function restart(): Promise<void> {
  await operator.stop();
  operator = await demoOperator(cwd);
}

describe('croupier run --after', () => {
  it('passes an operator that knows its transactions after a restart, also at another address', async () => {
    await earlier();
    const before = operator.books();
    await restart();
    const relay = await relayTo(operator.url);
    const { status, rule } = await runAfter('--base-url', relay.url);
    expect(rule?.verdict).toBe('pass');
    expect(status).toBe(0);
    expect(operator.books()).toEqual(before);
    const sent = readFileSync(path.join(cwd, 'before.ndjson'), 'utf8');
    const moving = relay.calls.filter(({ call }) => call !== 'balance');
    expect(moving.map(({ call }) => call).sort()).toEqual(['bet', 'refund', 'win']);
    for (const { fields } of moving) expect(sent).toContain(fields.txID);
  });

  it('says that no transaction of the earlier run could be verified', async () => {
    expect((await run('balance/read', '--journal', 'before.ndjson')).status).toBe(0);
    const { status, out } = await run('idempotency.durable', '--after', 'before.ndjson');
    expect(status).toBe(0);
    const logged = out.replaceAll(/\s+/g, ' ');
    expect(logged).toContain(
      'No transaction of the earlier run was sent again, because the earlier run has no accepted',
    );
    expect(logged).toContain('So the run did not test whether the operator still knows the old transactions.');
    await earlier();
    expect((await run('idempotency.durable', '--after', 'before.ndjson')).out).not.toContain('asked for');
  });

  it('fails an operator that forgets its transactions in a restart', async () => {
    await earlier();
    await operator.stop();
    operator.change('DELETE FROM tx');
    operator = await demoOperator(cwd);
    const { status, rule } = await runAfter();
    expect(rule?.verdict).toBe('fail');
    expect(status).toBe(1);
  });

  it('fails an operator that charges an old bet again under its old txID', async () => {
    await earlier();
    const relay = await relayTo(operator.url);
    relay.decide(({ call }) => {
      if (call === 'bet') operator.change("UPDATE wallet SET balance = balance - 100 WHERE extCID = 'demo-eu'");
      return 'pass';
    });
    const { status, rule } = await runAfter('--base-url', relay.url, '--grep', 'bet');
    expect(rule).toMatchObject({ verdict: 'fail' });
    expect(rule?.reason).toContain('the earlier transaction took effect a second time');
    expect(status).toBe(1);
  });

  it('does not fail an operator if a player has played since', async () => {
    await earlier();
    operator.change("DELETE FROM tx; UPDATE wallet SET balance = '77700'");
    const { status, rule } = await runAfter();
    expect(rule).toMatchObject({ verdict: 'inconclusive' });
    expect(rule?.reason).toContain('somebody has played since, or the wallet was reset');
    expect(status).toBe(3);
  });

  it('does not fail an operator whose sessions have ended since', async () => {
    await earlier();
    const relay = await relayTo(operator.url);
    relay.decide(({ call }) => (call === 'balance' ? 'pass' : { status: 403, code: 'session_expired' }));
    const { rule } = await runAfter('--base-url', relay.url);
    expect(rule?.verdict).not.toBe('fail');
  });

  it('pays a win in a round of the earlier run after the session has expired', async () => {
    const carla = 'eu-carla-usd,player=carla,currency=USD';
    const open =
      'croupier: 1\ntitle: An open round\nrules: [bet.debit]\nrounds: unfinished\nsteps: [{ bet: { amount: "${unit}" } }, { balance: }]\n';
    writeFileSync(path.join(cwd, 'open.yaml'), open);
    expect((await run('open.yaml', '--journal', 'before.ndjson', '--session', carla)).status).toBe(0);
    const expire = `UPDATE session SET state = 'expired' WHERE sessionID = 'eu-carla-usd'`;
    const flags = ['--after', 'before.ndjson', '--json', '--session', `${carla},state=expired`];
    operator.change(expire);
    const settled = await run('session/expired-settles-earlier-run', ...flags);
    expect(ruleIn(settled, 'session.expired-settles')).toMatchObject({ verdict: 'pass' });
    expect(settled.status).toBe(0);

    const relay = await relayTo(operator.url);
    relay.decide(({ call }) => (call === 'win' ? { status: 403, code: 'session_expired' } : 'pass'));
    const refused = await run('session/expired-settles-earlier-run', ...flags, '--base-url', relay.url);
    expect(ruleIn(refused, 'session.expired-settles')).toMatchObject({ verdict: 'warn' });
  });

  it('accepts the journal of a killed run', async () => {
    const relay = await relayTo(operator.url);
    const args = ['run', 'refund/restore', 'idempotency/bet', '--journal', 'before.ndjson', '--base-url', relay.url];
    const child = start([...args, ...WHOM], { cwd });
    relay.decide(({ call, number }) => {
      if (call === 'bet' && number === 3) child.kill('SIGKILL');
      return 'pass';
    });
    expect((await ended(child)).status).toBeNull();
    const { rule } = await runAfter('--grep', 'bet');
    expect(rule?.verdict).toBe('pass');
  });

  it('does not judge transactions that are older than the lifetime of a txID', async () => {
    await earlier();
    const file = path.join(cwd, 'before.ndjson');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"startedAt":"\d{4}/, '"startedAt":"2020'));
    const { rule } = await runAfter();
    expect(rule).toMatchObject({ verdict: 'skip' });
    expect(rule?.reason).toContain('days old');
  });

  it('skips scenarios that need calls which the earlier run did not make', async () => {
    expect((await run('balance/read', '--journal', 'before.ndjson')).status).toBe(0);
    const { rule } = await runAfter();
    expect(rule).toMatchObject({ verdict: 'skip' });
    expect(rule?.reason).toContain('has no accepted');
  });

  it('refuses a journal of another client, a second journal, and a file that is not a journal', async () => {
    await earlier();
    const other = await croupier(['run', '--after', 'before.ndjson', '--client', 'demo-asia'], { cwd });
    expect(other).toMatchObject({ status: 2, out: '' });
    expect(other.err).toContain('the journal belongs to the client demo-eu, but this run judges demo-asia');
    const twice = await run('--after', 'before.ndjson', '--after', 'before.ndjson');
    expect(twice).toMatchObject({ status: 2, out: '' });
    writeFileSync(path.join(cwd, 'none.json'), '{"log":{}}');
    const none = await run('--after', 'none.json');
    expect(none).toMatchObject({ status: 2, out: '' });
    expect(none.err).toContain('this is not a journal of croupier');
    expect(await croupier(['run', '--reference', '--after', 'before.ndjson'], { cwd })).toMatchObject({ status: 2 });
  });
});
