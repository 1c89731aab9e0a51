// Builds build/croupier, a single file that runs without an installed Node. It contains the Node of this machine, the
// program and its files. Usage: node scripts/binary.ts [FOLDER]
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
// The package's own command looks for a Node to download, even with one at hand; this part of it does not.
import pkg from '@yao-pkg/pkg/lib-es5/sea.js';
import { type BuildOptions, build } from 'rolldown';
import config from '../rolldown.config.ts';
import { BUILT_EXAMPLES } from './docs/rule-examples.ts';
import { COMPILED_SUITE } from './suite.ts';

const ROOT = path.join(import.meta.dirname, '..');
const BUILD = path.resolve(process.argv[2] ?? path.join(ROOT, 'build'));
const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, 'linux' | 'macos' | 'win'>>> = {
  linux: 'linux',
  darwin: 'macos',
  win32: 'win',
};
/** The folders of the installed package that the executable contains. */
const CARRIED = ['scenarios', 'dist/pages', 'schema'];

/**
 * Bundles an entry into one script without imports, because the executable can start only such a script.
 *
 * @returns the path of the script
 */
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

/** Creates the V8 code cache of the program. Its bytes are the same at each build. */
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
const worker = await bundle('src/cli/commands/selftest/worker.ts', 'selftest-worker.cjs');
const output = path.join(BUILD, platform === 'win' ? 'croupier.exe' : 'croupier');
const seaConfig = {
  // The executable contains this path as text, so the path must be the same on every machine. It is resolved from a
  // subfolder of the folder for temporary files.
  main: path.join('..', path.basename(start)),
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  // The entry script is small, so a code cache would hardly make it faster. Node's own cache also has different bytes
  // at each build.
  useCodeCache: false,
  assets: {
    'program.cjs': program,
    'program.cache': codeCache(program),
    'dist/selftest-worker.js': worker,
    ...Object.fromEntries(
      [COMPILED_SUITE, BUILT_EXAMPLES, ...CARRIED.flatMap(filesOf)].map((name) => [name, path.join(ROOT, name)]),
    ),
  },
};
process.env.TMPDIR = BUILD;
await pkg.default(start, {
  nodePath: process.execPath,
  seaConfig,
  targets: [{ nodeRange: `node${process.versions.node}`, platform, arch: process.arch, output }],
});
chmodSync(output, 0o755);
const version = execFileSync(output, ['--version'], { env: {}, encoding: 'utf8' }).trim();
const size = Math.round(statSync(output).size / 1e6);
process.stdout.write(`${path.relative(process.cwd(), output)}: croupier ${version}, ${size} MB\n`);
