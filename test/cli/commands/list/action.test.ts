import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it('croupier list clients fails without clients, because a matrix of jobs from an empty list would test nothing', async () => {
  const { status, out, err } = await croupier(['list', 'clients', '--json'], { cwd });
  expect([status, out, err]).toEqual([2, '', expect.stringContaining('There is no croupier.yaml in this folder')]);
  writeFileSync(path.join(cwd, 'croupier.yaml'), 'linger: 1s\n');
  expect(await croupier(['list', 'clients'], { cwd })).toMatchObject({
    status: 2,
    err: expect.stringContaining('names no clients'),
  });
});
