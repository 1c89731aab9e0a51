import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockJournal } from '../../../../src/app/lock/journal-writer.ts';
import { signBody, signQuery } from '../../../../src/contract/signature.ts';
import { croupier, type Ended } from '../../croupier.ts';

const KEY = 'a key that is none';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface ObservedCall {
  readonly method: string;
  readonly url: string;
  readonly signature: string;
  readonly body: string;
}

/** An operator that sends given replies, and records the requests. */
async function operator(
  answer: (seen: ObservedCall, number: number) => { readonly status: number; readonly body: string } | 'nothing',
): Promise<{ readonly url: string; readonly seen: readonly ObservedCall[] }> {
  const seen: ObservedCall[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += String(piece);
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, signature: String(headers['x-request-sign']), body };
      seen.push(one);
      const said = answer(one, seen.length);
      if (said === 'nothing') return;
      response.writeHead(said.status, { 'Content-Type': 'application/json' }).end(said.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/eu`, seen };
}

const accepts = () => ({ status: 200, body: '{"balance":"9.00","txID":"op-1"}' });

function call(url: string, ...args: readonly string[]): Promise<Ended> {
  const clientFlags = ['--base-url', url, '--ext-cid', 'acme', '--session', 's-1,currency=USD'];
  return croupier(['call', ...args, ...clientFlags], { cwd, env: { CROUPIER_KEY: KEY } });
}

const TX = '5d2b7e1a-3f0c-4c5e-9a7b-0d1e2f3a4b5c';
const ROUND = '7d0f1b2c-3d4e-4f5a-8b6c-7d8e9f0a1b2c';

describe('croupier call', () => {
  it('sends the given fields once, with a signature', async () => {
    const { url, seen } = await operator(accepts);
    const { status, out } = await call(url, 'bet', '--amount', '1.00', '--tx-id', TX, '--round', ROUND);
    const body = `{"amount":"1.00","roundID":"${ROUND}","sessionID":"s-1","txID":"${TX}","type":"regular"}`;
    expect(seen).toEqual([{ method: 'POST', url: '/eu/bet', signature: signBody(Buffer.from(body), KEY), body }]);
    expect(status).toBe(0);
    expect(out).toMatch(/reply +200/);
    expect(out).toMatch(/timing .*wait/);
    expect(out).toContain('reply.json');
  });

  it('appends to a journal that incident and report convert read', async () => {
    const replies = ['9.00', '8.00'];
    const { url } = await operator((_, number) => ({
      status: 200,
      body: JSON.stringify({ balance: replies[number - 1], txID: `op-${number}` }),
    }));
    await call(url, 'bet', '--amount', '1.00', '--tx-id', TX, '--journal', 'calls.ndjson');
    await call(url, 'bet', '--amount', '1.00', '--tx-id', TX, '--journal', 'calls.ndjson');
    const { out, status } = await croupier(['incident', 'calls.ndjson', '--json'], { cwd, env: { CROUPIER_KEY: KEY } });
    expect(JSON.parse(out)).toMatchObject({
      calls: [
        { call: 'bet', txID: TX, balance: '9' },
        { call: 'bet', txID: TX, balance: '8' },
      ],
      read: { unreadable: 0 },
    });
    expect(status).toBe(1);
    const made = await croupier(['report', 'convert', 'calls.ndjson', '--to', 'har=-'], { cwd });
    expect((JSON.parse(made.out) as { log: { entries: object[] } }).log.entries).toHaveLength(2);
  });

  it('does not continue a journal that another process writes', async () => {
    const { url, seen } = await operator(accepts);
    const journal = path.join(cwd, 'calls.ndjson');
    expect((await call(url, 'balance', '--journal', 'calls.ndjson')).status).toBe(0);
    const before = readFileSync(journal, 'utf8');
    const held = lockJournal(journal, 'run');
    const refused = await call(url, 'balance', '--journal', 'calls.ndjson');
    expect([refused.status, refused.err]).toEqual([
      2,
      expect.stringContaining(`croupier run (process ${process.pid} on `),
    ]);
    expect(refused.err).toContain('is still writing it. Nothing was sent.');
    expect([seen.length, readFileSync(journal, 'utf8')]).toEqual([1, before]);
    if ('release' in held) held.release();
    expect((await call(url, 'balance', '--journal', 'calls.ndjson')).status).toBe(0);
    expect(readdirSync(cwd)).toEqual(['calls.ndjson']);
  });

  it('does not change a file that is not a journal', async () => {
    const { url, seen } = await operator(accepts);
    writeFileSync(path.join(cwd, 'notes.txt'), 'mine\n');
    expect(await call(url, 'balance', '--journal', 'notes.txt')).toMatchObject({ status: 2, out: '' });
    expect(seen).toEqual([]);
    expect(readFileSync(path.join(cwd, 'notes.txt'), 'utf8')).toBe('mine\n');
  });

  it('reads the balance with a signed query', async () => {
    const { url, seen } = await operator(accepts);
    expect((await call(url, 'balance', '--field', 'a=ü')).status).toBe(0);
    const query = [
      ['a', 'ü'],
      ['sessionID', 's-1'],
    ] as const;
    expect(seen).toEqual([
      { method: 'GET', url: '/eu/balance?a=%C3%BC&sessionID=s-1', signature: signQuery(query, KEY), body: '' },
    ]);
  });

  it('sends free rounds and refunds with the fields that the service sends', async () => {
    const { url, seen } = await operator(accepts);
    await call(url, 'win', '--amount', '3.00', '--fr-id', 'spring', '--round', ROUND);
    const refund = await call(url, 'refund', '--amount', '3.00', '--orig-tx-id', TX);
    expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { type: 'free', frID: 'spring', roundID: ROUND, amount: '3.00' },
      { origTxID: TX, amount: '3.00' },
    ]);
    expect(refund.err).toBe('');
    expect((await call(url, 'refund')).err).toContain('does not know');
  });

  it('prints the rules that a reply breaks', async () => {
    const { url } = await operator(() => ({ status: 200, body: '{"balance":9,"txID":"op-1"}' }));
    const { status, out } = await call(url, 'bet');
    expect(status).toBe(1);
    expect(out).toMatch(/money\.decimal-string.*MUST fail/);
    const json = await call(url, 'bet', '--json');
    expect(json.status).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      exitCode: 1,
      findings: [{ rule: 'money.decimal-string', verdict: 'fail' }],
    });
  });

  it('accepts a declined call, and names the next step of the service', async () => {
    const { url } = await operator(({ url: at }) => ({
      status: at.endsWith('win') ? 500 : 402,
      body: '{"message":"Not enough money","code":"insufficient_funds"}',
    }));
    const bet = await call(url, 'bet');
    expect(bet.status).toBe(0);
    expect(bet.out).toContain('no refund');
    expect((await call(url, 'win', '--tx-id', TX)).out).toContain(`same txID (--tx-id ${TX})`);
  });

  it('suggests the refund of a bet that was answered too late', async () => {
    const { url } = await operator(() => 'nothing');
    const { status, out } = await call(url, 'bet', '--deadline', '200ms', '--tx-id', TX, '--round', ROUND);
    expect(status).toBe(1);
    expect(out).toContain('reply.deadline');
    expect(out).toContain(`croupier call refund --orig-tx-id ${TX} --round ${ROUND} --amount 1.00`);
  });

  it('reports an accepted call with a wrong signature', async () => {
    const { url } = await operator(accepts);
    const { status, out } = await call(url, 'bet', '--sign', 'garbage');
    expect(status).toBe(1);
    expect(out).toContain('signature.mismatch');
  });

  it('repeats the same bytes, and reports a second effect', async () => {
    const balances = ['10.00', '9.00', '8.00', '8.00', '8.00', '8.00'];
    const { url, seen } = await operator((_seen, number) => ({
      status: 200,
      body: JSON.stringify({ balance: balances[number - 1], txID: 'op-1' }),
    }));
    const { status, out } = await call(url, 'bet', '--repeat', '2', '--linger', '10ms');
    expect(status).toBe(1);
    expect(out).toMatch(/idempotency\.bet.*MUST fail/);
    expect(out).toContain('was 10.00 before the bet and is 8.00 now: -2.00');
    const bets = seen.filter(({ method }) => method === 'POST');
    expect(bets).toHaveLength(2);
    expect(bets[0]).toEqual(bets[1]);
  });

  it('does not report an earlier transaction as a bet without effect', async () => {
    const { url } = await operator(() => ({ status: 200, body: '{"balance":"10.00","txID":"op-1"}' }));
    const { status, out } = await call(url, 'bet', '--tx-id', TX, '--read', '--repeat', '2');
    expect(status).toBe(0);
    expect(out).toContain('nothing moved');
    expect(out).toContain('right only if the bet was carried out before');
  });

  it('ends with status 3 if no reply comes', async () => {
    const { status, out } = await call('http://127.0.0.1:1', 'bet');
    expect(status).toBe(3);
    expect(out).toContain('none: the connection was refused, because no program');
    expect(out).not.toContain('It is unknown');
  });

  it('ends with status 3, and accuses nobody, if the operator does not know the session', async () => {
    const { url } = await operator(() => ({ status: 404, body: '{"code":"session_not_found","message":"Unknown."}' }));
    const { status, out } = await call(url, 'bet', '--repeat', '2');
    expect(out).toContain('UNDECIDED: the operator does not know the session s-1.');
    expect([status, out]).toEqual([3, expect.not.stringContaining('fail')]);
  });

  it('ends with status 3, and accuses nobody, if the session has ended', async () => {
    const { url } = await operator(() => ({
      status: 401,
      body: '{"code":"session_expired","message":"Log in again."}',
    }));
    const { status, out } = await call(url, 'balance', '--read');
    expect(out).toContain('UNDECIDED: the operator says that the session s-1 has ended.');
    expect([status, out]).toEqual([3, expect.not.stringContaining('fail')]);
  });

  it('refuses an amount that is not a decimal, and sends it only as a raw field', async () => {
    const { url, seen } = await operator(accepts);
    const typo = await call(url, 'bet', '--amount', '2,50');
    expect([typo.status, typo.err]).toEqual([
      2,
      expect.stringContaining('--amount 2,50: write the amount as a decimal with a point, such as 2.50'),
    ]);
    expect(seen).toEqual([]);
    await call(url, 'bet', '--field', 'amount=2,50');
    expect(seen).toMatchObject([{ body: expect.stringContaining('"amount":"2,50"') as string }]);
  });

  it('prints a dry run and sends nothing', async () => {
    const { url, seen } = await operator(accepts);
    const { status, out } = await call(url, 'bet', '--dry-run', '--tx-id', TX);
    expect(status).toBe(0);
    expect(out).toContain('POST /eu/bet HTTP/1.1');
    expect(out).toMatch(/curl -sSi -X POST \S+\/eu\/bet .*X-REQUEST-SIGN/);
    const json = JSON.parse((await call(url, 'bet', '--dry-run', '--json')).out) as {
      signed: string;
      signature: string;
    };
    expect(json.signature).toBe(signBody(Buffer.from(json.signed), KEY));
    expect(seen).toEqual([]);
  });

  it.each([
    ['a field of another call', ['balance', '--amount', '1.00'], 'It has these flags: --field'],
    ['an unknown call', ['bets'], 'bets'],
    ['an unknown way to sign', ['bet', '--sign', 'nicely'], 'nicely'],
    ['the key of another client that is not configured', ['bet', '--sign', 'other-client'], 'another client'],
    ['a field without a value', ['bet', '--field', 'x'], 'name=value'],
  ])('refuses %s before anything is sent', async (_what, args, diagnostic) => {
    const { status, err } = await call('http://127.0.0.1:1', ...args);
    expect(status).toBe(2);
    expect(err).toContain(diagnostic);
  });

  it('never prints the key, and escapes the reply of the operator', async () => {
    const { url } = await operator(() => ({ status: 400, body: `{"message":"\\u001b[2J ${KEY}"}\u001b[2J` }));
    for (const args of [['bet'], ['bet', '--json'], ['bet', '--dry-run', '--field', `note=${KEY}`]]) {
      const { out, err } = await call(url, ...args);
      expect(out + err).not.toContain(KEY);
      expect(out + err).not.toContain('\u001b');
    }
  });
});

it('shows no signed call that could be sent again in the log of a pipeline', async () => {
  const { url, seen } = await operator(({ signature }) => ({
    status: 500,
    body: JSON.stringify({ message: `Error: no route for ${signature}\n    at handle (/app/wallet.js:3:7)` }),
  }));
  const env = { CROUPIER_KEY: KEY };
  const args = ['call', 'bet', '--base-url', url, '--ext-cid', 'acme', '--session', 's-1,currency=USD', '--no-lock'];
  const shown = async (more: Readonly<Record<string, string>>) =>
    (await croupier(args, { cwd, env: { ...env, ...more } })).out;
  const log = await shown({ CI: 'true' });
  const terminal = await shown({ CI: '' });
  const [first, second] = seen.map(({ signature }) => signature);
  expect(log).toContain(`${first?.slice(0, 8)}…`);
  expect(log).not.toContain(first);
  expect(log).not.toContain('curl');
  expect(terminal).toContain(`X-REQUEST-SIGN: ${second}`);
  expect(terminal).toContain('curl');
});
