import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BIN, EXECUTABLE } from '../../cli/croupier.ts';

/** A user who is in no list of users, as in some containers. */
const NOBODY = { uid: 54_321, gid: 54_321 };
/** True if this process can start croupier as this user. */
const canBeNobody =
  process.getuid?.() === 0 && !EXECUTABLE && spawnSync(process.execPath, [BIN, '--version'], NOBODY).status === 0;

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  chmodSync(cwd, 0o777);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it.runIf(canBeNobody)('a user without a home folder locks players in the folder for temporary files', () => {
  const env = { TMPDIR: cwd, CROUPIER_KEY: 'a-key-of-this-test' };
  const operator = ['--base-url', 'http://127.0.0.1:9', '--ext-cid', 'acme', '--session', 's1'];
  const ran = spawnSync(process.execPath, [BIN, 'run', ...operator], { ...NOBODY, cwd, env, encoding: 'utf8' });
  expect([ran.status, ran.stdout]).toEqual([3, expect.stringContaining('acme could not be reached')]);
});
