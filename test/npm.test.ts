import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  // A package that does not support this Node version, installed like those of croupier, but without a registry.
  writeFileSync(path.join(folder, '.npmrc'), readFileSync(path.resolve(import.meta.dirname, '../.npmrc')));
  mkdirSync(path.join(folder, 'tool'));
  const tool = { name: 'tool', version: '1.0.0', engines: { node: '<1' } };
  writeFileSync(path.join(folder, 'tool/package.json'), JSON.stringify(tool));
  const dependent = { name: 'dependent', version: '1.0.0', dependencies: { tool: 'file:./tool' } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(dependent));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function npm(...args: readonly string[]) {
  const { PATH, HOME } = process.env;
  return spawnSync('npm', args, { cwd: folder, env: { PATH, HOME }, encoding: 'utf8' });
}

it('npm installs without a warning, also if a tool does not support the Node version', () => {
  const { status, stderr } = npm('install', '--offline');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(npm('install', '--offline', '--loglevel', 'warn').stderr).toContain('EBADENGINE');
});

it('npm still shows errors', () => {
  const { status, stderr } = npm('run', 'no-such-script');
  expect(status).toBe(1);
  expect(stderr).toContain('npm error Missing script: "no-such-script"');
});
