import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Maximum size of the unpacked files in bytes. A dependency that is bundled by mistake adds more than the distance to it. */
const MAX_UNPACKED = 7_300_000;
const WANTED =
  /^(bin|ci|dist|docs|examples|scenarios|schema)\/|^(package\.json|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|LICENSE)$/;
const UNWANTED = /\.(map|tgz|tsbuildinfo)$|(^|\/)(\.|node_modules|test)/;

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

it('builds a package that stays small', () => {
  const [packed] = packages(npm(['pack', '--dry-run', '--ignore-scripts', '--json', '--silent'], ROOT));
  expect(packed?.unpackedSize).toBeLessThan(MAX_UNPACKED);
});

/** `npm run test:package` runs these tests, which build twice and install, and take some minutes. */
describe.runIf(process.env.CROUPIER_PACKAGE)('the npm package', { timeout: 240_000 }, () => {
  let folder = '';
  let project = '';
  let packed: Packed;
  let tarball: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'croupier-package-'));
    project = path.join(folder, 'project');
    const first = packIn(path.join(folder, 'one'));
    ({ packed, tarball } = first);
    mkdirSync(project);
    npm(['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], project);
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

  it('contains the needed files and no others', () => {
    const names = packed.files.map((file) => file.path);
    expect(names.filter((name) => !WANTED.test(name) || UNWANTED.test(name))).toEqual([]);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['main.js', 'library.js', 'sdk.js', 'scenarios.json', 'THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'].map(
          (name) => `dist/${name}`,
        ),
        'LICENSE',
        'ci/gitlab.yml',
        'ci/Jenkinsfile',
      ]),
    );
  });

  it('is the same to the byte in every folder that it is built in', () => {
    expect(sha256(packIn(path.join(folder, 'somewhere', 'else')).tarball)).toBe(sha256(tarball));
  });

  it('installs no other package', () => {
    const installed = readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(installed.sort()).toEqual(['croupier-conformance']);
  });

  it('runs after the installation', () => {
    const croupier = (...args: string[]) => npm(['exec', '--no', '--', 'croupier', ...args], project);
    expect(croupier('--version')).toBe(`${manifest(ROOT).version}\n`);
    expect(croupier('run', '--reference', 'refund.restore', '--linger', '300ms')).toMatch(/^CONFORMING/);
    expect(croupier('lint')).toContain('no mistakes');
    expect(croupier('selftest', 'refund-half')).toContain('judged every operator correctly');
  });

  it('says which package PostgreSQL needs', () => {
    const { status, stderr } = spawnSync(path.join(project, 'node_modules', '.bin', 'croupier'), ['history'], {
      cwd: project,
      env: { ...process.env, CROUPIER_DATABASE: 'postgres://user@127.0.0.1:1/name' },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining('Install it beside croupier (npm install pg)')]);
  });

  it('is a library after the installation, and its types fit the examples', () => {
    for (const name of ['operator.ts', 'node.test.ts'])
      copyFileSync(path.join(ROOT, 'examples', name), path.join(project, name));
    writeFileSync(path.join(project, 'try.ts'), TRY);
    const said = execFileSync(process.execPath, ['try.ts'], { cwd: project, encoding: 'utf8' });
    expect(said).toBe('UsageError function\n');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', 'false'];
    const types = ['--typeRoots', path.join(ROOT, 'node_modules', '@types'), '--types', 'node'];
    const check = (code: string) => {
      writeFileSync(path.join(project, 'try.ts'), code);
      const files = ['try.ts', 'operator.ts', 'node.test.ts'];
      return execFileSync(path.join(ROOT, 'node_modules', '.bin', 'tsc'), [...flags, ...types, ...files], {
        cwd: project,
        encoding: 'utf8',
      });
    };
    expect(check(TRY)).toBe('');
    expect(() => check(TRY.replace("'idempotency'", '7'))).toThrow();
    expect(() => check(TRY.replace('extCID', 'extcid'))).toThrow();
  });
});

const TRY = `
import { run, type RunResult, UsageError } from 'croupier-conformance';
import { verifyBet } from 'croupier-conformance/sdk';
const config = { clients: [{ extCID: 'e', integratorBaseUrl: 'http://127.0.0.1:1', integrationApiKey: 'k' }] };
run({ config, select: ['idempotency'] }).then(
  ({ verdict, causes }: RunResult) => console.log(verdict, causes[0]?.rule),
  (error: unknown) => console.log(error instanceof UsageError ? error.name : String(error), typeof verifyBet),
);
`;

/** Packs the work tree like a clone, from files that are committed or new, and not ignored. */
function packIn(clone: string): { readonly packed: Packed; readonly tarball: string } {
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const name of list.split('\0').filter(Boolean)) cpSync(path.join(ROOT, name), path.join(clone, name));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(clone, 'node_modules'));
  // `prepare` builds it.
  const [packed] = packages(npm(['pack', '--json', '--silent'], clone));
  if (!packed) throw new Error('npm pack said nothing');
  return { packed, tarball: path.join(clone, packed.filename) };
}

/** Reads what `npm pack --json` prints, which is an array or an object, depending on the version of npm. */
function packages(printed: string): readonly Packed[] {
  return Object.values(JSON.parse(printed) as Record<string, Packed> | readonly Packed[]);
}

/** Runs npm without the variables that npm has set for this test. */
function npm(args: readonly string[], cwd: string): string {
  // npm needs the certificates of a registry behind a company's proxy, and nothing else of this environment.
  const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env;
  return execFileSync('npm', args, {
    cwd,
    env: { PATH, HOME, NODE_EXTRA_CA_CERTS },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function manifest(folder: string): { readonly version: string } {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
