// Builds an executable: a single file that runs without an installed Node. It contains Node, the program and its files.
// Usage: node scripts/binary.ts [--target TARGET] [--node FILE] [FOLDER]
// Without a target, it writes build/croupier for this machine.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { type BuildOptions, build } from 'rolldown';
import config from '../rolldown.config.ts';
import { assertListed, billWithNode, NOTICES, noticesWithNode, SBOM } from './bill-of-materials.ts';
import { BUILT_EXAMPLES } from './docs/rule-examples.ts';
import { hostTarget, leastGlibc, nodeExecutable, nodeLicence, TARGETS, type Target } from './node-base.ts';
import { COMPILED_SUITE } from './suite.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** The folders of the installed package that the executable contains. */
const CARRIED = ['scenarios', 'dist/pages', 'schema'];
/** Node finds the place for the program by this text, which its executable contains once. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

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

/** Packs the program and its files into the form in which Node reads them from its own executable. */
async function blobFor(target: Target, folder: string): Promise<Buffer> {
  const program = await bundle('src/cli/program.ts', 'program.cjs', folder);
  const start = await bundle('src/cli/binary.ts', 'start.cjs', folder);
  const worker = await bundle('src/cli/commands/selftest/worker.ts', 'selftest-worker.cjs', folder);
  const notices = noticesWithNode(process.versions.node, nodeLicence(folder));
  const carried = ['LICENSE', COMPILED_SUITE, BUILT_EXAMPLES, ...CARRIED.flatMap(filesOf)];
  const seaConfig = {
    // The executable contains this path as text, so the path must be the same on every machine.
    main: path.basename(start),
    output: 'program.blob',
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
      [SBOM]: written(path.join(folder, 'sbom.cdx.json'), billWithNode(process.versions)),
      [NOTICES]: written(path.join(folder, 'notices.txt'), notices),
      ...Object.fromEntries(carried.map((name) => [name, path.join(ROOT, name)])),
    },
  };
  written(path.join(folder, 'sea-config.json'), JSON.stringify(seaConfig));
  execFileSync(process.execPath, ['--experimental-sea-config', 'sea-config.json'], { cwd: folder, stdio: 'pipe' });
  return readFileSync(path.join(folder, 'program.blob'));
}

/** Puts the program into a copy of Node. */
async function putInto(output: string, blob: Buffer, target: Target): Promise<void> {
  if (TARGETS[target].platform === 'win32') writeFileSync(output, withoutSignature(readFileSync(output)));
  const write = process.stderr.write.bind(process.stderr);
  // postject warns about parts of Node's executable that it does not understand and leaves as they are.
  process.stderr.write = (text: string | Uint8Array) => String(text).startsWith('warning: ') || write(text);
  try {
    await inject(output, 'NODE_SEA_BLOB', blob, {
      sentinelFuse: FUSE,
      ...(TARGETS[target].platform === 'darwin' && { machoSegmentName: 'NODE_SEA' }),
    });
  } finally {
    process.stderr.write = write;
  }
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
  const blob = await blobFor(target, folder);
  copyFileSync(node, output);
  chmodSync(output, 0o755);
  await putInto(output, blob, target);
  if (TARGETS[target].platform === 'darwin' && process.platform === 'darwin')
    execFileSync('codesign', ['--force', '--sign', '-', output]);
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
