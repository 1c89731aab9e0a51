import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  const args = ['run', '--reference', 'idempotency.bet', '--linger', '10ms'];
  await croupier([...args, '--journal', 'good.ndjson', '--report', 'json=good.json'], { cwd });
  const broken = ['--defect', 'replayed-bet-charged', '--journal', 'bad.ndjson', '--report', 'json=bad.json'];
  await croupier([...args, ...broken], { cwd });
}, 30_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('croupier report diff', () => {
  it.each([
    ['good.ndjson', 'bad.ndjson'],
    ['good.json', 'bad.ndjson'],
    ['good.ndjson', 'bad.json'],
  ])('of %s and %s ends with 1 and names the new failures', async (before, now) => {
    const { status, out } = await croupier(['report', 'diff', before, now], { cwd });
    expect(status).toBe(1);
    expect(out).toMatch(/^1 rule broken/);
    expect(out).toMatch(/Broken\n {2}. idempotency\.bet {2}MUST \$ {2}passed before\n/);
    expect(out).toMatch(
      /\nExit status 1: 1 rule is newly broken or worse, and the later run tested less than the earlier one\.\n$/,
    );
  });

  it('ends with 0 if failures are fixed, or nothing changed', async () => {
    const fixed = await croupier(['report', 'diff', 'bad.json', 'good.json', '--json'], { cwd });
    expect(fixed.status).toBe(0);
    expect(JSON.parse(fixed.out)).toMatchObject({
      schema: 'croupier-diff/1',
      exitCode: 0,
      broken: [],
      fixed: [{ id: 'idempotency.bet', before: 'fail', verdict: 'pass' }],
    });
    const same = await croupier(['report', 'diff', 'bad.json', 'bad.ndjson'], { cwd });
    expect(same.status).toBe(0);
    expect(same.out).toContain('Still failing');
    expect(same.out).toMatch(/\nExit status 0: no rule is newly broken or worse\.\n$/);
  });

  it('ends with 1 if less was tested, unless --allow-gone is given and something was judged', async () => {
    const args = ['run', '--reference', 'idempotency/bet', '--linger', '10ms', '--label', 'build=42'];
    await croupier([...args, '--journal', 'part.ndjson'], { cwd });
    const part = await croupier(['report', 'diff', 'good.json', 'part.ndjson'], { cwd });
    expect(part.status).toBe(1);
    expect(part.out).toContain('different label build: none before, 42 now');
    expect(part.out).toMatch(/Gone: [\s\S]*Less tested than before\n {2}- \d+ scenarios? not played now: /);
    expect(part.out).toContain(
      'Exit status 1: the later run tested less than the earlier one; if this is right, give --allow-gone.',
    );
    const allowed = await croupier(['report', 'diff', 'good.json', 'part.ndjson', '--allow-gone', '--json'], { cwd });
    expect(allowed.status).toBe(0);
    expect(JSON.parse(allowed.out)).toMatchObject({
      now: { labels: { build: '42' } },
      gone: expect.arrayContaining([expect.objectContaining({ id: 'bet.exact-balance' })]) as unknown,
      worse: [],
    });
    const down = path.resolve(import.meta.dirname, '../../../../fixtures/journals/unreachable.ndjson');
    const gone = await croupier(['report', 'diff', 'good.json', down, '--allow-gone'], { cwd });
    expect(gone.status).toBe(1);
    expect(gone.out).toContain('\n--allow-gone has no effect: the later run judged no rule.\n');
    const needless = await croupier(['report', 'diff', 'good.json', 'good.json', '--allow-gone'], { cwd });
    expect(needless.out).toContain(
      '\n--allow-gone has no effect: the later run tested everything that the earlier one tested.\nExit status 0:',
    );
  });

  it('names only the selection if two runs differ in nothing else', async () => {
    await croupier(['run', '--reference', 'bet/debit', '--linger', '10ms', '--journal', 'other.ndjson'], { cwd });
    const { out } = await croupier(['report', 'diff', 'good.json', 'other.ndjson', '--json'], { cwd });
    const { differences } = JSON.parse(out) as { differences: readonly string[] };
    expect(differences).toEqual([
      'different selection: idempotency.bet before, bet/debit now',
      expect.stringMatching(/^different plan: /),
    ]);
  });

  it('ends with 3 if the later run is undecided, unless --allow-undecided is given and something was judged', async () => {
    const down = path.resolve(import.meta.dirname, '../../../../fixtures/journals/unreachable.ndjson');
    const both = await croupier(['report', 'diff', down, down, '--allow-undecided'], { cwd });
    expect([both.status, both.out]).toEqual([
      3,
      expect.stringMatching(/\nExit status 3: the later run is undecided\.\n$/),
    ]);
    const open = { ...(JSON.parse(readFileSync(path.join(cwd, 'good.json'), 'utf8')) as object), verdict: 'undecided' };
    writeFileSync(path.join(cwd, 'open.json'), JSON.stringify(open));
    const undecided = await croupier(['report', 'diff', 'good.json', 'open.json', '--json'], { cwd });
    expect([undecided.status, JSON.parse(undecided.out)]).toEqual([3, expect.objectContaining({ exitCode: 3 })]);
    const allowed = await croupier(['report', 'diff', 'good.json', 'open.json', '--allow-undecided'], { cwd });
    expect(allowed.status).toBe(0);
    expect(allowed.out).toContain('\n--allow-undecided allows that the later run is undecided.\nExit status 0:');
    expect((await croupier(['report', 'diff', 'open.json', 'bad.json'], { cwd })).status).toBe(1);
  });

  it.each([
    ['a file that is neither', '{"a":1}'],
    ['a text', 'hello'],
    ['an empty file', ''],
  ])('ends with status 2 for %s', async (_, text) => {
    writeFileSync(path.join(cwd, 'other'), text);
    const { status, err } = await croupier(['report', 'diff', 'other', 'good.json'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('other: ');
    expect((await croupier(['report', 'diff', 'good.json', 'nowhere'], { cwd })).status).toBe(2);
  });
});
