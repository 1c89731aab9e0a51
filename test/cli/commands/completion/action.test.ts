import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHELLS } from '../../../../src/cli/commands/completion/scripts.ts';
import { RULES } from '../../../../src/contract/catalogue.ts';
import { croupier } from '../../croupier.ts';

const BIN = path.resolve(import.meta.dirname, '../../../../bin/croupier.js');
let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-completion-'));
  // A command on the PATH, as in a shell.
  writeFileSync(path.join(cwd, 'croupier'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`);
  chmodSync(path.join(cwd, 'croupier'), 0o755);
  writeFileSync(
    path.join(cwd, 'croupier.yaml'),
    `clients:
  - extCID: acme-eu
    integratorBaseUrl: http://127.0.0.1:9/eu
    integrationApiKey: \${ACME_EU_KEY}
    sessions: [{ sessionID: s1 }]
scenarios: [ours]
`,
  );
});

afterAll(() => rmSync(cwd, { recursive: true }));

/** The answer at the cursor, which is at the last word: the values, and the instruction for the shell. */
async function answer(...words: readonly string[]): Promise<readonly string[]> {
  const { status, out } = await croupier(['completion', 'answer', '--', ...words], { cwd });
  expect(status).toBe(0);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
}

describe('croupier completion answer', () => {
  it('offers commands, subcommands and flags', async () => {
    expect(await answer('re')).toEqual(['report', 'replay', ':nothing']);
    expect(await answer('serve', 'o')).toEqual(['operator', ':nothing']);
    expect(await answer('run', '--ref')).toEqual(['--reference', ':nothing']);
  });

  it('offers every rule, and scenarios after a slash', async () => {
    const found = await answer('run', '--strict', '');
    expect(found).toEqual(expect.arrayContaining(RULES.map(({ id }) => id)));
    expect(found).toContain('refund');
    expect(await answer('run', 'signature/refused-r')).toEqual(['signature/refused-replay', ':nothing']);
    expect(await answer('run', 'signature/client-key#')).toEqual([
      'signature/client-key#bet',
      'signature/client-key#win',
      'signature/client-key#refund',
      ':nothing',
    ]);
  });

  it('offers the values of flags, also after =', async () => {
    expect(await answer('run', '--defect', 'refund-h')).toEqual(['refund-half', ':nothing']);
    expect(await answer('run', '--report', 'js')).toEqual(['json=', ':nospace']);
    expect(await answer('run', '--report=js')).toEqual(['--report=json=', ':nospace']);
    expect(await answer('run', '--client', '')).toEqual(['acme-eu', ':nothing']);
    expect(await answer('list', 'rules', '--since', '1.8')).toEqual(['1.8.2', '1.8.0', ':nothing']);
  });

  it('lets the shell complete files', async () => {
    expect(await answer('run', '--journal', '')).toEqual([':files']);
    expect(await answer('replay', '')).toEqual([':files']);
    expect(await answer('run', './our-')).toEqual([':files']);
  });

  it('offers the arguments after a flag with an optional value', async () => {
    expect(await answer('run', '--bail', 'refund.onc')).toEqual(['refund.once', ':nothing']);
  });
});

describe('the scripts of croupier completion', () => {
  const there = (shell: string) => spawnSync(shell, ['--version']).status === 0;

  it.each(SHELLS.filter(there))('are loaded by %s without an error', async (shell) => {
    const { out } = await croupier(['completion', shell], { cwd });
    const file = path.join(cwd, `script.${shell}`);
    writeFileSync(file, out);
    execFileSync(shell, ['-n', file]);
  });

  it.runIf(there('bash'))('give bash only the part after its last = or :', async () => {
    const { out } = await croupier(['completion', 'bash'], { cwd });
    const complete = (line: string) =>
      execFileSync(
        'bash',
        [
          '-c',
          `compopt() { :; }\n${out}\nCOMP_LINE=$1 COMP_POINT=\${#1}; _croupier; printf '%s\\n' "\${COMPREPLY[@]}"`,
          '-',
          line,
        ],
        { encoding: 'utf8', cwd, env: { PATH: `${cwd}:${process.env.PATH ?? ''}` } },
      ).trimEnd();
    expect(complete('croupier run "refund.onc')).toBe('');
    expect(complete('croupier run refund.onc')).toBe('refund.once');
    expect(complete('croupier run --report=ju')).toBe('junit=');
    expect(complete("croupier run 'a b' --defect=refund-h")).toBe('refund-half');
    expect(complete('croupier serve operator ')).toBe('');
  });
});
