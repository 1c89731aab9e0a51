import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { croupier } from '../cli/croupier.ts';
import { onRequests, rawServer } from '../wire/raw-server.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const env = { CROUPIER_KEY: 'the-key-of-this-test' };

/** Starts an operator that answers each call with a body. `call` is the number of the call. */
async function operator(bodyOf: (call: number, request: string) => string, closes = false): Promise<readonly string[]> {
  let calls = 0;
  const port = await rawServer((socket) =>
    onRequests(socket, (request) => {
      const body = bodyOf(calls++, request);
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      if (closes) socket.end();
    }),
  );
  return ['--base-url', `http://127.0.0.1:${port}`, '--ext-cid', 'acme'];
}

it('a reply with 2,300 levels of JSON ends no command with a bug, and its journal can be settled', {
  timeout: 60_000,
}, async () => {
  const deep = `{"balance":"1000.00","txID":"t","x":${'['.repeat(2300)}1${']'.repeat(2300)}}`;
  const flags = await operator((_, request) =>
    request.startsWith('POST /bet') ? deep : '{"balance":"1000.00","txID":"t"}',
  );
  const run = await croupier(
    ['run', 'bet/debit', ...flags, '--session', 's1,currency=USD', '--linger', '10ms', '--journal', 'deep.ndjson'],
    { cwd, env },
  );
  expect(run.out).toContain('more than 100 levels');
  const ended = await Promise.all([
    croupier(['settle', 'deep.ndjson', ...flags], { cwd, env }),
    croupier(['call', 'bet', ...flags, '--session', 's1'], { cwd, env }),
    croupier(['incident', 'deep.ndjson'], { cwd, env }),
  ]);
  for (const { status, out, err } of [run, ...ended]) {
    expect(out + err).not.toContain('bug of croupier');
    expect([0, 1, 3]).toContain(status);
  }
});

it('call --read knows the balance if the operator closes each connection after its reply', async () => {
  const bodies = ['{"balance":"10.00"}', '{"balance":"9.00","txID":"t"}', '{"balance":"9.00"}'];
  const flags = await operator((call) => bodies[call] ?? '', true);
  const args = ['call', 'bet', '--amount', '1.00', '--read', ...flags, '--session', 's1,currency=USD'];
  const { status, out } = await croupier(args, { cwd, env });
  expect(out).toContain('The balance was 10.00 before the bet and is 9.00 now: -1.00.');
  expect(status).toBe(0);
});
