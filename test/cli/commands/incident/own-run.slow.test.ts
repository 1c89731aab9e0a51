import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Incident {
  readonly wallets: readonly {
    readonly unknowns: readonly string[];
    readonly debts: readonly { readonly rules: readonly string[]; readonly kind: string }[];
  }[];
  readonly breaches: readonly { readonly verdict: string; readonly rule: string; readonly text: string }[];
}

/** Judges the embedded operator, and returns the journal of this run. */
async function journalOf(...args: readonly string[]): Promise<string> {
  await croupier(['run', '--reference', '--linger', '50ms', '--journal', 'run.ndjson', ...args], { cwd });
  return readFileSync(path.join(cwd, 'run.ndjson'), 'utf8');
}

/** Reads a journal, or the beginning of one, as an incident. */
async function incidentOf(journal: string): Promise<{
  readonly status: number | null;
  readonly failed: readonly string[];
  readonly rules: readonly string[];
  readonly unknown: readonly string[];
}> {
  writeFileSync(path.join(cwd, 'part.ndjson'), journal);
  const { status, out } = await croupier(['incident', 'part.ndjson', '--json'], { cwd });
  const { breaches, wallets } = JSON.parse(out) as Incident;
  return {
    status,
    rules: wallets.flatMap(({ debts }) => debts.flatMap(({ rules, kind }) => (rules.length === 0 ? kind : rules))),
    unknown: wallets.flatMap(({ unknowns }) => unknowns),
    failed: breaches.filter(({ verdict }) => verdict === 'fail').map(({ rule, text }) => `${rule}: ${text}`),
  };
}

describe('the journal of a run, read as an incident', () => {
  it('accuses no correct operator of what croupier tested, wherever the journal ends', async () => {
    const journal = await journalOf();
    for (const part of [0.2, 0.5, 0.8, 1]) {
      const { status, failed } = await incidentOf(journal.slice(0, Math.floor(journal.length * part)));
      expect({ part, failed }).toEqual({ part, failed: [] });
      expect(status).not.toBe(1);
    }
  });

  it('owes nothing for a win that a correct operator may decline', async () => {
    const { status, rules } = await incidentOf(await journalOf('--variant', 'win-limit', 'money.large'));
    expect({ status, rules }).toEqual({ status: 3, rules: [] });
  });

  it('asks for no win of zero that a correct operator declined after the end of a session', async () => {
    const { status, rules } = await incidentOf(await journalOf('--variant', 'sessions-end-for-all-calls', 'session'));
    expect({ isAccused: status === 1, rules }).toEqual({ isAccused: false, rules: [] });
  });

  it('owes nothing for rounding errors that the run only warns about, and that cancel out', async () => {
    const { status, rules } = await incidentOf(await journalOf('--defect', 'large-amounts-double', 'money.large'));
    expect({ isAccused: status === 1, rules }).toEqual({ isAccused: false, rules: [] });
  });

  it('names only rules that the run found broken, and knows whose calls without a session are', async () => {
    const { failed, rules, unknown } = await incidentOf(
      await journalOf('--defect', 'fee-on-bets', 'bet', 'money', 'robustness.missing-field'),
    );
    expect(rules.length).toBeGreaterThan(0);
    for (const rule of rules) expect(failed.some((one) => one.startsWith(`${rule}:`))).toBe(true);
    expect(unknown.filter((one) => one.includes('whose call'))).toEqual([]);
  });

  it('shows the breaches of an operator with a defect', async () => {
    const { status, failed } = await incidentOf(await journalOf('--quick', '--defect', 'replayed-bet-charged'));
    expect(status).toBe(1);
    expect(failed.some((one) => one.startsWith('idempotency.bet:'))).toBe(true);
  });
});
