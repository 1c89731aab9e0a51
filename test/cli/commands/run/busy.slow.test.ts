import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';

let cwd = '';

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function against(defect: string, ...selection: readonly string[]): Promise<Ended> {
  const times = ['--deadline', '1s', '--linger', '100ms'];
  return croupier(['run', ...selection, '--reference', '--defect', defect, ...times], { cwd });
}

describe('an operator that declines calls', () => {
  it('every call with 503 leaves a run undecided, and the first line says so', async () => {
    const { status, out } = await against('everything-503');
    expect(out.split('\n')[0]).toMatch(/^UNDECIDED: .*GET \/balance .*503/);
    expect(status).toBe(3);
  });

  it('every bet with its own limit leaves a run undecided, and the first line has its words', async () => {
    const { status, out } = await against('bets-bet-limit');
    expect(out.split('\n')[0]).toMatch(/^UNDECIDED: \d+ MUST rules were not tested, .*bet_limit/);
    expect(status).toBe(3);
  });

  it('every repeated bet with 503 breaks the rule about repeated bets, because new bets are accepted', async () => {
    const { status, out } = await against('repeats-503', 'idempotency.bet');
    expect(out).toContain('idempotency.bet');
    expect(status).toBe(1);
  });
});
