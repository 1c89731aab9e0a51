import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { croupier } from '../../cli/croupier.ts';

const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-contract-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const LONG_MS = 60_000;

interface Report {
  readonly contract: string;
  readonly firstLine: string;
  readonly rules: readonly { readonly id: string; readonly verdict: string; readonly reason: string | null }[];
}

describe('an older version of the contract', { timeout: LONG_MS }, () => {
  it('decides the calls and the rules, so that refunds have no roundID and later rules are skipped', async () => {
    const journal = path.join(cwd, 'old.ndjson');
    const { status, out } = await croupier(
      [
        'run',
        '--reference',
        '--contract',
        '1.4.0',
        '--json',
        '--journal',
        journal,
        'refund/restore',
        'refund.without-round',
      ],
      { cwd },
    );
    const report = JSON.parse(out) as Report;
    expect(report.contract).toBe('1.2.11');
    expect(report.rules.find(({ id }) => id === 'refund.without-round')).toMatchObject({
      verdict: 'skip',
      reason: 'the rule is new in version 1.5.0 of the contract, but this run uses version 1.2.11',
    });
    expect(report.rules.find(({ id }) => id === 'refund.restore')?.verdict).toBe('pass');
    const bodies = readFileSync(journal, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"call":"refund"') && line.includes('"event":"sending"'));
    expect(bodies.length).toBeGreaterThan(0);
    for (const line of bodies) expect(line).not.toContain('roundID');
    // The user named a rule that this version of the contract does not have, so it was not tested.
    expect(report.firstLine).toContain('the selected rule refund.without-round was not tested');
    expect(status).toBe(3);
  });

  it('prevents a failure for a breach of a later rule', async () => {
    const args = ['run', '--reference', '--defect', 'float-shown', 'money/exact'];
    expect((await croupier(args, { cwd })).status).toBe(1);
    expect((await croupier([...args, '--contract', '1.7.0'], { cwd })).status).not.toBe(1);
  });

  it('is refused if no such version exists', async () => {
    const { status, err } = await croupier(['run', '--reference', '--contract', '2.0.0'], { cwd });
    expect(status).toBe(2);
    expect(err).toContain('Write a version of the contract from 1.0.0 to 1.10.2.');
  });

  it('is the start of the changes that list rules --since prints', async () => {
    const { out } = await croupier(['list', 'rules', '--since', '1.8.0'], { cwd });
    expect(out).toContain('1.9.0   GET /free-rounds');
    expect(out).toContain('money.precision');
    expect(out).not.toContain('money.exact');
    const latest = await croupier(['list', 'rules', '--since', '1.10.2'], { cwd });
    expect(latest.out).toContain('There are no changes since 1.10.2');
    expect((await croupier(['list', 'variants', '--since', '1.8.0'], { cwd })).status).toBe(2);
  });
});
