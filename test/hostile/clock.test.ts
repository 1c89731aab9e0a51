import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { croupier } from '../cli/croupier.ts';

/** Moves the clock of the process by up to a week, several times in a second. */
const JUMPS = `
const real = Date.now.bind(Date);
const RealDate = Date;
let ahead = 0;
const jumps = [-3_600_000, 5000, -86_400_000, 604_800_000, -5000, 0];
let next = 0;
setInterval(() => { ahead = jumps[next++ % jumps.length]; }, 120).unref();
globalThis.Date = class extends RealDate {
  constructor(...given) { if (given.length === 0) super(real() + ahead); else super(...given); }
  static now() { return real() + ahead; }
};
`;

const cwd = mkdtempSync(path.join(tmpdir(), 'clock-'));
afterAll(() => rmSync(cwd, { recursive: true }));

it('judges a correct operator rightly although the clock of the machine jumps', async () => {
  const preload = path.join(cwd, 'jumps.mjs');
  writeFileSync(preload, JUMPS);
  const env = { NODE_OPTIONS: `--import ${preload}` };
  const run = await croupier(['run', '--reference', '--quick', '--journal', 'run.ndjson'], { cwd, env });
  expect([run.status, run.err]).toEqual([0, '']);
  const incident = await croupier(['incident', 'run.ndjson'], { cwd, env });
  expect(incident.status, incident.out).not.toBe(1);
  const settle = await croupier(['settle', 'run.ndjson'], { cwd, env });
  expect(settle.out).toContain('Nothing is owed.');
});
