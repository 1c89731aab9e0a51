import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { demoOperator } from '../../../src/operator/demo.ts';
import { createOperator } from '../../../src/operator/operator.ts';
import { variantByName } from '../../../src/operator/variants.ts';
import { behaviourWith } from '../../../src/operator/variation.ts';
import { croupier } from '../../cli/croupier.ts';
import { type Caller, callerOf } from '../caller.ts';

async function wallet(name: string): Promise<Caller> {
  const variant = variantByName(name);
  if (!variant) throw new Error(`there is no variant ${name}`);
  const behaviour = behaviourWith([variant]);
  const options = demoOperator({ first: 'key', second: 'other' }, behaviour);
  const listening = await createOperator(options, behaviour).start();
  onTestFinished(() => listening.close(0));
  return callerOf(`${listening.url}/demo-eu`, 'key');
}

describe('a wallet that is not in a fiat currency', () => {
  it.each([
    ['coins-six-decimals', '1000.000000', '999.999999', '0.000001'],
    ['coins-five-decimals-cut', '1000.00000', '999.99999', '0.00001'],
    ['coins-two-decimals', '50000.00', '49999.99', '0.01'],
    ['coins-zeros-dropped', '12.5', '12.499999', '0.000001'],
    ['coins-whole-balance', '40', '39.99', '0.01'],
  ])('has its own number of decimals: %s', async (name, before, after, unit) => {
    const { balance, bet } = await wallet(name);
    expect(await balance('eu-farah-btc')).toBe(before);
    expect(await bet('eu-farah-btc', unit)).toMatchObject({ status: 200, body: { balance: after } });
  });

  it('declines a finer amount, or cuts it', async () => {
    expect((await (await wallet('coins-six-decimals')).bet('eu-farah-btc', '1.0000001')).status).toBe(400);
    const cut = await (await wallet('coins-five-decimals-cut')).bet('eu-farah-btc', '1.000019');
    expect(cut).toMatchObject({ status: 200, body: { balance: '998.99999' } });
  });
});

const LONG_MS = 60_000;
const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-coins-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('croupier run', { timeout: LONG_MS }, () => {
  it.each(['coins-six-decimals', 'coins-five-decimals-cut', 'coins-zeros-dropped'])(
    'accuses no wallet because of decimals that it does not have: %s',
    async (name) => {
      const args = [
        'run',
        '--reference',
        '--variant',
        name,
        '--linger',
        '200ms',
        'bet',
        'money.exact',
        'refund.restore',
      ];
      const { status, out } = await croupier(args, { cwd });
      expect(out).toContain('CONFORMING');
      expect(status).toBe(0);
    },
  );

  it('takes decimals and stakes of a currency whose code has small letters from flags', async () => {
    const args = ['run', '--reference', '--variant', 'coins-five-decimals-cut', '--decimals', 'mBCH=3'];
    const { status, err } = await croupier([...args, '--stake', 'mBCH=2.5', 'bet/debit', 'bet/exact-balance'], { cwd });
    expect(err).not.toContain('is not');
    expect(status).toBe(0);
  });
});
