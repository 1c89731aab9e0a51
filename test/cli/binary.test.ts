import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, EXECUTABLE, line, start } from './croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** `npm run test:binary` builds it, and runs the other tests of the command line with it too. */
describe.runIf(EXECUTABLE)('the single executable', { timeout: 60_000 }, () => {
  let folder = '';
  let moved = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'croupier-binary-'));
    moved = path.join(folder, 'croupier-of-ours');
    copyFileSync(EXECUTABLE ?? '', moved);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs without Node, without other files of croupier, and under any name', () => {
    const run = (...args: string[]) =>
      execFileSync(moved, args, { cwd: folder, env: { PATH: '/nowhere' }, encoding: 'utf8', stdio: 'pipe' });
    expect(() => execFileSync('node', ['--version'], { env: { PATH: '/nowhere' }, stdio: 'pipe' })).toThrow('ENOENT');
    const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(run('--version')).toBe(`${manifest.version}\n`);
    expect(run('run', '--reference', 'balance', '--linger', '300ms')).toContain('CONFORMING: demo-eu breaks none');
    expect(run('lint')).toContain('no mistakes');
  });

  it('contains the compiled suite', () => {
    expect(readFileSync(moved).includes(readFileSync(path.join(ROOT, 'dist', 'scenarios.json')))).toBe(true);
  });

  it('contains the whole suite, and shows lines of its files', async () => {
    const { out } = await croupier(['list', 'scenarios', '--json'], { cwd: folder });
    const listed = new Set((JSON.parse(out) as { file: string }[]).map(({ file }) => file));
    const files = readdirSync(path.join(ROOT, 'scenarios'), { recursive: true, encoding: 'utf8' });
    const scenarios = files.filter((name) => {
      if (!name.endsWith('.yaml')) return false;
      return !/^fragment\s*:/m.test(readFileSync(path.join(ROOT, 'scenarios', name), 'utf8'));
    });
    expect(listed.size).toBe(scenarios.length);
    const flags = ['--reference', '--defect', 'refund-half', '--linger', '300ms', '--bail'];
    const { status, out: report } = await croupier(['run', 'scenarios/refund/restore.yaml', ...flags], { cwd: folder });
    expect(status).toBe(1);
    expect(report).toMatch(/refund\/restore:(\d+):5\n +\1 │ +- refund:/);
  });

  it('serves the pages of the game', async () => {
    const child = start(['serve', 'all'], { cwd: folder });
    const game = (await line(child, 'game ')).replace('game ', '');
    const page = await fetch(game);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const script = await fetch(new URL('/game/game.js', game));
    expect(Buffer.from(await script.arrayBuffer())).toEqual(readFileSync(path.join(ROOT, 'dist/pages/game.js')));
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
  });

  it('writes no files except journals', () => {
    expect(readdirSync(folder).filter((name) => name !== '.croupier')).toEqual(['croupier-of-ours']);
  });

  it.runIf(process.getuid?.() === 0)('needs no privileges, and writes only the journal', () => {
    const nobody = 65_532;
    chmodSync(folder, 0o755);
    const run = (...flags: string[]) =>
      spawnSync(moved, ['run', '--reference', 'balance.read', '--linger', '300ms', ...flags], {
        cwd: folder,
        env: {},
        uid: nobody,
        gid: nobody,
        encoding: 'utf8',
      });
    const refused = run();
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('permission is denied')]);
    const writable = path.join(folder, 'writable');
    mkdirSync(writable);
    chownSync(writable, nobody, nobody);
    expect(run('--journal', path.join(writable, 'run.ndjson'))).toMatchObject({ status: 0 });
  });

  it('has the same bytes if the container image builds it', () => {
    const copy = path.join(folder, 'image');
    for (const name of sentToDocker()) cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
    execFileSync('npm', ['run', 'binary'], { cwd: copy, stdio: 'pipe' });
    expect(sha256(path.join(copy, 'build', 'croupier'))).toBe(sha256(moved));
  }, 240_000);
});

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** The files of the repository that a build in a container gets. */
function sentToDocker(): readonly string[] {
  const lines = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
}
