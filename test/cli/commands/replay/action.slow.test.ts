import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';
import { demoOperator, relayTo } from '../../demo-operator.ts';

const DEFECT = 'replayed-bet-charged';
const BEGAN = Date.parse('2026-11-21T14:03:00Z');

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'replay-'));
  await croupier(['run', 'idempotency/bet', '--reference', '--defect', DEFECT, '--journal', 'bad.ndjson'], { cwd });
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true }));

const replay = (...args: readonly string[]): Promise<Ended> =>
  croupier(['replay', '--linger', '300ms', ...args], { cwd });

/** The moments of a call in a journal, in ms. */
interface Stamps {
  readonly start: number;
  readonly end: number;
}

interface Line {
  readonly at: number;
  readonly took?: number;
  readonly path: string;
  readonly body?: object;
  readonly status?: number;
  readonly reply?: object;
}

/** A log of the service, with one line of JSON for each call. */
function write(name: string, lines: readonly Line[]): string {
  const text = lines.map(({ at, took = 5, path: where, body, status = 200, reply }) =>
    JSON.stringify({
      time: new Date(BEGAN + at).toISOString(),
      method: body ? 'POST' : 'GET',
      url: `https://wallet.example${where}`,
      status,
      tookMs: took,
      ...(body && { requestBody: JSON.stringify(body) }),
      responseBody: JSON.stringify(reply),
    }),
  );
  writeFileSync(path.join(cwd, name), `${text.join('\n')}\n`);
  return name;
}

const bet = (tx: string, amount = '5.00', round = 'r-1') => ({
  path: '/bet',
  body: { amount, roundID: round, sessionID: 's-1', txID: tx, type: 'regular' },
});
const win = (tx: string, amount: string) => ({ ...bet(tx, amount), path: '/win' });
const refund = (tx: string, of: string) => ({
  path: '/refund',
  body: { amount: '5.00', origTxID: of, roundID: 'r-1', sessionID: 's-1', txID: tx },
});
const said = (balance: string, txID = 'op') => ({ reply: { balance, txID } });

describe('croupier replay', () => {
  it('reports a problem as still failing, and as fixed after the fix', async () => {
    const [still, fixed] = [
      await replay('bad.ndjson', '--reference', '--defect', DEFECT, '--no-wait'),
      await replay('bad.ndjson', '--reference', '--no-wait', '--json'),
    ];
    expect(still.out).toMatch(/^still failing: idempotency\.bet is still wrong; every reply is as before\./);
    expect(still.status).toBe(1);
    const json = JSON.parse(fixed.out) as { calls: { verdict: string }[] };
    expect(json).toMatchObject({
      schema: 'croupier-replay/1',
      verdict: 'fixed',
      exitCode: 0,
      wrong: { past: { rules: expect.arrayContaining(['idempotency.bet']) as string[] }, now: { rules: [] } },
    });
    expect(json.calls.some(({ verdict }) => verdict === 'differs')).toBe(true);
    expect(fixed.status).toBe(0);
  });

  it('reports a call that was right and is wrong now as regressed', async () => {
    await croupier(['run', 'idempotency/bet', '--reference', '--journal', 'good.ndjson'], { cwd });
    const [same, worse] = [
      await replay('good.ndjson', '--reference', '--no-wait'),
      await replay('good.ndjson', '--reference', '--defect', DEFECT, '--no-wait'),
    ];
    expect(same.out).toMatch(/^same: nothing was wrong, and nothing is/);
    expect(same.status).toBe(0);
    expect(worse.out).toMatch(/^regressed: idempotency\.bet is wrong now/);
    expect(worse.status).toBe(1);
  });

  it('reports a changed reply as different if no rule is broken', async () => {
    const log = write('declined.log', [
      { at: 0, ...bet('t-1'), status: 400, reply: { code: 'INSUFFICIENT_FUNDS', message: 'Not enough.' } },
    ]);
    const { out, status } = await replay(log, '--reference');
    expect(out).toMatch(/^differs: no rule is broken, but 1 reply of 1 differs/);
    expect(out).toContain('logs: 400 INSUFFICIENT_FUNDS; now: 200');
    expect(status).toBe(1);
  });

  it('tests a mistake of which the logs are not certain, and never calls it new or fixed', async () => {
    // The pauses are long enough for a round that is not in the log, so the refund was not certainly paid twice.
    const failed = { status: 500, reply: { code: 'internal_error', message: 'No.' } };
    const log = write('perhaps-twice.log', [
      { at: 0, path: '/balance?sessionID=s-1', reply: { balance: '100.00' } },
      { at: 4000, ...bet('t-1'), ...failed },
      { at: 8000, ...refund('t-2', 't-1'), ...failed },
      { at: 12_000, ...refund('t-2', 't-1'), ...said('105.00') },
      { at: 16_000, path: '/balance?sessionID=s-1', reply: { balance: '105.00' } },
    ]);
    const [still, right] = [
      await replay(log, '--reference', '--defect', 'replayed-refund-paid', '--no-wait'),
      await replay(log, '--reference', '--no-wait'),
    ];
    expect(still.out).toMatch(/^still failing: idempotency\.refund is wrong now/);
    expect(right.out).toMatch(/^not reproduced: /);
    expect([still.status, right.status]).toEqual([1, 3]);
  });

  it('writes a readable scenario, which lint accepts and run plays', async () => {
    const log = write('record.log', [
      { at: 0, ...bet('t-1'), ...said('95.00') },
      { at: 10, ...bet('t-1'), ...said('95.00') },
      { at: 1500, ...win('t-2', '7.50'), ...said('102.50') },
      { at: 3000, took: 40, ...bet('t-3', '1.00', 'r-2'), ...said('101.50') },
      { at: 3010, took: 40, ...bet('t-4', '1.00', 'r-3'), ...said('100.50') },
      { at: 4000, path: '/balance?sessionID=s-1', reply: { balance: '100.50' } },
      { at: 4010, ...bet('t-5', '5.00', 'r-4'), ...said('95.50') },
      { at: 4020, ...refund('t-6', 't-5'), body: { ...refund('t-6', 't-5').body, roundID: 'r-4' }, ...said('100.50') },
    ]);
    const written = await replay(log, '--of', 's-1', '--to', 'scenario=record.yaml', '--speed', '2');
    expect(written.err).toContain('croupier run record.yaml');
    expect(written.status).toBe(0);
    expect(
      readFileSync(path.join(cwd, 'record.yaml'), 'utf8'),
    ).toBe(`# croupier replay wrote this scenario from the calls in record.log.
# yaml-language-server: $schema=node_modules/croupier-conformance/schema/scenario.json
croupier: 1
title: "Calls of session s-1 on 2026-11-21 at 14:03 UTC"
rules: [money.conservation]
needs: { balance: "12.00" }
rounds: overlapping
steps:
  - bet: { amount: "5.00" }
    as: bet1
  - resend: bet1
  - wait: 740ms
  - win: { round: bet1, amount: "7.50" }
  - wait: 750ms
  - together:
      - bet: { amount: "1.00" }
      - bet: { amount: "1.00" }
        at: 5ms
  - wait: 480ms
  - balance:
  - bet: { amount: "5.00" }
    as: bet2
  - refund: { of: bet2 }
`);
    expect((await croupier(['lint', 'record.yaml'], { cwd })).status).toBe(0);
    const run = await croupier(['run', 'record.yaml', '--reference', '--race-rounds', '1', '--linger', '300ms'], {
      cwd,
    });
    expect(run.out).toMatch(/^CONFORMING/);
  });

  it('writes a scenario that breaks the connection of a late call, unless only its reply was wrong', async () => {
    const late = [
      { at: 0, path: '/balance?sessionID=s-1', reply: { balance: '100.00' } },
      { at: 1000, took: 6000, ...bet('t-1'), ...said('95.00') },
      { at: 7500, ...refund('t-2', 't-1'), ...said('100.00') },
    ];
    const paidAgain = { at: 8000, ...refund('t-3', 't-1'), ...said('105.00') };
    const scenarioOf = async (name: string, calls: Parameters<typeof write>[1], status: 0 | 3) => {
      const written = await replay(write(`${name}.log`, calls), '--scenario', `${name}.yaml`, '--no-wait');
      expect(written.status).toBe(status);
      return readFileSync(path.join(cwd, `${name}.yaml`), 'utf8');
    };
    expect(await scenarioOf('only-late', late, 0)).not.toContain('break: sent');
    const text = await scenarioOf('late-and-paid-twice', [...late, paidAgain], 3);
    expect(text).toContain('as: bet1\n    break: sent\n');
    expect(text).toContain("# The record breaks reply.deadline, which this scenario can't test.");
    const run = async (...more: readonly string[]) =>
      (await croupier(['run', 'late-and-paid-twice.yaml', '--reference', '--linger', '300ms', ...more], { cwd }))
        .status;
    expect([await run(), await run('--defect', 'refund-paid-twice')]).toEqual([0, 1]);
  });

  it('says that a scenario can not force an error that occurs only now and then', async () => {
    const round = (number: number, balance: string) => [
      { at: number * 10_000, ...bet(`b-${number}`, '5.00', `r-${number}`), ...said(balance) },
      { at: number * 10_000 + 1000, ...bet(`w-${number}`, '0.00', `r-${number}`), path: '/win', ...said(balance) },
    ];
    const log = (second: string) => [
      { at: 0, path: '/balance?sessionID=s-1', reply: { balance: '100.00' } },
      ...round(1, '95.00'),
      ...round(2, second),
    ];
    const once = await replay(write('now-and-then.log', log('85.00')), '--scenario', 'now-and-then.yaml');
    expect(once.status).toBe(3);
    expect(once.err).toContain('Perhaps the operator makes this error only now and then.');
    expect((await replay(write('right.log', log('90.00')), '--scenario', 'right.yaml')).status).toBe(0);
    // The right call counts too if it is not selected, and it says the same about the replay itself.
    const wrongRound = ['now-and-then.log', '--round', 'r-2', '--no-wait'];
    const alone = await replay(...wrongRound, '--scenario', 'alone.yaml');
    const played = await replay(...wrongRound, '--reference');
    expect(alone.err).toContain('Perhaps the operator makes this error only now and then.');
    expect(played.out).toMatch(/^not reproduced: /);
    expect([alone.status, played.status]).toEqual([3, 3]);
  });

  it('compares a refund with another refund of a failed bet', async () => {
    const failed = { status: 500, reply: { code: 'internal_error', message: 'Please try again.' } };
    const refused = { status: 404, reply: { code: 'not_found', message: 'There is no such bet.' } };
    const ofRound = (number: number, first: object, second: object) => [
      { at: number * 10_000, ...bet(`b-${number}`, '5.00', `r-${number}`), ...failed },
      { at: number * 10_000 + 500, ...refund(`f-${number}`, `b-${number}`), ...first },
      { at: number * 10_000 + 900, ...refund(`f-${number}`, `b-${number}`), ...second },
    ];
    const log = write('refund-now-and-then.log', [
      { at: 0, path: '/balance?sessionID=s-1', reply: { balance: '100.00' } },
      ...ofRound(1, said('100.00'), said('100.00')),
      ...ofRound(2, refused, said('100.00')),
    ]);
    const { err } = await replay(log, '--scenario', 'refunds.yaml');
    expect(err).toContain('handled call 6 wrongly, but it handled call 3 right');
    expect(err).toContain('the operator answered with a server error: call 2 (500), call 5 (500).');
  });

  it('finds an error that occurs only at every fortieth call before it calls a problem fixed', async () => {
    const folder = mkdtempSync(path.join(cwd, 'fortieth-'));
    const operator = await demoOperator(folder);
    const relay = await relayTo(operator.url);
    const isWin = ({ call }: { readonly call: string }): boolean => call.endsWith('win');
    relay.decide((called) => (isWin(called) && relay.calls.filter(isWin).length % 40 === 0 ? { as: 201 } : 'pass'));
    const yaml = path.join(folder, 'croupier.yaml');
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replaceAll(operator.url, relay.url));
    const log = write('fortieth.log', [
      { at: 0, path: '/balance?sessionID=s-1', reply: { balance: '100.00' } },
      { at: 1000, ...bet('t-1'), ...said('95.00') },
      { at: 2000, ...win('t-2', '2.00'), ...said('97.00'), status: 201 },
    ]);
    const given = [log, '--config', yaml, '--client', 'demo-eu', '--no-wait'];
    const still = await replay(...given);
    expect(still.out).toMatch(/^still failing: /);
    // The scenario sends the calls often enough too.
    expect((await replay(...given, '--scenario', 'fortieth.yaml')).status).toBe(0);
    const run = await croupier(['run', 'fortieth.yaml', '--config', yaml, '--client', 'demo-eu', '--linger', '50ms'], {
      cwd,
    });
    expect([1, 3]).toContain(run.status);
    relay.decide(() => 'pass');
    const fixed = await replay(...given);
    expect(fixed.out).toMatch(/^fixed: /);
    expect([still.status, fixed.status]).toEqual([1, 0]);
    // The second replay ends with the fiftieth win.
    expect(relay.calls.filter(isWin).length).toBeGreaterThanOrEqual(40 + 50);
    expect(fixed.out).toContain('croupier sent the calls 50 times');
  });

  it('says that a scenario can not make the operator take a bet after its refund', async () => {
    const log = write('taken-late.log', [
      { at: 0, path: '/balance?sessionID=s-1', reply: { balance: '100.00' } },
      { at: 1000, ...bet('t-1'), status: 500, reply: { message: 'Please try again.' } },
      { at: 3000, ...refund('t-2', 't-1'), ...said('100.00') },
      { at: 6000, path: '/balance?sessionID=s-1', reply: { balance: '95.00' } },
    ]);
    const { err, status } = await replay(log, '--scenario', 'taken-late.yaml');
    expect(err).toContain('In the logs, the operator perhaps took the bet of call 2 after its refund.');
    expect(readFileSync(path.join(cwd, 'taken-late.yaml'), 'utf8')).toContain('does not show that this error is fixed');
    expect(status).toBe(3);
    // In the replay itself, the rule is not tested again either.
    expect((await replay(log, '--reference', '--no-wait')).status).toBe(3);
  });

  it('breaks a connection that was broken in the record', async () => {
    const run = ['run', 'win/retried-at-once', '--reference', '--race-rounds', '1', '--journal', 'broken.ndjson'];
    await croupier(run, { cwd });
    await replay('broken.ndjson', '--scenario', 'broken.yaml');
    expect(readFileSync(path.join(cwd, 'broken.yaml'), 'utf8')).toMatch(
      /- win: \{ round: bet1, amount: "4\.00" \}\n +as: win1\n +break: sent\n +(?:- wait: \S+\n +)?- together:\n +- resend: win1\n +copies: 2\n/,
    );
    const { out, status } = await replay('broken.ndjson', '--reference', '--race-rounds', '1');
    expect(out).toMatch(/^same: /);
    expect(out).toContain('as before: no reply (broken)');
    expect(status).toBe(0);
  });

  it('repeats malformed calls unchanged, and does not read recorded texts as expressions', async () => {
    const body = { amount: '${stake}', roundID: 'r', sessionID: 's-${x}\u001b[31m', txID: 't', type: 'regular' };
    const [reply, where] = [{ code: 'x', message: 'No.' }, '/bet'];
    const log = write('malformed.log', [
      { at: 0, path: where, body, status: 400, reply },
      { at: 10, path: where, body: { ...body, amount: 5.5 }, status: 400, reply },
      { at: 20, path: where, body: { ...body, amount: '1e3', roundID: 'r-2' }, status: 400, reply },
      { at: 30, path: where, body: { sessionID: body.sessionID, txID: 'u' }, status: 400, reply },
    ]);
    await replay(log, '--scenario', 'malformed.yaml');
    const text = readFileSync(path.join(cwd, 'malformed.yaml'), 'utf8');
    expect(text).toContain("title: \"Calls of session s-${'${'}x}\\u001b[31m on");
    expect((await croupier(['lint', 'malformed.yaml'], { cwd })).status).toBe(0);
    const { out } = await replay(log, '--reference', '--json');
    const { calls } = JSON.parse(out) as { calls: { now: { status: number } }[] };
    expect(calls.map(({ now }) => now.status)).toEqual([400, 400, 400, 400]);
  });

  it('uses separate sessions for separate players', async () => {
    const lines = ['anna', 'ben'].flatMap((player, index) => ({
      time: new Date(BEGAN + index * 50).toISOString(),
      method: 'POST',
      url: '/bet',
      status: 200,
      tookMs: 5,
      player,
      currency: 'USD',
      requestBody: JSON.stringify({ ...bet(`t-${player}`).body, sessionID: `s-${player}`, roundID: `r-${player}` }),
      responseBody: JSON.stringify({ balance: '95.00', txID: `op-${player}` }),
    }));
    writeFileSync(path.join(cwd, 'two.log'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { out, status } = await replay('two.log', '--reference');
    expect(out).toMatch(/^same: /);
    expect(status).toBe(0);
    await replay('two.log', '--scenario', 'two.yaml');
    expect(readFileSync(path.join(cwd, 'two.yaml'), 'utf8')).toContain('second: { player: other }');
  });

  it('replays the incident of the examples with the output of its page', async () => {
    const example = path.resolve(import.meta.dirname, '../../../../examples/incident');
    const page = readFileSync(path.resolve(import.meta.dirname, '../../../../docs/replay.md'), 'utf8');
    const [, command = '', output = ''] = /```\n\$ croupier (replay [^\n]*)\n([\s\S]*?)…\n```/.exec(page) ?? [];
    const args = [...command.split(' '), '--linger', '300ms', '--journal', path.join(cwd, 'example.ndjson')];
    const { out, status } = await croupier(args, { cwd: example });
    expect(output).toContain('refund 20.00');
    expect(out.startsWith(output), out).toBe(true);
    expect(status).toBe(1);
    const file = path.join(cwd, 'example.yaml');
    const waiting = command.split(' ').filter((argument) => argument !== '--no-wait');
    await croupier([...waiting, '--scenario', file], { cwd: example });
    // The reply must have status 200, so the scenario demands it.
    expect(readFileSync(file, 'utf8')).toMatch(/- refund: \{ of: bet2 \}\n +- wait/);
  });

  it('repeats overlapping calls at their recorded times', async () => {
    const log = write('overlap.log', [
      { at: 0, took: 900, ...bet('t-1', '1.00', 'r-1'), ...said('99.00') },
      { at: 200, took: 300, ...bet('t-2', '1.00', 'r-2'), ...said('98.00') },
      { at: 400, took: 20, ...bet('t-1', '1.00', 'r-1'), ...said('99.00') },
    ]);
    await replay(log, '--scenario', 'overlap.yaml');
    expect(readFileSync(path.join(cwd, 'overlap.yaml'), 'utf8')).toContain(`  - together:
      - bet: { amount: "1.00" }
        as: bet1
      - bet: { amount: "1.00" }
        at: 200ms
      - resend: bet1
        at: 400ms
        expect: either
`);
    const { out, status } = await replay(
      log,
      '--reference',
      '--no-wait',
      '--race-rounds',
      '1',
      '--journal',
      'overlap.ndjson',
    );
    expect(out).toMatch(/^same: /);
    expect(status).toBe(0);
    const events = readFileSync(path.join(cwd, 'overlap.ndjson'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"event":"race"'))
      .map((line) => JSON.parse(line) as { offsetsMs: readonly number[] });
    // The operator is faster than in the record, so repetitions move the calls closer together.
    expect(events[0]?.offsetsMs).toEqual([0, 200, 400]);
    // Only on a busy machine do the calls overlap before all of them leave at once.
    expect([
      [0, 50, 100],
      [0, 0, 0],
    ]).toContainEqual(events.at(-1)?.offsetsMs);
  });

  it('breaks connections at the recorded moment, and repeats wrong signatures', async () => {
    for (const [selection, kept] of [
      ['refund/broken-connection', 'break: half-body'],
      ['signature/mismatch', 'sign: garbage\n    expect: refused'],
      ['signature/mismatch', 'sign: missing\n    expect: refused'],
      ['signature/refused-replay', 'sign: garbage\n    expect: refused'],
    ] as const) {
      const journal = `${selection.replaceAll(/[/#]/g, '-')}.ndjson`;
      await croupier(['run', selection, '--reference', '--linger', '300ms', '--journal', journal], { cwd });
      await replay(journal, '--scenario', 'odd.yaml');
      expect(readFileSync(path.join(cwd, 'odd.yaml'), 'utf8')).toContain(kept);
      expect((await croupier(['lint', 'odd.yaml'], { cwd })).out).toContain('no mistakes');
      const { out, status } = await replay(journal, '--reference', '--no-wait');
      expect(out).toMatch(/^same: /);
      expect(status).toBe(0);
    }
  }, 60_000);

  it('breaks a connection earlier than in the record, if the operator answers before the recorded moment', async () => {
    await croupier(
      ['run', 'refund/broken-connection', '--reference', '--linger', '300ms', '--journal', 'quick.ndjson'],
      {
        cwd,
      },
    );
    const events = readFileSync(path.join(cwd, 'quick.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; id?: string; amount?: string; stamps?: Stamps });
    const bet = events.find(({ event, amount }) => event === 'sending' && amount === '8.00');
    // A slow machine notices only after this time that it must break the connection.
    const slow = events.map((event) =>
      event.event === 'received' && event.id === bet?.id && event.stamps
        ? { ...event, stamps: { ...event.stamps, end: event.stamps.start + 40 } }
        : event,
    );
    writeFileSync(path.join(cwd, 'slow.ndjson'), slow.map((event) => `${JSON.stringify(event)}\n`).join(''));
    const { out, err, status } = await replay('slow.ndjson', '--reference', '--no-wait');
    expect(err).toContain('So croupier sends all calls again, and breaks the connection of this call.');
    expect(out).toMatch(/^same: /);
    expect(status).toBe(0);
  });

  it('reports an operator that accepts wrong signatures, and one that refuses them as fixed', async () => {
    const [journal, defect] = ['ignored.ndjson', 'signature-ignored'];
    const given = ['signature/mismatch', '--reference', '--defect', defect, '--linger', '300ms'];
    await croupier(['run', ...given, '--journal', journal], { cwd });
    const [still, fixed] = [
      await replay(journal, '--reference', '--defect', defect, '--no-wait'),
      await replay(journal, '--reference', '--no-wait'),
    ];
    expect(still.out).toMatch(/^still failing: .*signature\.mismatch/);
    expect(fixed.out).toMatch(/^fixed: the recorded problem \(.*signature\.mismatch.*\) is fixed/);
  });

  it('recognises a wrong signature of a curl line with the keys of the configuration', async () => {
    const body = JSON.stringify(bet('t-1').body);
    const [right, wrong, unset] = ['the-key', 'another-key', ''].map((key) =>
      createHmac('sha256', key).update(body).digest('hex'),
    );
    const client = { extCID: 'acme', integratorBaseUrl: 'https://wallet.example', integrationApiKey: 'the-key' };
    writeFileSync(path.join(cwd, 'keys.yaml'), `clients: [${JSON.stringify(client)}]`);
    for (const [signature, expected] of [
      [right, '- bet: { amount: "5.00" }\n    expect: either'],
      [wrong, 'sign: garbage\n    expect: refused'],
      [unset, 'sign: empty-key\n    expect: refused'],
      [right?.toUpperCase(), 'sign: upper-case\n    expect: either'],
      [right?.slice(0, 32), 'sign: truncated\n    expect: refused'],
      [`${right?.slice(0, -1)}x`, 'sign: one-off\n    expect: refused'],
    ] as const) {
      const line = `curl -X POST 'https://wallet.example/bet' -H 'X-REQUEST-SIGN: ${signature}' -d '${body}'`;
      writeFileSync(path.join(cwd, 'bet.sh'), line);
      await replay('bet.sh', '--config', 'keys.yaml', '--scenario', 'curl.yaml');
      expect(readFileSync(path.join(cwd, 'curl.yaml'), 'utf8')).toContain(expected);
    }
  });

  it('replays every kind of record, and names the facts that it lacks', async () => {
    const body = JSON.stringify(bet('t-1').body);
    const [url, sent] = ['https://wallet.example/bet', { amount: '5.00' }];
    const entry = {
      startedDateTime: new Date(BEGAN).toISOString(),
      time: 5,
      request: { method: 'POST', url, headers: [], postData: { text: body } },
      response: { status: 200, headers: [], content: { text: '{"balance":"95.00","txID":"op"}' } },
    };
    for (const [file, text, expected, untold] of [
      ['bet.sh', `curl -X POST '${url}' -d '${body}'`, 'undecided', ''],
      ['bet.http', `POST /bet HTTP/1.1\r\nHost: wallet.example\r\n\r\n${body}`, 'undecided', ''],
      ['bet.har', JSON.stringify({ log: { version: '1.2', entries: [entry] } }), 'same', ''],
      [
        'access.log',
        '10.0.0.1 - - [21/Nov/2026:14:03:02 +0000] "POST /bet HTTP/1.1" 200 64 "-" "adapter"\n',
        'same',
        'The amount of call 1 is not in the record',
      ],
    ] as const) {
      writeFileSync(path.join(cwd, file), text);
      const { out, status } = await replay(file, '--reference', '--no-wait', '--json');
      const json = JSON.parse(out) as { readonly notes: readonly string[]; readonly calls: readonly object[] };
      expect(json, file).toMatchObject({ verdict: expected, exitCode: status });
      expect(json.calls, file).toMatchObject([{ call: 'bet', now: { status: 200 } }]);
      expect(json.notes.join(' '), file).toContain(untold);
      if (untold === '') expect(json.calls).toMatchObject([sent]);
    }
  });

  it('prints JSON that follows its schema', async () => {
    const schema = JSON.parse((await croupier(['schema', 'replay'], { cwd })).out) as object;
    const validate = new Ajv2020({ strict: false, allErrors: true }).compile(schema);
    for (const args of [
      ['bad.ndjson', '--reference', '--defect', DEFECT],
      ['record.log', '--reference'],
    ]) {
      const { out } = await replay(...args, '--no-wait', '--json');
      validate(JSON.parse(out));
      expect(validate.errors).toBeNull();
    }
  });

  it('sends nothing if there is nothing to replay, and explains why', async () => {
    for (const [args, text] of [
      [['bad.ndjson', '--scenario', 'record.json'], 'a file that ends in .yaml'],
      [['bad.ndjson', '--session', 'test-1,player=p'], 'with --test-session'],
      [['bad.ndjson', '--speed', '0'], "--speed <n>: the value '0' is not possible"],
      [['bad.ndjson', '--speed', '2', '--no-wait', '--reference'], 'cannot be combined'],
      [['missing.log'], "missing.log can't be read"],
      [['bad.ndjson', '--player', 'nobody', '--reference'], 'None of the'],
      [['bad.ndjson', '--defect', DEFECT], 'Add --reference'],
      [['bad.ndjson'], '--test-session ID, a key'],
    ] as const) {
      const { err, status } = await replay(...args);
      expect(err).toContain(text);
      expect(err).not.toMatch(/^ +at /m);
      expect(status).toBe(2);
    }
  });

  it('ends with 3 if the operator is unreachable, and does not print the key', async () => {
    const args = [
      '--base-url',
      'http://127.0.0.1:9',
      '--ext-cid',
      'acme',
      '--test-session',
      'test-1,player=p,currency=USD',
    ];
    const { out, err, status } = await croupier(['replay', 'bad.ndjson', ...args, '--no-wait'], {
      cwd,
      env: { CROUPIER_KEY: 'a-key-of-the-test' },
    });
    expect(status).toBe(3);
    expect(out).toContain('could not be reached');
    expect(out + err).not.toContain('a-key-of-the-test');
  });

  it.each([
    ['replayed-bet-charged', 'idempotency/bet', 'still failing', 'fixed'],
    ['replayed-win-paid', 'idempotency/win', 'still failing', 'fixed'],
    ['refund-paid-twice', 'refund/once', 'still failing', 'fixed'],
    ['late-bet-taken', 'refund/before-bet', 'still failing', 'fixed'],
    ['refund-too-late', 'refund/older-bet', 'still failing', 'fixed'],
    ['win-zero-400', 'win/zero', 'still failing', 'fixed'],
    ['extra-query-refused', 'balance/extra-query', 'still failing', 'fixed'],
    ['bet-takes-what-is-there', 'bet/insufficient-funds', 'still failing', 'fixed'],
    ['replay-other-amount-processed', 'idempotency/conflicting-bet', 'still failing', 'fixed'],
  ])(
    'never says of an operator with the defect %s that it is fixed',
    { timeout: 60_000 },
    async (defect, scenario, still, after) => {
      const journal = `${defect}.ndjson`;
      await croupier(['run', '--reference', '--defect', defect, scenario, '--journal', journal], { cwd });
      const verdict = async (...args: readonly string[]) => {
        const { out } = await replay(journal, '--reference', ...args, '--json');
        return (JSON.parse(out) as { readonly verdict: string }).verdict;
      };
      expect([await verdict('--defect', defect), await verdict()]).toEqual([still, after]);
    },
  );

  it('does not say fixed if it leaves out a pause that matters', async () => {
    const journal = 'pause.ndjson';
    const defect = ['--reference', '--defect', 'refund-too-late'];
    await croupier(['run', ...defect, 'refund/older-bet', '--journal', journal], { cwd });
    const { out, status } = await replay(journal, ...defect, '--no-wait');
    expect(status).toBe(3);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /^not reproduced: .*in the logs, the pause before call \d+ was 1\.\d s longer/,
    );
  });
});
