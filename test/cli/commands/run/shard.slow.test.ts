import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunStarted } from '../../../../src/journal/event.ts';
import { eventProblem } from '../../../../src/journal/event-schema.ts';
import { croupier, type Ended } from '../../croupier.ts';

/** The parts of the JSON report that are compared. */
interface Report {
  readonly exitCode: number;
  readonly whole: boolean;
  readonly selection: readonly string[];
  readonly causes: readonly { readonly rule: string }[];
  readonly rules: readonly { readonly id: string; readonly verdict: string }[];
  readonly scenarios: readonly { readonly id: string; readonly exchanges: readonly { readonly id: string }[] }[];
}

let cwd = '';
const cli = (...args: readonly string[]): Promise<Ended> => croupier(args, { cwd });
const run = (...args: readonly string[]): Promise<Ended> =>
  cli('run', '--reference', '--linger', '20ms', '--seed', 's', ...args);
const WHAT = ['bet', 'signature/mismatch', 'session', '--defect', 'bet-free-of-charge'];
const head = (name: string): RunStarted =>
  JSON.parse(readFileSync(path.join(cwd, name), 'utf8').split('\n')[0] ?? '') as RunStarted;
const report = (text: string): Report => JSON.parse(text) as Report;
const SHARDS = ['s1.ndjson', 's2.ndjson', 's3.ndjson'];

beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  await run(...WHAT, '--journal', 'whole.ndjson');
  for (const [at, name] of SHARDS.entries()) {
    await run(...WHAT, '--timings', 'whole.ndjson', '--shard', `${at + 1}/3`, '--journal', name);
  }
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('croupier run --shard', () => {
  it('plays each scenario in one part, and each part has its own players', () => {
    const shards = SHARDS.map(head);
    const whole = head('whole.ndjson');
    expect(shards.flatMap(({ scenarios }) => scenarios.map(({ id }) => id)).toSorted()).toEqual(
      whole.scenarios.map(({ id }) => id).toSorted(),
    );
    const players = shards.map(({ settings }) => new Set(settings.sessions.map(({ player }) => player)));
    expect(players.reduce((sum, { size }) => sum + size, 0)).toBe(new Set(players.flatMap((each) => [...each])).size);
    expect(shards.map(({ shard }) => shard?.planHash)).toEqual(Array.from({ length: 3 }, () => whole.planHash));
    expect(shards.map(({ whole: isWhole }) => isWhole)).toEqual([false, false, false]);
  });

  it('lists the scenarios of a part', async () => {
    const { status, out } = await run('bet', '--shard', '2/3', '--list');
    expect(status).toBe(0);
    const again = await run('bet', '--shard', '2/3', '--list', '--json');
    const ids = (JSON.parse(again.out) as { id: string }[]).map(({ id }) => id);
    expect(out.trim().split('\n')).toHaveLength(ids.length);
    expect(ids.length).toBeGreaterThan(0);
  });

  it('is refused if there are more parts than players, or no scenario for a part', async () => {
    const many = await run('--shard', '1/11');
    expect(many.status).toBe(2);
    expect(many.err).toContain('demo-eu has 10 players with an active session');
    const few = await run('balance/read', '--shard', '2/2');
    expect(few).toMatchObject({ status: 2, err: expect.stringContaining('none is left for this part') });
    for (const wrong of ['0/2', '3/2', '2', '1/x']) expect((await run('--shard', wrong)).status).toBe(2);
    expect((await run('--timings', 'whole.ndjson')).err).toContain('--timings works only with --shard');
    expect((await run('--shard', '1/2', '--timings', 'none.ndjson')).status).toBe(2);
  });
});

describe('croupier report merge', () => {
  it('gives the same result as the undivided run', async () => {
    const merged = await cli('report', 'merge', ...SHARDS.toReversed(), '--to', 'json=-', '--out', 'merged.ndjson');
    const whole = await cli('report', 'convert', 'whole.ndjson', '--to', 'json=-');
    const [one, other] = [report(merged.out), report(whole.out)];
    expect(merged.status).toBe(1);
    expect(one).toMatchObject({ exitCode: 1, selection: other.selection, whole: other.whole });
    expect(one.causes.map(({ rule }) => rule)).toEqual(other.causes.map(({ rule }) => rule));
    expect(one.rules.map(({ id, verdict }) => [id, verdict])).toEqual(
      other.rules.map(({ id, verdict }) => [id, verdict]),
    );
    expect(one.scenarios.map(({ id }) => id).toSorted()).toEqual(other.scenarios.map(({ id }) => id).toSorted());
    const ids = one.scenarios.flatMap(({ exchanges }) => exchanges.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('writes a journal that report convert reads', async () => {
    const lines = readFileSync(path.join(cwd, 'merged.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => eventProblem(JSON.parse(line))).filter((diagnostic) => diagnostic !== null)).toEqual([]);
    const direct = await cli('report', 'merge', ...SHARDS, '--to', 'json=-');
    const converted = await cli('report', 'convert', 'merged.ndjson', '--to', 'json=-');
    // Only a report of a journal file can name the command that settles it.
    expect({ ...(JSON.parse(converted.out) as object), settle: null }).toEqual(JSON.parse(direct.out));
    expect((await cli('report', 'merge', 'merged.ndjson')).err).toContain('is not a part of a divided run');
  });

  it('is undecided while a shard is missing', async () => {
    const { status, out, err } = await cli('report', 'merge', 's1.ndjson', 's3.ndjson', '--to', 'json=gone.json');
    expect({ status, out }).toEqual({ status: 3, out: '' });
    expect(err).toContain('shard 2/3 is missing');
    expect(() => readFileSync(path.join(cwd, 'gone.json'))).toThrow('ENOENT');
  });

  it('refuses a shard that is given twice, and a shard of another run', async () => {
    const twice = await cli('report', 'merge', ...SHARDS, 's2.ndjson');
    expect(twice).toMatchObject({ status: 2, err: expect.stringContaining('shard 2/3 is given 2 times') });
    await run(...WHAT, '--shard', '2/3', '--journal', 'other.ndjson');
    const other = await cli('report', 'merge', 's1.ndjson', 'other.ndjson', 's3.ndjson');
    expect(other.status).toBe(2);
    expect(other.err).toContain('other.ndjson and s1.ndjson are from different runs. They differ in: division');
    await run('bet', '--shard', '2/3', '--seed', 'another', '--journal', 'other.ndjson');
    expect((await cli('report', 'merge', 's1.ndjson', 'other.ndjson', 's3.ndjson')).err).toContain(
      'plan, contents of the scenarios, division',
    );
    expect((await cli('report', 'merge', 'whole.ndjson')).err).toContain('is not a part of a divided run');
  });

  it('reports a shard that was cut off', async () => {
    const cut = readFileSync(path.join(cwd, 's2.ndjson'), 'utf8').trimEnd().split('\n').slice(0, -1).join('\n');
    writeFileSync(path.join(cwd, 'cut.ndjson'), `${cut}\n{"event":"run-en`);
    const { status, out } = await cli('report', 'merge', 's1.ndjson', 'cut.ndjson', 's3.ndjson');
    expect(status).toBe(1);
    expect(out.split('\n')[0]).toContain('the run was cut off');
  });
});

describe('croupier run --last-failed', () => {
  it('plays the failed scenarios of a journal, or of the newest one', async () => {
    const whole = await cli('report', 'convert', 'whole.ndjson', '--to', 'json=-');
    const failed = (JSON.parse(whole.out) as { scenarios: { id: string; verdict: string }[] }).scenarios
      .filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')
      .map(({ id }) => id);
    const named = await run('--last-failed', 'whole.ndjson', '--list', '--json');
    const ids = (JSON.parse(named.out) as { id: string }[]).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(failed.toSorted());
    expect((await run('--last-failed')).err).toContain('.croupier/ has no journal of a run against demo-eu');
    expect((await run('bet/debit', '--defect', 'bet-free-of-charge')).status).toBe(1);
    const again = await run('--last-failed');
    expect(again.status).toBe(0);
    expect(again.out).toContain('selected: --last-failed');
    const nothing = await run('--last-failed');
    expect(nothing).toMatchObject({
      status: 2,
      err: expect.stringContaining('No scenario failed, warned or was undecided in .croupier'),
    });
  });

  it('can be combined with a selection', async () => {
    const { out } = await run('--last-failed', 'whole.ndjson', 'bet/debit', '--list');
    expect(out).toMatch(/^bet\/debit/);
    const none = await run('--last-failed', 'whole.ndjson', 'refund/once');
    expect(none).toMatchObject({ status: 2, err: expect.stringContaining('your selection contains none of these') });
    const word = await run('bet/debit', '--last-failed', 'refund');
    expect(word.status).toBe(2);
  });
});
