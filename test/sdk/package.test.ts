import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'croupier-sdk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A project that has installed the package. */
function project(code: string): string {
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  try {
    symlinkSync(ROOT, path.join(folder, 'node_modules', 'croupier-conformance'), 'dir');
  } catch {
    // The test before has created it.
  }
  const file = path.join(folder, 'backend.mts');
  writeFileSync(file, code);
  return file;
}

const RIGHT = `
import { createCoreApiClient, success, verifyBet, type CoreApiClient, type Reply } from 'croupier-conformance/sdk';
const client: CoreApiClient = createCoreApiClient({ baseUrl: 'http://127.0.0.1:1', cID: 'c', extCID: 'e', apiKey: 'k' });
const verified = verifyBet({ body: Buffer.from('{}'), signature: undefined, key: 'k' });
const reply: Reply = verified.kind === 'call' ? success({ balance: verified.call.amount }) : success({ balance: '1' });
console.log(typeof client.createNewGame, reply.status, verified.kind);
`;

describe('croupier-conformance/sdk', { timeout: 60_000 }, () => {
  it('can be imported by its name', () => {
    const out = execFileSync(process.execPath, [project(RIGHT)], { encoding: 'utf8' });
    expect(out).toBe('function 200 refused\n');
  });

  it('has types, even for a project that checks all libraries', () => {
    const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', 'false'];
    const types = ['--typeRoots', path.join(ROOT, 'node_modules', '@types'), '--types', 'node'];
    const check = (code: string) =>
      execFileSync(tsc, [...flags, ...types, project(code)], { encoding: 'utf8', cwd: folder });
    expect(() => check(RIGHT)).not.toThrow();
    expect(() => check(RIGHT.replace('verified.call.amount', '1.5'))).toThrow();
    expect(() => check(RIGHT.replace("apiKey: 'k'", ''))).toThrow();
  });
});
