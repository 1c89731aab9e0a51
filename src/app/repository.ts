import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './files.ts';
import type { Stdio } from './stdio.ts';

/** The folder of croupier in a repository that installs it. Annotations in built-in scenarios use it as their path. */
const PACKAGE = 'node_modules/croupier-conformance';

/** A built-in scenario in the path of an installed package. */
const INSTALLED = /(?<=^|\/)node_modules\/croupier-conformance\/scenarios\/.+$/;

/** The variables in which CI systems give the folder of the repository: GitHub, GitLab, Jenkins, Azure. */
const WORKSPACES = ['GITHUB_WORKSPACE', 'CI_PROJECT_DIR', 'WORKSPACE', 'BUILD_SOURCESDIRECTORY'];

/**
 * Returns a function that gives the path of a file in the user's repository, for annotations and JUnit; null if the file
 * is outside. A built-in scenario gets its path in the installed package.
 */
export function repositoryFile({ env, cwd }: Pick<Stdio, 'env' | 'cwd'>): (file: string) => string | null {
  const root = repositoryRoot(env, cwd);
  return (file) => {
    const whole = path.resolve(cwd, file);
    if (isWithin(root, whole) && existsSync(whole)) return named(root, whole);
    if (isWithin(path.join(packageRoot(), 'scenarios'), whole)) return `${PACKAGE}/${named(packageRoot(), whole)}`;
    // The job that merges shards may have neither the repository nor the package. So the path is recognised by its text.
    const inPackage = INSTALLED.exec(file.replaceAll('\\', '/'))?.[0];
    if (inPackage !== undefined) return inPackage;
    return isWithin(root, whole) && !path.isAbsolute(file) ? named(root, whole) : null;
  };
}

/**
 * Returns the folder of the repository. The folder `.git` decides, because a job may check out several repositories into its
 * workspace.
 */
function repositoryRoot(env: Stdio['env'], cwd: string): string {
  const folders = [path.resolve(cwd)];
  for (let last = folders[0] ?? ''; last !== path.dirname(last); last = path.dirname(last))
    folders.push(path.dirname(last));
  const withGit = folders.find((folder) => existsSync(path.join(folder, '.git')));
  const workspace = WORKSPACES.map((name) => env[name]).find(
    (folder) => folder && folders.includes(path.resolve(folder)),
  );
  return withGit ?? (workspace === undefined ? path.resolve(cwd) : path.resolve(workspace));
}

function named(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('/');
}

function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}
