import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier, PTY } from '../../croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-init-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(path.join(cwd, name), 'utf8');
const init = (...args: readonly string[]) =>
  croupier(['init', '--yes', '--ext-cid', 'acme-eu', '--session', 'eu-1', ...args], { cwd });

describe('croupier init', () => {
  it('names a schema for editors in both files, and keeps the folder of the journals out of Git', async () => {
    writeFileSync(path.join(cwd, '.gitignore'), 'node_modules/');
    const { status, out } = await init('--base-url', 'http://127.0.0.1:9/eu');
    expect({ status, out }).toMatchObject({ status: 0, out: expect.stringContaining('.gitignore') as string });
    for (const [file, folder] of [
      ['croupier.yaml', '.'],
      ['scenarios/example.yaml', 'scenarios'],
    ] as const) {
      const [, schema = ''] = /^# yaml-language-server: \$schema=(.*)\n/.exec(read(file)) ?? [];
      expect(existsSync(path.join(cwd, folder, schema))).toBe(true);
    }
    expect(read('.gitignore')).toBe('node_modules/\n.croupier/\n');
    await init('--base-url', 'http://127.0.0.1:9/eu', '--force');
    expect(read('.gitignore')).toBe('node_modules/\n.croupier/\n');
  });

  it('adds http to a host on this machine, and asks for the scheme of any other host', async () => {
    expect((await init('--base-url', 'localhost:7001/eu')).status).toBe(0);
    expect(read('croupier.yaml')).toContain('integratorBaseUrl: http://localhost:7001/eu ');
    const { status, err } = await init('--base-url', 'wallet.example/eu', '--force');
    expect([status, err]).toEqual([2, expect.stringContaining('Write https://wallet.example/eu, or http://')]);
    const keys = read('croupier.yaml')
      .split('\n')
      .filter((line) => /^ *# \w+: /.test(line));
    expect(keys.length).toBeGreaterThan(25);
    expect(read('croupier.yaml').split('\n').length).toBeLessThan(60);
  });

  it('warns about a base URL that ends in the path of a call', async () => {
    const { status, err } = await init('--base-url', 'http://127.0.0.1:9/eu/bet/');
    expect(status).toBe(0);
    expect(err).toContain('the base URL ends with /bet');
    expect(err).toContain('http://127.0.0.1:9/eu/bet/balance');
  });

  it('asks for further sessions with player, currency and game, and offers a base URL without the path of a call', async () => {
    const command = [process.execPath, path.join(ROOT, 'bin/croupier.js'), 'init'].join(' ');
    const { PATH, HOME } = process.env;
    const child = spawn(PTY, ['-qec', `stty rows 40 cols 200; exec ${command}`, '/dev/null'], {
      cwd,
      env: { PATH, HOME, TERM: 'xterm' },
    });
    let seen = '';
    let wake: () => void = () => {};
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += stripVTControlCharacters(text);
      wake();
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const question = async (words: string | RegExp): Promise<void> => {
      while (seen.search(words) < 0) await new Promise<void>((resolve) => (wake = resolve));
    };
    const answer = async (words: string | RegExp, text: string): Promise<void> => {
      await question(words);
      seen = '';
      child.stdin.write(`${text}\r`);
    };
    await answer('base URL', 'http://127.0.0.1:9/eu/bet');
    await answer('Use http://127.0.0.1:9/eu instead', '');
    await answer('ExtCID', 'acme-eu');
    await answer('The id of a session', 'eu-1');
    await answer('player of this session', 'p1');
    await answer('currency', 'USD');
    await answer('game', 'catch');
    await answer('another session', 'eu-2,player=p2,currency=');
    await question('currency needs a value');
    expect(seen).not.toContain('--session');
    await answer('', 'EUR');
    // The first mark is the question that was answered, and the second mark is the next question.
    await answer(/◇[\s\S]*◆.*another session/u, '');
    await answer('environment variable', '');
    await ended;
    const config = read('croupier.yaml');
    expect(config).toContain('integratorBaseUrl: http://127.0.0.1:9/eu #');
    expect(config).toContain('integrationApiKey: ${ACME_EU_KEY}');
    expect(config).toContain('- { sessionID: eu-1, player: p1, currency: USD, gameID: catch }\n');
    expect(config).toContain('- { sessionID: eu-2, player: p2, currency: EUR }\n');
  });
});
