import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { whileLocked } from '../../../src/app/lock/file-lock.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  file = path.join(folder, 'known.yaml');
  writeFileSync(file, '0');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function addOne(): Promise<void> {
  const before = Number(readFileSync(file, 'utf8'));
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  writeFileSync(file, String(before + 1));
}

it('a file is changed by one action at a time', async () => {
  await Promise.all(Array.from({ length: 8 }, () => whileLocked(file, addOne)));
  expect(readFileSync(file, 'utf8')).toBe('8');
  expect(readdirSync(folder)).toEqual(['known.yaml']);
});

it('an action that fails leaves no lock behind', async () => {
  await expect(whileLocked(file, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
  await whileLocked(file, addOne);
  expect(readFileSync(file, 'utf8')).toBe('1');
});

it('a process that was killed within its action blocks no other process', async () => {
  const program = `
    const { whileLocked } = await import(${JSON.stringify(path.resolve('src/app/lock/file-lock.ts'))});
    await whileLocked(${JSON.stringify(file)}, async () => process.kill(process.pid, 'SIGKILL'));`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]).catch(() => {});
  expect(readdirSync(folder)).toContain('known.yaml.lock');
  await whileLocked(file, addOne);
  expect(readdirSync(folder)).toEqual(['known.yaml']);
});
