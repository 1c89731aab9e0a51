import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { croupier } from '../cli/croupier.ts';

/** A known defect of a wallet, and further defects that break the same rule. */
const WALLETS: readonly (readonly [known: string, further: readonly string[]])[] = [
  ['refund-half', ['refund-by-round', 'refund-too-late', 'refund-capped']],
  ['win-half', ['second-win-ignored', 'win-plus-bet', 'win-never-paid']],
  ['fee-on-wins', ['further-win-pays-difference', 'win-plus-bet']],
  ['bet-charged-twice', ['fee-on-bets']],
  ['bet-free-of-charge', ['refund-unknown-credited']],
  ['replay-other-tx-id', ['replayed-bet-charged', 'replayed-win-paid', 'replayed-refund-paid']],
];

const TIMEOUT_MS = 300_000;

describe('the baseline of a wallet with a known defect', () => {
  it.each(WALLETS)(
    'accepts %s again with another seed, but not together with a further defect (%j)',
    { timeout: TIMEOUT_MS },
    async (known, further) => {
      const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
      const file = path.join(cwd, 'b.yaml');
      const run = (defects: readonly string[], seed: string, ...flags: readonly string[]) => {
        const wallet = defects.flatMap((name) => ['--defect', name]);
        return croupier(['run', '--reference', ...wallet, '--seed', seed, '--no-lock', '--no-history', ...flags], {
          cwd,
        });
      };
      await run([known], '1', '--report', 'baseline=b.yaml');
      const text = readFileSync(file, 'utf8')
        .replaceAll('""', '"known"')
        .replaceAll(/expires: #.*/g, 'expires: 2999-01-01');
      writeFileSync(file, text);
      expect((await run([known], '2', '--baseline', 'b.yaml')).status).toBe(0);
      for (const name of further) {
        const { status, out } = await run([known, name], '9', '--baseline', 'b.yaml');
        expect({ name, isAccepted: status === 0, out }).toMatchObject({ isAccepted: false });
      }
      rmSync(cwd, { recursive: true });
    },
  );

  it('is announced as not enough if the wallet answers no refund', { timeout: TIMEOUT_MS }, async () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
    const file = path.join(cwd, 'b.yaml');
    const args = ['run', '--reference', '--defect', 'refunds-503', '--quick', '--no-lock', '--no-history'];
    const { err } = await croupier([...args, '--seed', '1', '--report', 'baseline=b.yaml'], { cwd });
    const said = 'With this baseline, a run still ends with status 3 until the wallet is fixed. UNDECIDED: ';
    expect(err).toContain(said);
    const text = readFileSync(file, 'utf8')
      .replaceAll('""', '"known"')
      .replaceAll(/expires: #.*/g, 'expires: 2999-01-01');
    writeFileSync(file, text);
    const again = await croupier([...args, '--seed', '1', '--baseline', 'b.yaml'], { cwd });
    expect({ status: again.status, firstLine: again.out.split('\n')[0] }).toEqual({
      status: 3,
      firstLine: expect.stringMatching(/^UNDECIDED: /) as string,
    });
    rmSync(cwd, { recursive: true });
  });
});
