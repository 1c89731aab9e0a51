import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { croupier, ended, line, start } from './croupier.ts';
import { commandsIn } from './log-readers.ts';

const HOSTILE =
  '\n::error::owned\n\t::add-mask::owned\r::warning::owned\n ##[error]owned ##vso[task.complete result=Succeeded;]owned ##teamcity[buildStatus owned]';
const ENV = { CROUPIER_KEY: 'the-key-of-this-test' };
const GITHUB = { GITHUB_ACTIONS: 'true' };

let cwd = '';
let url = '';
const server = createServer((_, reply) => {
  reply.writeHead(200, '::error::owned ##vso[a.b]owned', {
    'content-type': 'application/json',
    'x-hostile': HOSTILE.trim().replaceAll(/[\n\r\t]/g, ' '),
  });
  reply.end(`{"balance":"12.00${HOSTILE}","currency":"##vso[a.b]owned","code":"::error::owned"}`);
});

const flags = () => ['--base-url', url, '--ext-cid', 'acme', '--session', 's-1,currency=USD'];
const JOURNAL = ['--journal', 'run.ndjson'];

beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const write = (name: string, text: string) => writeFileSync(path.join(cwd, name), text);
  write('hostile.yaml', `croupier: 1\ntitle: "${JSON.stringify(HOSTILE).slice(1, -1)}"\n${HOSTILE}\n`);
  write('##vso[a.b]owned.yaml', 'croupier: 1\n::error::owned\n');
  write('hostile.log', `${HOSTILE}\n::1 - - [21/Nov/2026:11:00:00 +0000] "POST /bet HTTP/1.1" 200 2 "${HOSTILE}"\n`);
  write(
    'config.yaml',
    `clients:\n  - extCID: acme\n    sessionsFrom: { command: [sh, -c, 'printf "\\n::error::owned\\n##vso[a.b]owned" >&2; exit 1'] }\n`,
  );
  await croupier(['run', 'balance', ...flags(), ...JOURNAL, '--linger', '10ms'], { cwd, env: ENV });
});
afterAll(() => {
  server.close();
  rmSync(cwd, { recursive: true, force: true });
});

const COMMANDS: readonly (readonly [shown: string, args: () => readonly string[]])[] = [
  ['run', () => ['run', 'balance', ...flags(), '--linger', '10ms']],
  ['run --verbose', () => ['run', 'balance/read', ...flags(), '--verbose', '--linger', '10ms']],
  ['run --json', () => ['run', 'balance/read', ...flags(), '--json', '--verbose', '--linger', '10ms']],
  ['run of a hostile file', () => ['run', 'hostile.yaml', ...flags()]],
  ['run with a hostile program', () => ['run', '--config', 'config.yaml', '--base-url', url]],
  ['doctor', () => ['doctor', ...flags()]],
  ['doctor --json', () => ['doctor', ...flags(), '--json']],
  ['call', () => ['call', 'balance', ...flags()]],
  ['call --json', () => ['call', 'balance', ...flags(), '--json']],
  ['explore', () => ['explore', ...flags(), '--runs', '3', '--linger', '10ms']],
  ['explore --json', () => ['explore', ...flags(), '--runs', '3', '--json', '--linger', '10ms']],
  ['load', () => ['load', ...flags(), '--rate', '5', '--duration', '1s', '--linger', '10ms']],
  ['load --json', () => ['load', ...flags(), '--rate', '5', '--duration', '1s', '--json', '--linger', '10ms']],
  ['settle', () => ['settle', 'run.ndjson', ...flags()]],
  ['replay', () => ['replay', 'run.ndjson', ...flags(), '--linger', '10ms']],
  ['replay --json', () => ['replay', 'run.ndjson', ...flags(), '--json', '--linger', '10ms']],
  ['incident', () => ['incident', 'run.ndjson']],
  ['incident --json', () => ['incident', 'run.ndjson', '--json']],
  ['incident of a log', () => ['incident', 'hostile.log']],
  ['lint', () => ['lint', 'hostile.yaml', '##vso[a.b]owned.yaml']],
  ['lint --json', () => ['lint', 'hostile.yaml', '--json']],
  ['explain', () => ['explain', 'hostile.log', '--key-file', 'hostile.log']],
  ['capsule', () => ['capsule', 'hostile.log']],
  ['report diff', () => ['report', 'diff', 'run.ndjson', 'hostile.yaml']],
  ...['terminal', 'json', 'junit', 'markdown', 'html', 'har', 'curl', 'baseline'].map(
    (kind) => [`report convert --to ${kind}`, () => ['report', 'convert', 'run.ndjson', '--to', `${kind}=-`]] as const,
  ),
  ['a wrong argument', () => ['run', '--tag', '\n::error::owned', '##vso[a.b]owned', '::error::owned']],
  ['a wrong flag', () => ['run', '--\n::error::owned ##vso[a.b]owned']],
];

describe('text from outside is no command of a CI system in the output of', () => {
  it.each(COMMANDS)('croupier %s', async (_, args) => {
    const { out, err } = await croupier(args(), { cwd, env: ENV });
    expect(commandsIn(out)).toEqual([]);
    expect(commandsIn(err)).toEqual([]);
  });

  it('croupier run under GitHub Actions, apart from the annotations of croupier', async () => {
    const { out, err } = await croupier(COMMANDS[0]?.[1]() ?? [], { cwd, env: { ...ENV, ...GITHUB } });
    expect(out).toContain('owned');
    for (const command of commandsIn(out)) expect(command).toMatch(/^::(error|warning) (file=[^,]*scenarios|title=)/);
    expect(commandsIn(err)).toEqual([expect.stringMatching(/^::add-mask::the-key/)]);
  });

  it('croupier report convert --to github, apart from the annotations', async () => {
    const { out } = await croupier(['report', 'convert', 'run.ndjson', '--to', 'github=-'], { cwd });
    expect(commandsIn(out).length).toBeGreaterThan(0);
    for (const command of commandsIn(out)) expect(command).toMatch(/^::(error|warning) (file=[^,]*scenarios|title=)/);
  });

  it.each([
    ['proxy', () => ['proxy', '--to', url]],
    ['serve operator', () => ['serve', 'operator']],
  ] as const)('croupier %s', async (_, args) => {
    const child = start(args(), { cwd, env: ENV });
    onTestFinished(() => void child.kill('SIGKILL'));
    const whole = ended(child);
    const [address = ''] = /http:\S+\d/.exec(await line(child, 'http:')) ?? [];
    const path = `/${encodeURIComponent(HOSTILE)}?sessionID=${encodeURIComponent(HOSTILE)}`;
    for (const each of ['/balance', path])
      await fetch(address + each, { method: 'POST', body: HOSTILE, headers: { 'x-a': '##vso[a.b]owned' } });
    await sleep(200);
    child.kill('SIGTERM');
    const { out, err } = await whole;
    expect(commandsIn(out)).toEqual([]);
    expect(commandsIn(err)).toEqual([]);
  });
});
