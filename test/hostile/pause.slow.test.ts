import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended, line, start } from '../cli/croupier.ts';
import { onRequests, rawServer } from '../wire/raw-server.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const env = { CROUPIER_KEY: 'the-key-of-this-test' };

/** A correct wallet that calls `onRequest` before it answers. */
async function wallet(onRequest: () => void): Promise<string> {
  const balances = new Map<string, number>();
  const port = await rawServer((socket) =>
    onRequests(socket, (text) => {
      onRequest();
      const call = /^\w+ \/(\w+)/.exec(text)?.[1];
      const session = /sessionID(?:=|":")([\w-]+)/.exec(text)?.[1] ?? '';
      const amount = Number(/"amount":"([\d.]+)"/.exec(text)?.[1] ?? 0);
      const before = balances.get(session) ?? 1000;
      const balance = call === 'bet' ? before - amount : before + amount;
      balances.set(session, balance);
      const body = JSON.stringify({
        balance: balance.toFixed(2),
        ...(call !== 'balance' && { txID: text.slice(-60) }),
      });
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }),
  );
  return `http://127.0.0.1:${port}`;
}

/** Stops the process at its third call, and lets it go on only long after the deadline. */
function stoppedAt(count: number, pid: () => number): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls !== count) return;
    process.kill(pid(), 'SIGSTOP');
    void sleep(3200).then(() => process.kill(pid(), 'SIGCONT'));
  };
}

it.each([
  ['run', ['bet/debit', 'win/credit', '--session', 's1,player=p1,currency=USD'], 4],
  [
    'run',
    [
      'bet/debit',
      'win/credit',
      '--session',
      's1,player=p1,currency=USD',
      '--session',
      's2,player=p2,currency=USD',
      '--workers',
      '2',
    ],
    5,
  ],
  ['explore', ['--session', 's1,player=p1,currency=USD', '--runs', '2'], 4],
])(
  '%s blames nobody for the deadline after a pause of its own: %j',
  { timeout: 60_000 },
  async (command, args, count) => {
    let pid = 0;
    const url = await wallet(stoppedAt(count, () => pid));
    const flags = [
      '--base-url',
      url,
      '--ext-cid',
      'acme',
      '--deadline',
      '1s',
      '--linger',
      '10ms',
      '--journal',
      'run.ndjson',
    ];
    const child = start([command, ...args, ...flags], { cwd, env });
    pid = child.pid ?? 0;
    const { out } = await ended(child);
    const journal = readFileSync(path.join(cwd, 'run.ndjson'), 'utf8');
    expect(journal).toContain('"pausedMs":');
    expect(journal).toContain('croupier could not run for 3.');
    expect(journal).not.toContain('"reason":"too-late"');
    expect(journal).not.toMatch(/"rule":"reply\.deadline","verdict":"(?:fail|warn)"/);
    if (command === 'run') expect(out).toContain('croupier could not run for 3.');
  },
);

it('proxy blames nobody for the deadline after a pause of its own', { timeout: 60_000 }, async () => {
  let pid = 0;
  const url = await wallet(stoppedAt(2, () => pid));
  const child = start(['proxy', '--to', url, '--journal', 'proxy.ndjson'], { cwd, env });
  pid = child.pid ?? 0;
  const over = ended(child);
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(await line(child, 'proxy http'))?.[0] ?? '';
  for (let call = 0; call < 3; call += 1) await (await fetch(`${address}/balance?sessionID=s1`)).text();
  child.kill('SIGINT');
  const { out } = await over;
  expect(out).not.toContain('reply.deadline');
  expect(out).toContain('3 calls forwarded');
});
