import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { signBody, signQuery } from '../../src/contract/signature.ts';
import type { Listening } from '../../src/listen/server.ts';
import { defectByName } from '../../src/operator/defects.ts';
import { createOperator, type Operator } from '../../src/operator/operator.ts';
import type { ClientOptions } from '../../src/operator/options.ts';
import { variantByName } from '../../src/operator/variants.ts';
import { behaviourWith, type Scale, type Variation } from '../../src/operator/variation.ts';
import { type Answer, type Caller, callerOf } from './caller.ts';

const KEY = 'key';
const SCALE = { deadlineMs: 200 };

const CLIENTS: readonly ClientOptions[] = [
  {
    extCID: 'acme',
    integrationApiKey: KEY,
    basePath: '',
    campaigns: ['spring'],
    sessions: [
      { sessionID: 'usd', player: 'p1', currency: 'USD', gameID: 'g', balance: '100.00', state: 'active' },
      { sessionID: 'other', player: 'p2', currency: 'USD', gameID: 'g', balance: '100.00', state: 'active' },
      { sessionID: 'jpy', player: 'p3', currency: 'JPY', gameID: 'g', balance: '90', state: 'active' },
      { sessionID: 'btc', player: 'p3', currency: 'BTC', gameID: 'g', balance: '1.5', state: 'active' },
      { sessionID: 'rich', player: 'p4', currency: 'USD', gameID: 'g', balance: '1000000.00', state: 'active' },
      { sessionID: 'old', player: 'p5', currency: 'USD', gameID: 'g', balance: '5.00', state: 'expired' },
    ],
  },
];

const open: Listening[] = [];
afterEach(() => Promise.all(open.splice(0).map((listening) => listening.close(0))));

interface Running {
  readonly url: string;
  readonly operator: Operator;
  readonly caller: Caller;
}

function start(...names: readonly string[]): Promise<Running> {
  return startAt(SCALE, ...names);
}

async function startAt(scale: Scale, ...names: readonly string[]): Promise<Running> {
  const variations = names.map((name): Variation => {
    const found = variantByName(name) ?? defectByName(name);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  });
  const faults: unknown[] = [];
  const operator = createOperator(
    { clients: CLIENTS, onFault: (error) => faults.push(error) },
    behaviourWith(variations, scale),
  );
  const listening = await operator.start();
  open.push({
    url: listening.url,
    close: async () => {
      await listening.close(0);
      expect(faults).toEqual([]);
    },
  });
  return { url: listening.url, operator, caller: callerOf(listening.url, KEY) };
}

interface Raw {
  readonly head: string;
  readonly body: Buffer;
}

/** Sends a signed GET /balance and returns the bytes of the reply, until the connection is closed. */
function rawBalance(
  url: string,
  headers: readonly string[] = ['Connection: close'],
  query = 'sessionID=usd',
): Promise<Raw> {
  const sign = signQuery([...new URLSearchParams(query)], KEY);
  const lines = [`GET /balance?${query} HTTP/1.1`, 'Host: x', `X-REQUEST-SIGN: ${sign}`, ...headers, '', ''];
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(lines.join('\r\n'))).setNoDelay(true);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n', all.lastIndexOf(' 200 OK'));
      resolve({ head: all.subarray(0, end).toString('latin1'), body: all.subarray(end + 4) });
    });
  });
}

/** Sends a signed GET /balance and returns the decoded reply. */
function balanceOver(url: string): Promise<Response> {
  return fetch(`${url}/balance?sessionID=usd`, {
    headers: { 'X-REQUEST-SIGN': signQuery([['sessionID', 'usd']], KEY) },
  });
}

const ids = () => ({ txID: randomUUID(), roundID: randomUUID() });

/** One or two variants of each kind. `croupier selftest` plays all of them. */
const SAMPLE = [
  'chunked',
  'keep-alive-closed-at-once',
  'escaped-text',
  'insufficient-funds-500',
  'busy-now-and-then',
  'bets-fail-though-taken',
  'current-balance-on-replay',
  'tx-id-with-round',
  'jittered-replies',
];

describe.each(SAMPLE)('the variant %s', (name) => {
  it('keeps balances right in bets, wins and refunds that are repeated until they succeed', async () => {
    const { caller, operator } = await start(name);
    // Some variants decline some calls or close connections, and the service repeats such calls.
    const until200 = async (call: () => Promise<Answer>): Promise<Answer> => {
      for (let tries = 0; tries < 10; tries += 1) {
        const answer = await call().catch(() => undefined);
        if (answer?.status === 200) return answer;
      }
      throw new Error('never answered 200');
    };
    const round = ids();
    await until200(() => caller.bet('usd', '10.00', round));
    expect(operator.balanceOf('acme', 'p1', 'USD')).toBe('90.00');
    const win = { txID: randomUUID(), roundID: round.roundID };
    await until200(() => caller.win('usd', '25.50', win));
    const lost = ids();
    await until200(() => caller.bet('usd', '5', lost));
    const refund = { txID: randomUUID(), roundID: lost.roundID };
    await until200(() => caller.refund('usd', lost.txID, '5', refund));
    await until200(() => caller.refund('usd', lost.txID, '5', refund));
    expect(operator.balanceOf('acme', 'p1', 'USD')).toBe('115.50');
    const read = await until200(() => caller.read({ sessionID: 'usd' }));
    expect(Number(read.body.balance)).toBe(115.5);
    await until200(() => caller.refund('usd', randomUUID(), '5'));
    expect(operator.balanceOf('acme', 'p1', 'USD')).toBe('115.50');
  });
});

describe('a reply is sent', () => {
  it.each([
    ['gzip', 'gzip', gunzipSync],
    ['deflate', 'deflate', inflateSync],
    ['brotli', 'br', brotliDecompressSync],
    ['zstd', 'zstd', zstdDecompressSync],
  ] as const)('compressed by the variant %s, unless the caller refuses it', async (name, coding, decompress) => {
    const { url } = await start(name);
    const { head, body } = await rawBalance(url);
    expect(head).toContain(`\r\nContent-Encoding: ${coding}\r\n`);
    expect(decompress(body).toString()).toBe('{"balance":"100.00"}');
    for (const refusal of ['identity', `${coding};q=0, *`, '']) {
      const plain = await rawBalance(url, ['Connection: close', `Accept-Encoding: ${refusal}`]);
      expect(plain.head).not.toMatch(/content-encoding/i);
    }
    const wanted = await rawBalance(url, ['Connection: close', `Accept-Encoding: other, ${coding};q=0.5`]);
    expect(wanted.head).toContain(coding);
  });

  it.each([
    ['http-1.0', /^HTTP\/1\.0 200 OK/],
    ['connection-close', /\r\nConnection: close/],
    ['keep-alive-short', /\r\nConnection: keep-alive/],
    ['keep-alive-closed-at-once', /\r\nConnection: keep-alive/],
    ['interim-replies', /^HTTP\/1\.1 100 .*HTTP\/1\.1 102 .*HTTP\/1\.1 103 .*HTTP\/1\.1 200 /s],
    ['headers-in-lower-case', /\r\ncontent-type: application/],
    ['headers-in-upper-case', /\r\nCONTENT-TYPE: application/],
    ['gateway-headers', /(\r\nSet-Cookie: [^\r]*){2}/],
    ['content-type-bare', /\r\nContent-Type: application\/json(\r\n|$)/],
    ['content-type-quoted', /\r\ncontent-type: Application\/JSON ; profile=wallet;charset="UTF-8"/],
    ['content-type-suffix', /\r\nContent-Type: application\/vnd\.acme\.wallet\+json/],
  ])('%s', async (name, pattern) => {
    const { url } = await start(name);
    // Some variants must close the connection themselves. For the others, the request asks for it.
    const ends = ['http-1.0', 'connection-close', 'keep-alive-short', 'keep-alive-closed-at-once'].includes(name);
    const { head, body } = await rawBalance(url, ends ? [] : ['Connection: close']);
    expect(head).toMatch(pattern);
    expect(body.toString()).toContain('{"balance":"100.00"}');
  });

  it('until the connection is closed, with the variant body-until-close', async () => {
    const { head, body } = await rawBalance((await start('body-until-close')).url, []);
    expect(head).not.toMatch(/content-length|transfer-encoding/i);
    expect(body.toString()).toBe('{"balance":"100.00"}');
  });

  it('in pieces with a Content-Length, with the variant flushed-in-pieces', async () => {
    const { head, body } = await rawBalance((await start('flushed-in-pieces')).url);
    expect(head).toContain('Content-Length: 20');
    expect(body.toString()).toBe('{"balance":"100.00"}');
  });

  it('in chunks, with the variant chunked', async () => {
    const { head, body } = await rawBalance((await start('chunked')).url);
    expect(head).toMatch(/\r\nTransfer-Encoding: chunked/);
    expect(body.toString()).toBe('7\r\n{"balan\r\n7\r\nce":"10\r\n6\r\n0.00"}\r\n0\r\n\r\n');
  });

  it.each([[['chunked', 'gzip', 'pretty-printed']], [['pretty-printed', 'gzip', 'chunked']]])(
    'with several variants at once, in any order: %j',
    async (names) => {
      const { url } = await start(...names);
      const reply = await balanceOver(url);
      expect(reply.headers.get('content-encoding')).toBe('gzip');
      expect(reply.headers.get('transfer-encoding')).toBe('chunked');
      expect(await reply.text()).toBe('\r\n{\r\n\t"balance": "100.00"\r\n} \n\n');
    },
  );

  it('with a variant together with a defect', async () => {
    const { url } = await start('gzip', 'other-key-order', 'json-bom');
    const reply = await balanceOver(url);
    expect(reply.headers.get('content-encoding')).toBe('gzip');
    expect(
      Buffer.from(await reply.arrayBuffer())
        .subarray(0, 4)
        .toString('hex'),
    ).toBe('efbbbf7b');
  });
});

describe('the form of replies', () => {
  const text = async (name: string): Promise<string> => (await balanceOver((await start(name)).url)).text();

  it('can change while their content stays the same', async () => {
    expect(await text('pretty-printed')).toBe('\r\n{\r\n\t"balance": "100.00"\r\n} \n\n');
    expect(await text('further-fields')).toMatch(/^\{"currency".*"balance":"100.00"\}$/s);
    expect(await text('success-says-so')).toBe(
      '{"code":0,"message":"Success","error":null,"success":true,"balance":"100.00"}',
    );
    expect(await text('escaped-text')).toBe(
      '{"balance":"100.00","player":"Zo\\u00eb \\/ \\u00d1and\\u00fa \\ud83c\\udfb0"}',
    );
  });

  it('can have fields in another order', async () => {
    const { caller } = await start('other-key-order');
    expect(Object.keys((await caller.bet('usd', '1')).body)).toEqual(['txID', 'balance']);
  });

  it('can have balances with more or fewer zeros', async () => {
    const balances = async (name: string) => {
      const { caller } = await start(name);
      return Promise.all(['usd', 'jpy', 'btc'].map((session) => caller.balance(session)));
    };
    expect(await balances('balance-trimmed')).toEqual(['100', '90', '1.5']);
    expect(await balances('balance-padded')).toEqual(['100.00', '90', '1.500000000000000000']);
    expect(await balances('yen-with-zeros')).toEqual(['100.00', '90.00', '1.5']);
  });

  it.each([
    ['tx-id-digits', /^\d{30,}$/],
    ['tx-id-uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/],
    ['tx-id-long', /^.{3000,}$/],
  ])('can have another form of txID: %s', async (name, pattern) => {
    const { caller } = await start(name);
    const [bet, other] = [ids(), ids()];
    const first = await caller.bet('usd', '1', bet);
    expect(first.body.txID).toMatch(pattern);
    expect((await caller.bet('usd', '1', bet)).body).toEqual(first.body);
    expect((await caller.bet('usd', '1', other)).body.txID).not.toBe(first.body.txID);
  });

  it('can differ for refunds of unknown transactions', async () => {
    const refund = async (name: string) => (await start(name)).caller.refund('usd', randomUUID(), '1');
    expect(await refund('unknown-refund-empty-tx-id')).toEqual({ status: 200, body: { balance: '0', txID: '' } });
    expect(await refund('unknown-refund-balance-zero')).toEqual({ status: 200, body: { balance: '0', txID: 'none' } });
  });

  it('can differ for declined calls', async () => {
    const decline = async (name: string) => (await start(name)).caller.bet('usd', '100.01');
    const full = { code: 'insufficient_funds', message: expect.any(String) as string };
    expect(await decline('debug-details')).toMatchObject({
      status: 402,
      body: { ...full, details: { sql: expect.any(String) as string } },
    });
    expect(await decline('codes-of-our-own')).toMatchObject({ status: 402, body: { ...full, errorCode: 4711 } });
    expect(await decline('declines-say-all')).toMatchObject({ status: 402, body: { ...full, balance: '0.00' } });
    expect((await decline('messages-in-other-words')).body.message).toContain('Solde < mise');
    expect((await decline('declines-without-message')).body).toEqual({ code: 'insufficient_funds' });
    const { caller } = await start('declines-without-message');
    expect((await caller.post('bet', '{}', 'wrong')).body.message).toEqual(expect.any(String));
  });
});

describe('variants of declining', () => {
  it.each([400, 403, 409, 422, 500])('answer a bet above the balance with %i', async (status) => {
    const { caller } = await start(`insufficient-funds-${status}`);
    expect(await caller.bet('usd', '100.01')).toMatchObject({ status, body: { code: 'insufficient_funds' } });
    expect(await caller.balance('usd')).toBe('100.00');
  });

  it('answer calls in unknown and expired sessions with other statuses and codes', async () => {
    const other = await start('session-unknown-400');
    expect(await other.caller.bet('nobody', '1')).toMatchObject({ status: 400, body: { code: 'session_expired' } });
    expect(await other.caller.bet('old', '1')).toMatchObject({ status: 409, body: { code: 'session_expired' } });
    const unauthorised = await start('session-unknown-401');
    expect((await unauthorised.caller.bet('nobody', '1')).status).toBe(401);
    const refund = await start('session-unknown-refund-404');
    expect((await refund.caller.refund('nobody', randomUUID(), '1')).status).toBe(404);
    expect((await refund.caller.refund('usd', randomUUID(), '1')).status).toBe(200);
  });

  it('accept bets in an expired session, or refuse to show its balance', async () => {
    expect((await (await start('sessions-never-expire')).caller.bet('old', '1')).status).toBe(200);
    const { caller } = await start('expired-balance-refused');
    expect(await caller.read({ sessionID: 'old' })).toMatchObject({ status: 403, body: { code: 'session_expired' } });
    expect(await caller.balance('usd')).toBe('100.00');
  });

  it.each([
    ['schema-errors-401', 401],
    ['schema-errors-422', 422],
  ])('answer calls that cannot be read with another status: %s', async (name, status) => {
    const { caller } = await start(name);
    expect(await caller.post('bet', '{')).toMatchObject({ status, body: { message: expect.any(String) as string } });
    expect((await caller.post('bet', '{}', 'wrong')).status).toBe(401);
  });

  it('decline bets and wins outside limits of the operator', async () => {
    const bets = await start('bet-limit');
    expect(await bets.caller.bet('rich', '250.01')).toMatchObject({ status: 403, body: { code: 'bet_limit' } });
    expect((await bets.caller.bet('rich', '250')).status).toBe(200);
    const wins = await start('win-limit');
    expect((await wins.caller.win('rich', '100000.01')).status).toBe(422);
    expect((await wins.caller.win('rich', '100000')).status).toBe(200);
    expect((await (await start('zero-bet-refused')).caller.bet('usd', '0')).status).toBe(400);
  });

  it('decline bets and wins in rounds that are over for the operator', async () => {
    const roundID = randomUUID();
    const inRound = () => ({ txID: randomUUID(), roundID });
    const play = async (name: string, ...calls: readonly ('bet' | 'win')[]) => {
      const { caller } = await start(name);
      const statuses: number[] = [];
      for (const call of calls) statuses.push((await caller[call]('usd', '1', inRound())).status);
      return statuses;
    };
    expect(await play('second-bet-refused', 'bet', 'bet', 'win')).toEqual([200, 409, 200]);
    expect(await play('second-win-refused', 'bet', 'win', 'win')).toEqual([200, 200, 409]);
    expect(await play('bet-after-win-refused', 'bet', 'bet', 'win', 'bet')).toEqual([200, 200, 200, 409]);
    expect(await play('win-needs-bet', 'win', 'bet', 'win')).toEqual([404, 200, 200]);
  });

  it('decline refunds that the operator does not expect', async () => {
    const refused = async (name: string, play: (caller: Caller) => Promise<Answer>) =>
      (await play((await start(name)).caller)).status;
    expect(
      await refused('refund-after-win-refused', async (caller) => {
        const bet = ids();
        await caller.bet('usd', '1', bet);
        await caller.win('usd', '1', { roundID: bet.roundID });
        return caller.refund('usd', bet.txID, '1');
      }),
    ).toBe(409);
    expect(
      await refused('refund-of-win-refused', async (caller) => {
        const win = ids();
        await caller.win('usd', '1', win);
        return caller.refund('usd', win.txID, '1');
      }),
    ).toBe(409);
    expect(
      await refused('refund-amount-checked', async (caller) => {
        const bet = ids();
        await caller.bet('usd', '1', bet);
        return caller.refund('usd', bet.txID, '2');
      }),
    ).toBe(409);
    expect(
      await refused('bet-after-refund-refused', async (caller) => {
        const bet = ids();
        await caller.bet('usd', '1', bet);
        await caller.refund('usd', bet.txID, '1', { roundID: bet.roundID });
        return caller.bet('usd', '1', { roundID: bet.roundID });
      }),
    ).toBe(409);
    expect(
      await refused('foreign-refund-refused', async (caller) => {
        const bet = ids();
        await caller.bet('usd', '1', bet);
        return caller.refund('other', bet.txID, '1');
      }),
    ).toBe(403);
  });

  it('decline every Nth call without a reason in the call', async () => {
    const busy = await start('busy-now-and-then');
    const statuses = [];
    for (let call = 0; call < 46; call += 1) statuses.push((await busy.caller.read({ sessionID: 'usd' })).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    const { url } = await start('gateway-503-now-and-then');
    const pages = [];
    for (let call = 0; call < 23; call += 1) pages.push(await balanceOver(url));
    expect(pages.at(-1)?.status).toBe(503);
    expect(pages.at(-1)?.headers.get('content-type')).toBe('text/html');
  });
});

describe('variants with failures', () => {
  const often = async (name: string, call: 'bet' | 'win', times: number) => {
    const { caller } = await start(name);
    const sent = [];
    for (let number = 0; number < times; number += 1) {
      const bet = ids();
      if (call === 'win') await caller.bet('usd', '1', bet);
      const fields = call === 'bet' ? bet : { ...bet, txID: randomUUID() };
      sent.push({ fields, answer: await caller[call]('usd', '1', fields) });
    }
    const failed = sent.filter(({ answer }) => answer.status === 500);
    const [first] = failed;
    if (!first) throw new Error('none failed');
    return { caller, count: failed.length, fields: first.fields, balance: await caller.balance('usd') };
  };

  it('answer some bets with 500, with or without taking them', async () => {
    const none = await often('bets-fail-now-and-then', 'bet', 26);
    expect([none.count, none.balance]).toEqual([2, '76.00']);
    const taken = await often('bets-fail-though-taken', 'bet', 19);
    expect([taken.count, taken.balance]).toEqual([1, '81.00']);
    await taken.caller.refund('usd', taken.fields.txID, '1', { roundID: taken.fields.roundID });
    expect(await taken.caller.balance('usd')).toBe('82.00');
  });

  it('answer some wins with 500, and credit each once when it is sent again', async () => {
    for (const [name, before] of [
      ['wins-fail-now-and-then', '99.00'],
      ['wins-fail-though-credited', '100.00'],
    ] as const) {
      const { caller, count, fields, balance } = await often(name, 'win', 11);
      expect([count, balance]).toEqual([1, before]);
      for (let times = 0; times < 2; times += 1) expect((await caller.win('usd', '1', fields)).status).toBe(200);
      expect(await caller.balance('usd')).toBe('100.00');
    }
  });

  it('decline a refund soon after its bet', async () => {
    const scale = { deadlineMs: 10_000 };
    const { caller } = await startAt(scale, 'refund-waits');
    const bet = ids();
    await caller.bet('usd', '1', bet);
    const refund = { txID: randomUUID(), roundID: bet.roundID };
    expect((await caller.refund('usd', bet.txID, '1', refund)).status).toBe(409);
    await sleep(scale.deadlineMs * 0.04);
    expect((await caller.refund('usd', bet.txID, '1', refund)).body.balance).toBe('100.00');
  });
});

describe('variants of bookkeeping', () => {
  it('answer a replay with the current balance', async () => {
    const { caller } = await start('current-balance-on-replay');
    const bet = ids();
    const first = await caller.bet('usd', '1', bet);
    await caller.bet('usd', '2');
    expect((await caller.bet('usd', '1', bet)).body).toEqual({ ...first.body, balance: '97.00' });
  });

  it('mark the reply to a replay', async () => {
    const { caller } = await start('replay-marked');
    const bet = ids();
    const first = await caller.bet('usd', '1', bet);
    await caller.bet('usd', '2');
    expect((await caller.bet('usd', '1', bet)).body).toEqual({ duplicate: true, txID: first.body.txID, balance: '99' });
  });

  it('answer a used txID with its first reply, or identify transactions by txID and round or call', async () => {
    const again = async (name: string, call: 'bet' | 'win', change: object) => {
      const { caller } = await start(name);
      const bet = ids();
      const first = await caller.bet('usd', '1', bet);
      const second = await caller[call]('usd', '2', { ...bet, ...change });
      return {
        second: second.status,
        same: first.body.txID === second.body.txID,
        balance: await caller.balance('usd'),
      };
    };
    expect(await again('first-reply-whatever-the-body', 'bet', {})).toEqual({
      second: 200,
      same: true,
      balance: '99.00',
    });
    const otherRound = { roundID: randomUUID() };
    expect(await again('tx-id-with-round', 'bet', otherRound)).toEqual({ second: 200, same: false, balance: '97.00' });
    expect(await again('tx-id-with-round', 'bet', {})).toMatchObject({ second: 409, balance: '99.00' });
    expect(await again('tx-id-with-call', 'win', {})).toEqual({ second: 200, same: false, balance: '101.00' });
  });

  it('forget bets that were declined', async () => {
    const { caller } = await start('declined-bets-forgotten');
    const bet = ids();
    expect((await caller.bet('usd', '101', bet)).status).toBe(402);
    await caller.win('usd', '10');
    expect((await caller.bet('usd', '101', bet)).status).toBe(200);
  });

  it('answer a bet after its refund with 200, or pay a win after it', async () => {
    const late = await start('late-bet-200');
    const bet = ids();
    await late.caller.refund('usd', bet.txID, '1');
    const first = await late.caller.bet('usd', '1', bet);
    expect(first).toEqual({ status: 200, body: { txID: expect.any(String) as string, balance: '100.00' } });
    expect(await late.caller.bet('usd', '1', bet)).toEqual(first);
    const declining = await start('refunded-bet-409');
    expect((await declining.caller.bet('usd', '1', bet)).status).toBe(200);
    expect((await declining.caller.bet('usd', '1', bet)).status).toBe(200);
    await declining.caller.refund('usd', bet.txID, '1');
    expect((await declining.caller.bet('usd', '1', bet)).status).toBe(409);
    const paid = await start('win-after-refund-paid');
    await paid.caller.bet('usd', '1', bet);
    await paid.caller.refund('usd', bet.txID, '1');
    expect((await paid.caller.win('usd', '5', { roundID: bet.roundID })).body.balance).toBe('105.00');
  });

  it('charge free bets, or pay free wins at once', async () => {
    const free = { type: 'free', frID: 'spring' };
    const balances = async (name: string) => {
      const { caller } = await start(name);
      const bet = await caller.bet('usd', '1', free);
      const win = await caller.win('usd', '5', free);
      const bonus = await caller.win('usd', '5', { frID: 'spring' });
      return [bet, win, bonus].map(({ body }) => body.balance);
    };
    expect(await balances('free-bets-cost')).toEqual(['99.00', '99.00', '104.00']);
    expect(await balances('free-wins-paid-at-once')).toEqual(['100.00', '105.00', '105.00']);
  });

  it("answer a refund with the bet's txID, or pay a refund to the owner of the bet", async () => {
    const named = await start('refund-names-bet');
    const bet = ids();
    const taken = await named.caller.bet('usd', '1', bet);
    expect((await named.caller.refund('usd', bet.txID, '1')).body.txID).toBe(taken.body.txID);
    const owner = await start('foreign-refund-pays-owner');
    await owner.caller.bet('usd', '1', bet);
    expect((await owner.caller.refund('other', bet.txID, '1')).body.balance).toBe('100.00');
    expect(await owner.caller.balance('usd')).toBe('100.00');
    expect((await owner.caller.refund('other', bet.txID, '1')).status).toBe(200);
    expect(await owner.caller.balance('usd')).toBe('100.00');
  });

  it('accept signatures over the canonical form, or in upper case', async () => {
    const body = JSON.stringify({ sessionID: 'usd', amount: '1', type: 'regular', ...ids() }, null, 2);
    const canonical = JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(body) as object).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    const { caller } = await start('signature-over-canonical-form');
    expect((await caller.post('bet', body)).status).toBe(401);
    expect((await caller.post('bet', body, signBody(Buffer.from(canonical), KEY))).status).toBe(200);
    const any = await start('signature-in-any-case');
    expect((await any.caller.post('bet', body, signBody(Buffer.from(body), KEY).toUpperCase())).status).toBe(200);
  });
});

describe('variants of timing', () => {
  it('answer a duplicate of a call in progress with 409, and later with the stored reply', async () => {
    const { caller } = await start('duplicate-in-flight-409');
    const twice = async () => {
      const bet = ids();
      return { bet, both: await Promise.all([caller.bet('usd', '1', bet), caller.bet('usd', '1', bet)]) };
    };
    // On a busy machine, the second call may arrive when the first one has ended. Then it gets the stored reply.
    let { bet, both } = await twice();
    for (let times = 1; times < 20 && both.every(({ status }) => status === 200); times += 1)
      ({ bet, both } = await twice());
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await caller.bet('usd', '1', bet)).toEqual(both.find(({ status }) => status === 200));
  });

  it.each([
    ['player-lock'],
    ['one-call-at-a-time'],
    ['balance-read-after-commit'],
    ['jittered-replies'],
    ['queued-calls'],
  ])('take all bets that arrive at once: %s', async (name) => {
    const { caller, operator } = await start(name);
    const all = await Promise.all(Array.from({ length: 6 }, () => caller.bet('usd', '1')));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    expect(operator.balanceOf('acme', 'p1', 'USD')).toBe('94.00');
  });

  it('show changes of other calls in the balance of a reply', async () => {
    const { caller } = await start('balance-read-after-commit');
    const bet = ids();
    const all = await Promise.all([caller.bet('usd', '1', bet), caller.bet('usd', '2')]);
    expect(all.map(({ body }) => body.balance)).toContain('97.00');
    const first = all[0];
    await caller.bet('usd', '4');
    expect(await caller.bet('usd', '1', bet)).toEqual(first);
  });

  it('carry out a call later, or not at all, if its caller has closed the connection', async () => {
    const leave = async (name: string) => {
      const { url, operator } = await start(name);
      const body = JSON.stringify({ sessionID: 'usd', amount: '1', type: 'regular', ...ids() });
      const { hostname, port } = new URL(url);
      const head = `POST /bet HTTP/1.1\r\nHost: x\r\nX-REQUEST-SIGN: ${signBody(Buffer.from(body), KEY)}\r\nContent-Length: ${body.length}\r\n\r\n`;
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () =>
          socket.write(head + body, () => {
            socket.destroy();
            resolve();
          }),
        );
      });
      return () => operator.balanceOf('acme', 'p1', 'USD');
    };
    await expect.poll(await leave('queued-calls'), { timeout: 10_000 }).toBe('99.00');
    const balance = await leave('abandoned-calls-dropped');
    await sleep(60);
    expect(balance()).toBe('100.00');
  });
});
