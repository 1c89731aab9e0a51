// Builds an executable: a single file that runs without an installed Node. It contains Node, the program and its files.
// Usage: node scripts/binary.ts [--target TARGET] [--node FILE] [FOLDER]
// Without a target, it writes build/croupier for this machine.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
// The package's own command looks for a Node to download, even with one at hand; this part of it does not.
import pkg from '@yao-pkg/pkg/lib-es5/sea.js';
import { type BuildOptions, build } from 'rolldown';
import config from '../rolldown.config.ts';
import { assertListed, billWithNode, NOTICES, noticesWithNode, SBOM } from './bill-of-materials.ts';
import { BUILT_EXAMPLES } from './docs/rule-examples.ts';
import { hostTarget, leastGlibc, nodeExecutable, nodeLicence, TARGETS, type Target } from './node-base.ts';
import { COMPILED_SUITE } from './suite.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** The folders of the installed package that the executable contains. */
const CARRIED = ['scenarios', 'dist/pages', 'schema'];

/**
 * Bundles an entry into one script without imports, because the executable can start only such a script.
 *
 * @returns the path of the script
 */
async function bundle(entry: string, name: string, folder: string): Promise<string> {
  const { platform, plugins } = config as BuildOptions;
  const file = path.join(folder, name);
  const output = await build({
    input: path.join(ROOT, entry),
    ...(platform && { platform }),
    plugins,
    output: { file, format: 'cjs', minify: true, codeSplitting: false },
  });
  assertListed(output);
  return file;
}

/** Creates the V8 code cache of the program. Its bytes are the same at each build. */
function codeCache(program: string, folder: string): string {
  const file = path.join(folder, 'program.cache');
  execFileSync(process.execPath, ['--random-seed=1', path.join(import.meta.dirname, 'code-cache.ts'), program, file]);
  return file;
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`)
    .filter((name) => statSync(path.join(ROOT, name)).isFile())
    .sort();
}

/** Writes a text to a file, and returns the path of the file. */
function written(file: string, text: string): string {
  writeFileSync(file, text);
  return file;
}

/** Describes the program and its files in the form in which Node reads them from its own executable. */
async function seaConfigFor(target: Target, folder: string) {
  const program = await bundle('src/cli/program.ts', 'program.cjs', folder);
  const start = await bundle('src/cli/binary.ts', 'start.cjs', folder);
  const worker = await bundle('src/cli/commands/selftest/worker.ts', 'selftest-worker.cjs', folder);
  const loadWorker = await bundle('src/cli/commands/load/worker.ts', 'load-worker.cjs', folder);
  const notices = noticesWithNode(process.versions.node, nodeLicence(folder));
  const carried = ['LICENSE', COMPILED_SUITE, BUILT_EXAMPLES, ...CARRIED.flatMap(filesOf)];
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
      // V8 accepts a code cache only on the system that wrote it.
      ...(target === hostTarget() && { 'program.cache': codeCache(program, folder) }),
      'dist/selftest-worker.js': worker,
      'dist/load-worker.js': loadWorker,
      [SBOM]: written(path.join(folder, 'sbom.cdx.json'), billWithNode(process.versions)),
      [NOTICES]: written(path.join(folder, 'notices.txt'), notices),
      ...Object.fromEntries(carried.map((name) => [name, path.join(ROOT, name)])),
    },
  };
  return { start, seaConfig };
}

/** Names of the systems in pkg, by Node's names. */
const PLATFORMS = { linux: 'linux', darwin: 'macos', win32: 'win' } as const;

/** Puts the program into a copy of Node. On a Mac, an executable for macOS is also signed. */
async function putInto(output: string, node: string, target: Target, folder: string): Promise<void> {
  const { platform, arch } = TARGETS[target];
  const base = platform === 'win32' ? path.join(folder, 'node-unsigned.exe') : node;
  if (platform === 'win32') writeFileSync(base, withoutSignature(readFileSync(node)));
  const { start, seaConfig } = await seaConfigFor(target, folder);
  process.env.TMPDIR = folder;
  await pkg.default(start, {
    nodePath: base,
    // Otherwise pkg would start the Node of the target to ask it for its version, which is this Node's version.
    useLocalNode: true,
    signature: platform === 'darwin' && process.platform === 'darwin',
    seaConfig,
    targets: [{ nodeRange: `node${process.versions.node}`, platform: PLATFORMS[platform], arch, output }],
  });
  chmodSync(output, 0o755);
}

/**
 * Removes the signature of Node from an executable for Windows. It would not fit the changed file, and the tools of
 * Windows refuse to sign a file with a signature that does not fit.
 */
function withoutSignature(executable: Buffer): Buffer {
  const optionalHeader = executable.readUInt32LE(0x3c) + 24;
  // The fifth data directory of a 64-bit executable (PE32+). Unlike the others, it holds a place in the file.
  const entry = optionalHeader + 112 + 4 * 8;
  const [start, size] = [executable.readUInt32LE(entry), executable.readUInt32LE(entry + 4)];
  executable.fill(0, entry, entry + 8);
  return start + size === executable.length && size > 0 ? executable.subarray(0, start) : executable;
}

function readTarget(name: string | undefined): Target {
  const target = name ?? hostTarget();
  const names = Object.keys(TARGETS);
  if (target !== undefined && target in TARGETS) return target as Target;
  throw new Error(
    `${target ?? `${process.platform}-${process.arch}`} is no target. The targets are ${names.join(', ')}.`,
  );
}

async function buildExecutable(): Promise<string> {
  const { values, positionals } = parseArgs({
    options: { target: { type: 'string' }, node: { type: 'string' } },
    allowPositionals: true,
  });
  const folder = path.resolve(positionals[0] ?? path.join(ROOT, 'build'));
  const target = readTarget(values.target);
  const ending = TARGETS[target].platform === 'win32' ? '.exe' : '';
  const output = path.join(folder, `croupier${values.target === undefined ? '' : `-${target}`}${ending}`);
  mkdirSync(folder, { recursive: true });
  const node = nodeExecutable(target, folder, values.node);
  await putInto(output, node, target, folder);
  return [
    `${path.relative(process.cwd(), output)}: ${describe(output, target)}`,
    ...(target === hostTarget()
      ? []
      : ['It has no code cache, so it starts more slowly than one that is built there.']),
    ...(TARGETS[target].platform === 'darwin' && process.platform !== 'darwin'
      ? [
          `macOS does not start it before it is signed. On a Mac, run: codesign --force --sign - ${path.basename(output)}`,
        ]
      : []),
  ].join('\n');
}

function describe(output: string, target: Target): string {
  // Only this machine's own executable can be started here.
  const version =
    target === hostTarget() ? execFileSync(output, ['--version'], { env: {}, encoding: 'utf8' }).trim() : '';
  const glibc = leastGlibc(output);
  const size = `${Math.round(statSync(output).size / 1e6)} MB`;
  const parts = [`croupier ${version || `for ${target}`}`, `Node ${process.versions.node}`, size];
  return [...parts, ...(glibc === undefined ? [] : [`needs glibc ${glibc} or later`])].join(', ');
}

try {
  process.stdout.write(`${await buildExecutable()}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
