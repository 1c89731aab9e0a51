import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leastGlibc } from '../scripts/node-base.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const BUILD = path.join(ROOT, 'build');
const SUITE = readFileSync(path.join(ROOT, 'dist', 'scenarios.json'));
/** The Debian packages qemu-user, libc6-arm64-cross, libstdc++6-arm64-cross and libgcc-s1-arm64-cross. */
const QEMU = '/usr/bin/qemu-aarch64';
const LIBRARIES = '/usr/aarch64-linux-gnu';
const hasQemu = existsSync(QEMU) && existsSync(path.join(LIBRARIES, 'lib', 'libstdc++.so.6'));

function build(...args: readonly string[]) {
  const script = path.join(ROOT, 'scripts', 'binary.ts');
  return spawnSync(process.execPath, [script, ...args], { cwd: ROOT, encoding: 'utf8' });
}

/** `npm run test:targets` runs these tests, which download the Node of other systems. */
describe.runIf(process.env.CROUPIER_TARGETS)('an executable for another system', { timeout: 400_000 }, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'croupier-targets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('for Linux on arm64 is built here, and needs the glibc that docs/install.md names', () => {
    const { stdout, stderr } = build('--target', 'linux-arm64');
    const glibc = leastGlibc(path.join(BUILD, 'croupier-linux-arm64')) ?? '';
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringContaining(`needs glibc ${glibc} or later\n`),
      stderr: '',
    });
    const executable = readFileSync(path.join(BUILD, 'croupier-linux-arm64'));
    // ELF, and the number of the machine aarch64.
    expect([executable.toString('latin1', 1, 4), executable.readUInt16LE(0x12)]).toEqual(['ELF', 183]);
    expect(executable.includes(SUITE)).toBe(true);
    expect(readFileSync(path.join(ROOT, 'docs/install.md'), 'utf8')).toContain(`glibc ${glibc} `);
  });

  it.runIf(hasQemu)('for Linux on arm64 runs in an emulator', () => {
    const run = (...args: readonly string[]) =>
      execFileSync(QEMU, [path.join(BUILD, 'croupier-linux-arm64'), ...args], {
        cwd: folder,
        env: { QEMU_LD_PREFIX: LIBRARIES },
        encoding: 'utf8',
      });
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(run('--version')).toBe(`${version}\n`);
    expect(run('run', '--reference', 'balance.read', '--linger', '300ms')).toContain('CONFORMING: demo-eu breaks none');
    expect(run('licenses')).toContain('Node.js is licensed for use as follows');
  });

  it.skipIf(hasQemu)('for Linux on arm64 is not run here, because qemu-user or its libraries are not installed', () => {
    expect(hasQemu).toBe(false);
  });

  it('for Windows is built here, and has no signature that does not fit', () => {
    expect(build('--target', 'windows-x64')).toMatchObject({ status: 0, stderr: '' });
    const executable = readFileSync(path.join(BUILD, 'croupier-windows-x64.exe'));
    const header = executable.readUInt32LE(0x3c);
    // PE, and the number of the machine x64.
    expect([executable.toString('latin1', header, header + 2), executable.readUInt16LE(header + 4)]).toEqual([
      'PE',
      0x8664,
    ]);
    expect(executable.includes(SUITE)).toBe(true);
    expect(executable.readBigUInt64LE(header + 24 + 112 + 32)).toBe(0n);
  });

  it('for macOS is built here, or the message says how to get the Node of macOS', () => {
    const { status, stdout, stderr } = build('--target', 'macos-arm64');
    if (status === 0) expect(stdout).toContain('codesign --force --sign - croupier-macos-arm64');
    else expect(stderr).toContain('Download Node');
  });

  it('is refused with a Node of another version, and for an unknown system', () => {
    const wrong = build('--target', 'macos-arm64', '--node', path.join(ROOT, 'package.json'));
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining(`is not Node ${process.version}`)]);
    const unknown = build('--target', 'solaris-sparc');
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('The targets are linux-x64,')]);
  });
});
