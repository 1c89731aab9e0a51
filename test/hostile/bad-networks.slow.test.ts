import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/listen/server.ts';
import { croupier, line, start } from '../cli/croupier.ts';
import { randomFrom } from './random.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Starts a correct operator, and returns its address. Its configuration is in croupier.yaml. */
async function correctOperator(): Promise<URL> {
  const child = start(['serve', 'operator', '--write-config', 'croupier.yaml'], { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new URL((await line(child, 'operator ')).slice('operator '.length));
}

/** Lets the configuration name another address for the operator. */
function useAddress(operator: URL, host: string): void {
  const file = path.join(cwd, 'croupier.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(operator.host, host));
}

/** Plays the whole suite. Returns the status, the broken rules and the notices. */
async function wholeRun() {
  const flags = ['--client', 'demo-eu', '--json', '--linger', '300ms', '--journal', 'run.ndjson'];
  const { status, out } = await croupier(['run', ...flags], { cwd });
  const { rules, notices } = JSON.parse(out) as {
    readonly rules: readonly { readonly id: string; readonly verdict: string }[];
    readonly notices: readonly string[];
  };
  const broken = rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  return { status, broken, notices: notices.join('\n') };
}

/** Forwards each connection to the operator, and resets it at one in a hundred replies and at half as many calls. */
function resetting(operator: URL, random: () => number): Promise<Server> {
  const pair = (from: Socket, to: Socket, chance: number) => {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.on('data', (piece) => {
      if (random() >= chance) to.write(piece);
      else for (const socket of [from, to]) socket.resetAndDestroy();
    });
  };
  const proxy = createServer((caller) => {
    const upstream = connect(Number(operator.port), operator.hostname);
    pair(caller, upstream, 0.005);
    pair(upstream, caller, 0.01);
  });
  onTestFinished(() => void proxy.close());
  return new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(proxy)));
}

it.each([1, 2])(
  'a network that resets one in a hundred replies makes croupier accuse no correct operator (seed %i)',
  {
    timeout: 180_000,
  },
  async (seed) => {
    const operator = await correctOperator();
    const proxy = await resetting(operator, randomFrom(seed));
    useAddress(operator, `127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const { status, broken, notices } = await wholeRun();
    expect([broken, notices]).toEqual([[], expect.stringMatching(/Network: \d+ of \d+ calls got no reply: .*reset/)]);
    expect([0, 3]).toContain(status);
    // Over a good network, croupier can pay everything that the run still owes.
    const direct = ['--base-url', new URL('/demo-eu', operator).href];
    const settled = await croupier(['settle', 'run.ndjson', '--client', 'demo-eu', ...direct], { cwd });
    expect([settled.status, settled.out]).toEqual([0, expect.stringContaining('Nothing is owed')]);
  },
);

it('a gateway with a rate limit makes croupier accuse no correct operator', {
  timeout: 240_000,
}, async () => {
  const operator = await correctOperator();
  const RATE = 60;
  let tokens = RATE;
  const refill = setInterval(() => {
    tokens = Math.min(RATE, tokens + RATE / 10);
  }, 100);
  onTestFinished(() => clearInterval(refill));
  const gateway = await listen(
    async ({ method, path: target, query, headers, body }) => {
      tokens -= 1;
      const json: [string, string][] = [['Content-Type', 'application/json']];
      if (tokens < 0)
        return {
          status: 429,
          headers: [...json, ['Retry-After', '1']],
          body: '{"message":"Too many calls. Try again later."}',
        };
      const kept = headers.filter(([name]) => /^(x-request-sign|content-type)$/i.test(name)) as [string, string][];
      const url = `${operator.origin}${target}${query === '' ? '' : `?${query}`}`;
      const reply = await fetch(url, { method, headers: kept, ...(method === 'POST' && { body }) });
      return { status: reply.status, headers: json, body: await reply.text() };
    },
    { onFault: () => {} },
  );
  onTestFinished(() => gateway.close(0));
  useAddress(operator, new URL(gateway.url).host);
  const { status, broken } = await wholeRun();
  expect(broken).toEqual([]);
  expect([0, 3]).toContain(status);
});
