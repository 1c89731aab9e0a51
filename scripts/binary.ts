// node scripts/binary.ts [FOLDER]: builds build/croupier, one file that runs where no Node is: this Node, with the program and its files put into it.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
// The package's own command looks for a Node to download, even with one at hand; this part of it does not.
import pkg from '@yao-pkg/pkg/lib-es5/sea.js';
import { type BuildOptions, build } from 'rolldown';
import config from '../rolldown.config.ts';

const ROOT = path.join(import.meta.dirname, '..');
const BUILD = path.resolve(process.argv[2] ?? path.join(ROOT, 'build'));
const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, 'linux' | 'macos' | 'win'>>> = {
  linux: 'linux',
  darwin: 'macos',
  win32: 'win',
};
/** What an installed package has on the disk, and the executable within itself. */
const CARRIED = ['scenarios', 'dist/pages', 'schema'];

/** One script without imports of its own: all that can be started from within an executable. */
async function bundle(entry: string, name: string): Promise<string> {
  const { platform, plugins } = config as BuildOptions;
  const file = path.join(BUILD, name);
  await build({
    input: path.join(ROOT, entry),
    ...(platform && { platform }),
    plugins,
    output: { file, format: 'cjs', minify: true, codeSplitting: false },
  });
  return file;
}

/** What V8 makes of the program: the same each time. */
function codeCache(program: string): string {
  const file = path.join(BUILD, 'program.cache');
  execFileSync(process.execPath, ['--random-seed=1', path.join(import.meta.dirname, 'code-cache.ts'), program, file]);
  return file;
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
    .filter((name) => statSync(path.join(ROOT, name)).isFile())
    .sort();
}

const platform = PLATFORMS[process.platform];
if (!platform) throw new Error(`no executable can be built on ${process.platform}`);
mkdirSync(BUILD, { recursive: true });
const start = await bundle('src/cli/binary.ts', 'start.cjs');
const program = await bundle('src/cli/program.ts', 'program.cjs');
const worker = await bundle('src/cli/selftest-worker.ts', 'selftest-worker.cjs');
const output = path.join(BUILD, platform === 'win' ? 'croupier.exe' : 'croupier');
const seaConfig = {
  // Written into the executable as it stands here, so that it must not be this machine's path; it is looked for from a folder
  // within the one for what is temporary.
  main: path.join('..', path.basename(start)),
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  // What it starts with is too small to gain from it, and it would differ each time.
  useCodeCache: false,
  assets: {
    'program.cjs': program,
    'program.cache': codeCache(program),
    'dist/selftest-worker.js': worker,
    ...Object.fromEntries(CARRIED.flatMap(filesOf).map((name) => [name, path.join(ROOT, name)])),
  },
};
process.env.TMPDIR = BUILD;
await pkg.default(start, {
  nodePath: process.execPath,
  seaConfig,
  targets: [{ nodeRange: `node${process.versions.node}`, platform, arch: process.arch, output }],
});
chmodSync(output, 0o755);
const said = execFileSync(output, ['--version'], { env: {}, encoding: 'utf8' }).trim();
const size = Math.round(statSync(output).size / 1e6);
process.stdout.write(`${path.relative(process.cwd(), output)}: croupier ${said}, ${size} MB\n`);
