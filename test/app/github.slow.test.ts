import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../cli/croupier.ts';
import { commandsIn } from '../cli/log-readers.ts';

let cwd = '';
let server: Server | undefined;
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(cwd, { recursive: true, force: true });
});

const KEY = 'canary-key-4711-of-the-client';

/** An operator that answers everything with the same bytes. */
async function operator(body: string): Promise<string> {
  const made = createServer((_, reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end(body));
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

function judge(baseUrl: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const session = ['--session', 's-1,currency=USD', '--linger', '10ms'];
  const summary = path.join(cwd, 'summary.md');
  return croupier(['run', ...args, '--base-url', baseUrl, '--ext-cid', 'acme', ...session], {
    cwd,
    env: { CROUPIER_KEY: KEY, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: cwd, ...env },
  });
}

const HOSTILE =
  '{"balance":"x"}\n::error::owned\n::add-mask::e\n::set-output name=a::b\n  ::stop-commands::mine##[error]owned';

describe('croupier run under GitHub Actions', () => {
  it('annotates lines of scenarios in the repository, and writes the summary of the step', async () => {
    mkdirSync(path.join(cwd, 'tests'));
    writeFileSync(
      path.join(cwd, 'tests/ours.yaml'),
      'croupier: 1\ntitle: Ours\nrules: [balance.read]\nsteps:\n  - balance:\n',
    );
    writeFileSync(path.join(cwd, 'summary.md'), 'what was there\n');
    const { out, status } = await judge(await operator('{"balance":1}'), ['tests/ours.yaml']);
    expect(status).toBe(1);
    const commands = commandsIn(out);
    expect(commands[0]).toMatch(
      /^::error file=tests\/ours\.yaml,line=\d,col=\d,title=acme breaks money\.decimal-string::/,
    );
    expect(readFileSync(path.join(cwd, 'summary.md'), 'utf8')).toMatch(/^what was there\n## ❌ NOT CONFORMING: acme/);
  });

  it('names built-in scenarios by their path in the package', async () => {
    const { out } = await judge(await operator('{"balance":1}'), ['balance/read']);
    expect(commandsIn(out)[0]).toContain(
      '::error file=node_modules/croupier-conformance/scenarios/balance/read.yaml,line=',
    );
  });

  it('prevents the reply of an operator from being read as a command', async () => {
    const { out, err } = await judge(await operator(HOSTILE), ['balance/read', '-v']);
    expect(out).toContain('error::owned');
    for (const command of commandsIn(out)) expect(command).toMatch(/^::(error|warning) (file|title)=/);
    expect(commandsIn(err).filter((command) => !command.startsWith('::add-mask::canary'))).toEqual([]);
  });

  it('hides the key in the log before any other output, and writes it nowhere else', async () => {
    const { out, err } = await judge(await operator(JSON.stringify({ balance: KEY })), ['balance/read']);
    expect(err.split('\n')[0]).toBe(`::add-mask::${KEY}`);
    expect(out + err.slice(KEY.length + 13) + readFileSync(path.join(cwd, 'summary.md'), 'utf8')).not.toContain(KEY);
  });

  it('writes only the JSON report to stdout with --json', async () => {
    const { out, err } = await judge(await operator('{"balance":1}'), ['balance/read', '--json']);
    expect(JSON.parse(out)).toMatchObject({ exitCode: 1 });
    expect(commandsIn(err)).toContainEqual(expect.stringMatching(/^::error /));
  });

  it.each([
    ['--no-github', ['--no-github'], {}],
    ['CROUPIER_GITHUB=0', [], { CROUPIER_GITHUB: '0' }],
    ['another machine', [], { GITHUB_ACTIONS: '' }],
  ])('prints no commands for GitHub with %s', async (_, args, env) => {
    const { out, err } = await judge(await operator('{"balance":1}'), ['balance/read', ...args], env);
    expect(out + err).not.toMatch(/^::/m);
    expect(() => readFileSync(path.join(cwd, 'summary.md'))).toThrow('ENOENT');
  });
});
