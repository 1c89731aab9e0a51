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
  readonly breaches: readonly { readonly verdict: string; readonly rule: string; readonly text: string }[];
}

/** Judges the embedded operator, and reads the journal of this run as an incident. */
async function incidentOf(
  args: readonly string[],
  cut = 1,
): Promise<{ readonly status: number | null; readonly failed: readonly string[] }> {
  await croupier(['run', '--reference', '--linger', '50ms', '--journal', 'run.ndjson', ...args], { cwd });
  const file = path.join(cwd, 'run.ndjson');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, Math.floor(text.length * cut)));
  const { status, out } = await croupier(['incident', 'run.ndjson', '--json'], { cwd });
  const { breaches } = JSON.parse(out) as Incident;
  return {
    status,
    failed: breaches.filter(({ verdict }) => verdict === 'fail').map(({ rule, text }) => `${rule}: ${text}`),
  };
}

describe('the journal of a run, read as an incident', () => {
  it('accuses no correct operator of what croupier tested', async () => {
    const { status, failed } = await incidentOf([]);
    expect(failed).toEqual([]);
    expect(status).not.toBe(1);
  });

  it.each([0.2, 0.5, 0.8])('accuses no correct operator if the journal ends after %d of its length', async (cut) => {
    const { status, failed } = await incidentOf([], cut);
    expect(failed).toEqual([]);
    expect(status).not.toBe(1);
  });

  it('shows the breaches of an operator with a defect', async () => {
    const { status, failed } = await incidentOf(['--quick', '--defect', 'replayed-bet-charged']);
    expect(status).toBe(1);
    expect(failed.some((one) => one.startsWith('idempotency.bet:'))).toBe(true);
  });
});
