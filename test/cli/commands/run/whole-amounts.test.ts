import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const AMOUNT = /"amount":\s*"([^"]*)"/;

/** Runs a part of the suite, and returns the amounts of all calls with the report. */
async function amountsOf(...args: readonly string[]): Promise<{ amounts: readonly string[]; out: string }> {
  const selected = ['bet', 'money', 'refund.restore', 'win.credit', '--allow-skipped'];
  const run = ['run', '--reference', '--linger', '10ms', '--journal', 'run.ndjson', ...selected, ...args];
  const { status, out } = await croupier(run, { cwd });
  expect(status).toBe(0);
  const lines = readFileSync(path.join(cwd, 'run.ndjson'), 'utf8').trim().split('\n');
  const amounts = lines.flatMap((line) => {
    const [, amount] = AMOUNT.exec(line.replaceAll('\\"', '"')) ?? [];
    return amount === undefined || !line.includes('"event":"sending"') ? [] : [amount];
  });
  return { amounts, out: out.replaceAll(/\s+/g, ' ') };
}

it('sends only whole amounts to an integration of a version before 1.2.11', async () => {
  const { amounts, out } = await amountsOf('--contract', '1.2.0', '--stake', 'USD=1.5');
  expect(amounts.length).toBeGreaterThan(10);
  expect(amounts.filter((amount) => amount.includes('.'))).toEqual([]);
  expect(out).toContain(
    'The stake of 1.5 USD was replaced by 1, because version 1.2.0 of the contract has only whole amounts.',
  );
  expect(out).toContain('No scenario was played in BTC, because version 1.2.0 of the contract has only whole amounts.');
});

it('sends amounts with decimals from version 1.2.11 on', async () => {
  const { amounts, out } = await amountsOf('--contract', '1.2.11');
  expect(amounts.some((amount) => /\.\d*[1-9]/.test(amount))).toBe(true);
  expect(out).not.toContain('only whole amounts');
});

it.each(['{ bet: { amount: "1.50" } }, { balance: }', '{ bet: { amount: "1.50" }, times: 2 }, { balance: }'])(
  'skips a scenario whose file gives an amount with decimals, if amounts must be whole: %s',
  async (steps) => {
    const scenario = `title: A bet of one and a half\nrules: [bet.debit]\nsteps: [${steps}]\n`;
    writeFileSync(path.join(cwd, 'half.yaml'), scenario);
    const { status, out } = await croupier(['run', '--reference', 'half.yaml', '--contract', '1.2.0'], { cwd });
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'the scenario sends amounts with decimals, and version 1.2.0 of the contract has only whole amounts',
    );
    expect(status).toBe(3);
  },
);
