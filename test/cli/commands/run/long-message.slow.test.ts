import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { answering, rawServer } from '../../../wire/raw-server.ts';
import { croupier } from '../../croupier.ts';

it.each(['select ', '.', ' \n', 'a.b.', 'File "x", line ', 'java.lang.Foo'])(
  'a run ends with its report although every error has a message of 10,000 characters (%j repeated)',
  async (piece) => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const body = JSON.stringify({ code: 'X', message: piece.repeat(Math.ceil(10_000 / piece.length)) });
    const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const port = await rawServer(answering(`${head}${body}`));
    const args = ['run', '--base-url', `http://127.0.0.1:${port}/`, '--ext-cid', 'acme'];
    const { status, out, err } = await croupier([...args, '--session', 's1,currency=USD,player=p'], {
      cwd,
      env: { CROUPIER_KEY: 'a-key-for-tests' },
    });
    expect(err).not.toContain('Error');
    expect(status).toBe(1);
    expect(out).toContain('NOT CONFORMING');
  },
  60_000,
);
