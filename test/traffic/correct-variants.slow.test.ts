import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VARIANTS } from '../../src/operator/variants.ts';
import { croupier } from '../cli/croupier.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The test takes every sixth variant, so that it does not take long. */
const EACH = 6;
/** A variant that may warn breaks a SHOULD: it may refuse money that the service owes, and `incident` says so. */
const names = VARIANTS.filter(({ mayWarn = [] }) => mayWarn.length === 0)
  .map(({ name }) => name)
  .filter((_, index) => index % EACH === 0);

it.each(names)(
  'incident accuses no correct operator of the calls in the journal of a run: %s',
  { timeout: 120_000 },
  async (name) => {
    const journal = `${name}.ndjson`;
    const args = ['--reference', '--variant', name, '--quick', '--linger', '50ms', '--no-history'];
    await croupier(['run', ...args, '--journal', journal], { cwd });
    const { status, out } = await croupier(['incident', journal], { cwd });
    expect(status, out).not.toBe(1);
    expect(out).not.toMatch(/the operator owes|operator is at fault/i);
  },
);
