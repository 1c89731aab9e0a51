import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, ended, start } from '../../croupier.ts';

const SLOW_MS = 60_000;
const QUICK = ['--linger', '50ms', '--seed', 'cli'];
let cwd = '';

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-explore-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('croupier explore', () => {
  it('finds no broken rule at the reference operator', { timeout: SLOW_MS }, async () => {
    const { status, out } = await croupier(['explore', '--reference', '--runs', '6', ...QUICK], { cwd });
    expect(out).toMatch(/^NOTHING FOUND: demo-eu broke none of \d+ rules in 6 histories\.\nseed cli, 6 histories/);
    expect(status).toBe(0);
  });

  it('writes a failing history as a scenario that lint accepts and run repeats', { timeout: SLOW_MS }, async () => {
    const operator = ['--reference', '--defect', 'bet-free-of-charge'];
    const search = await croupier(['explore', ...operator, '--bail', '--out', 'found.yaml', ...QUICK], { cwd });
    expect([search.status, search.out.split('\n')[0]]).toEqual([1, 'FOUND: demo-eu breaks 1 rule, about money.']);
    const command = 'croupier run found.yaml --reference --defect bet-free-of-charge --linger 50ms';
    expect(search.out).toContain(`    ${command}\n`);
    const yaml = readFileSync(path.join(cwd, 'found.yaml'), 'utf8');
    expect(search.out).toContain(yaml);
    expect(yaml).toContain('# Found by croupier explore --seed cli (history ');
    const lint = await croupier(['lint', 'found.yaml'], { cwd });
    expect([lint.status, lint.out]).toEqual([0, '1 file, 1 scenario: no mistakes.\n']);
    const run = await croupier([...command.split(' ').slice(1), '--json'], { cwd });
    const report = JSON.parse(run.out) as { rules: { id: string; verdict: string }[] };
    expect(run.status).toBe(1);
    expect(report.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual(['bet.debit']);
  });

  it('prints JSON, and writes a journal that report convert reads', { timeout: SLOW_MS }, async () => {
    const flags = ['--runs', '3', '--json', '--journal', 'search.ndjson', ...QUICK];
    const { status, out } = await croupier(['explore', '--reference', ...flags], { cwd });
    expect(JSON.parse(out)).toMatchObject({ verdict: 'nothing-found', exitCode: 0, histories: 3, finds: [] });
    expect(status).toBe(0);
    const report = await croupier(['report', 'convert', 'search.ndjson', '--to', 'terminal=-'], { cwd });
    expect(report.out).toMatch(/^CONFORMING: demo-eu breaks none of \d+ rules judged/);
  });

  it('ends its open rounds when it is interrupted', { timeout: SLOW_MS }, async () => {
    const child = start(['explore', '--reference', '--journal', 'cut.ndjson', ...QUICK], { cwd });
    const done = ended(child);
    const journal = path.join(cwd, 'cut.ndjson');
    const isUnderWay = () => {
      try {
        return readFileSync(journal, 'utf8').includes('"scenario-ended"');
      } catch {
        return false;
      }
    };
    while (!isUnderWay()) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill('SIGINT');
    const { status, out } = await done;
    expect(out).toMatch(/^UNDECIDED: the search of demo-eu was interrupted\./);
    expect(status).toBe(130);
    expect(readFileSync(journal, 'utf8')).toContain('"how":"interrupted"');
  });

  it.each([
    [['--defect', 'bet-free-of-charge'], '--defect bet-free-of-charge is for the embedded operator'],
    [['--reference', '--base-url', 'http://127.0.0.1:9'], '--reference searches the embedded operator'],
    [['--reference', '--time', 'soon'], 'Write a duration with its unit'],
    [['--reference', '--runs', '0'], 'Write a whole number, 1 or more'],
    [['--reference', '--journal', '/proc/x/y.ndjson'], "The journal can't be written"],
  ])('sends nothing for the wrong flags %j', async (flags, message) => {
    const before = readdirSync(cwd).length;
    const { status, out, err } = await croupier(['explore', ...flags], { cwd });
    expect([status, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(readdirSync(cwd)).toHaveLength(before);
  });

  it('reports an unreachable client, and searches the others', { timeout: SLOW_MS }, async () => {
    const flags = ['--base-url', 'http://127.0.0.1:9', '--ext-cid', 'acme', '--session', 's1'];
    const { status, out } = await croupier(['explore', ...flags, ...QUICK], {
      cwd,
      env: { CROUPIER_KEY: 'a-key-for-explore' },
    });
    expect(out).toContain('UNDECIDED: acme could not be reached.');
    expect(status).toBe(3);
  });
});
