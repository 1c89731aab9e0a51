import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signBody } from '../../src/contract/signature.ts';
import type { Listening } from '../../src/listen/server.ts';
import { createOperator, type Operator } from '../../src/operator/operator.ts';
import type { ClientOptions, SessionOptions } from '../../src/operator/options.ts';
import { type Caller, callerOf } from './caller.ts';

const BEGUN = { txID: randomUUID(), roundID: randomUUID(), amount: '5.00' };

function session(sessionID: string, player: string, currency: string, balance: string, gameID = 'g'): SessionOptions {
  return { sessionID, player, currency, gameID, balance, state: 'active' };
}

const CLIENTS: readonly ClientOptions[] = [
  {
    extCID: 'acme-eu',
    integrationApiKey: 'key-eu',
    basePath: '/acme-eu',
    campaigns: ['spring'],
    sessions: [
      session('usd', 'p1', 'USD', '100.00'),
      session('usd-other-game', 'p1', 'USD', '100.00', 'h'),
      session('eur', 'p2', 'EUR', '100.00'),
      session('jpy', 'p2', 'JPY', '100'),
      session('btc', 'p2', 'BTC', '1.5'),
      session('rich', 'p3', 'USD', '90071992547409.93'),
      { ...session('old', 'p4', 'USD', '95.00'), state: 'expired', begun: [BEGUN] },
    ],
  },
  {
    extCID: 'acme-asia',
    integrationApiKey: 'key-asia',
    basePath: '/asia/v1/',
    campaigns: [],
    sessions: [session('usd', 'p1', 'USD', '7.00')],
  },
];

let operator: Operator;
let listening: Listening;
let eu: Caller;

beforeEach(async () => {
  operator = createOperator({ clients: CLIENTS });
  listening = await operator.start();
  eu = callerOf(`${listening.url}/acme-eu`, 'key-eu');
});
afterEach(() => listening.close(0));

const ids = () => ({ txID: randomUUID(), roundID: randomUUID() });
const good = () => ({ sessionID: 'usd', amount: '5', type: 'regular', ...ids() });
const body = () => JSON.stringify(good());
const done = (balance: string) => ({ status: 200, body: { balance, txID: expect.stringMatching(/^op-\d+$/) } });
const refused = (status: number) => ({ status, body: { message: expect.any(String) } });

describe('balance', () => {
  it('can be read with further parameters, and each client has its own', async () => {
    expect(await eu.read({ sessionID: 'usd', note: 'a+b c/é%' })).toEqual({ status: 200, body: { balance: '100.00' } });
    expect(await callerOf(`${listening.url}/asia/v1`, 'key-asia').balance('usd')).toBe('7.00');
  });

  it('can be read in an expired session', async () => {
    expect(await eu.balance('old')).toBe('95.00');
  });

  it('requires a sessionID', async () => {
    expect(await eu.read({ other: 'x' })).toEqual(refused(400));
  });
});

describe('bet', () => {
  it('takes exactly its amount, down to a balance of zero', async () => {
    expect(await eu.bet('usd', '0.29')).toEqual(done('99.71'));
    expect(await eu.bet('usd', '99.71')).toEqual(done('0.00'));
    expect(await eu.bet('usd', '0')).toEqual(done('0.00'));
    expect(await eu.balance('usd')).toBe('0.00');
  });

  it('is declined above the balance, moves nothing, and stays declined', async () => {
    const again = ids();
    const reply = await eu.bet('usd', '100.01', again);
    expect(reply).toMatchObject({ status: 402, body: { code: 'insufficient_funds', message: expect.any(String) } });
    await eu.win('usd', '50');
    expect(await eu.bet('usd', '100.01', again)).toEqual(reply);
    expect(await eu.refund('usd', again.txID, '100.01')).toEqual(done('150.00'));
  });

  it('can be made several times in a round, even after its win', async () => {
    const { roundID } = ids();
    await eu.bet('usd', '1', { roundID });
    await eu.bet('usd', '2', { roundID });
    await eu.win('usd', '4', { roundID });
    expect(await eu.bet('usd', '8', { roundID })).toEqual(done('93.00'));
  });

  it('can have the roundID of a round in another game', async () => {
    const { txID, roundID } = ids();
    await eu.bet('usd', '1', { txID, roundID });
    await eu.refund('usd', txID, '1');
    expect(await eu.win('usd', '3', { roundID })).toEqual(refused(409));
    expect(await eu.bet('usd-other-game', '2', { roundID })).toEqual(done('98.00'));
    expect(await eu.win('usd-other-game', '3', { roundID })).toEqual(done('101.00'));
  });
});

describe('win', () => {
  it('adds exactly its amount, which may be zero, and several are added in a round', async () => {
    const { roundID } = ids();
    await eu.bet('usd', '1', { roundID });
    expect(await eu.win('usd', '0', { roundID })).toEqual(done('99.00'));
    expect(await eu.win('usd', '0.1', { roundID })).toEqual(done('99.10'));
    expect(await eu.win('usd', '0.2', { roundID })).toEqual(done('99.30'));
  });

  it('is credited before its bet is known, but not in a refunded round', async () => {
    expect(await eu.win('usd', '1')).toEqual(done('101.00'));
    const gone = ids();
    await eu.bet('usd', '10', gone);
    await eu.refund('usd', gone.txID, '10');
    expect(await eu.win('usd', '5', { roundID: gone.roundID })).toEqual(refused(409));
    expect(await eu.balance('usd')).toBe('101.00');
  });

  it('that was declined can succeed later with the same txID', async () => {
    const gone = ids();
    await eu.bet('usd', '200', gone);
    const win = { txID: randomUUID(), roundID: gone.roundID };
    expect(await eu.win('usd', '5', win)).toEqual(refused(409));
    await eu.bet('usd', '1', { roundID: gone.roundID });
    expect(await eu.win('usd', '5', win)).toEqual(done('104.00'));
  });
});

describe('refund', () => {
  it('gives back one whole bet once, with or without roundID, even in a settled round', async () => {
    const [a, b] = [ids(), ids()];
    await eu.bet('usd', '1', a);
    await eu.bet('usd', '20', { txID: b.txID, roundID: a.roundID });
    await eu.win('usd', '0', { roundID: a.roundID });
    expect(await eu.refund('usd', b.txID, '3')).toEqual(done('99.00'));
    expect(await eu.refund('usd', b.txID, '20', { roundID: a.roundID })).toEqual(done('99.00'));
    expect(await eu.refund('usd', a.txID, '1', { roundID: a.roundID })).toEqual(done('100.00'));
  });

  it('of an unknown transaction, or of a win, succeeds and pays nothing', async () => {
    expect(await eu.refund('usd', randomUUID(), '5')).toEqual(done('100.00'));
    const win = ids();
    await eu.win('usd', '5', win);
    expect(await eu.refund('usd', win.txID, '5')).toEqual(done('105.00'));
  });

  it('that arrives before its bet prevents the bet from taking money', async () => {
    const late = ids();
    await eu.refund('usd', late.txID, '5', { roundID: late.roundID });
    const reply = await eu.bet('usd', '5', late);
    expect(reply).toEqual(refused(409));
    expect(await eu.bet('usd', '5', late)).toEqual(reply);
    expect(await eu.balance('usd')).toBe('100.00');
  });

  it("of another player's bet credits no player, and does not affect a later bet", async () => {
    const [placed, later] = [ids(), ids()];
    await eu.bet('usd', '5', placed);
    expect(await eu.refund('eur', placed.txID, '5')).toEqual(done('100.00'));
    expect(await eu.balance('usd')).toBe('95.00');
    await eu.refund('eur', later.txID, '5');
    expect(await eu.bet('usd', '5', later)).toEqual(done('90.00'));
    expect(await eu.refund('usd', placed.txID, '5')).toEqual(done('95.00'));
  });
});

describe('a txID that was processed', () => {
  it('gets its first reply again, even after other transactions', async () => {
    const [bet, win, refund] = [ids(), ids(), ids()];
    const send = async () => [
      await eu.bet('usd', '5', bet),
      await eu.win('usd', '7.00', { ...win, roundID: bet.roundID }),
      await eu.refund('usd', bet.txID, '5', refund),
      await eu.refund('usd', randomUUID(), '5'),
    ];
    const first = await send();
    await eu.bet('usd', '50');
    const second = await send();
    expect(second.slice(0, 3)).toEqual(first.slice(0, 3));
    expect(await eu.balance('usd')).toBe('57.00');
    expect(new Set(first.map(({ body }) => body.txID)).size).toBe(4);
  });

  it('gets its first reply even if the amount is written differently or there is an unknown field', async () => {
    const bet = ids();
    const first = await eu.bet('usd', '5', bet);
    expect(await eu.bet('usd', '5.00', { ...bet, extra: true })).toEqual(first);
  });

  it.each([
    ['amount', { amount: '6' }],
    ['session', { sessionID: 'usd-other-game' }],
    ['round', { roundID: randomUUID() }],
  ])('with another %s is a conflict that moves nothing', async (_what, change) => {
    const bet = ids();
    await eu.bet('usd', '5', bet);
    const said = { sessionID: 'usd', amount: '5', ...bet, ...change };
    expect(await eu.bet(said.sessionID, said.amount, said)).toEqual(refused(409));
    expect(await eu.balance('usd')).toBe('95.00');
  });

  it('in another call is a conflict that moves nothing', async () => {
    const bet = ids();
    await eu.bet('usd', '5', bet);
    expect(await eu.win('usd', '5', bet)).toEqual(refused(409));
    expect(await eu.balance('usd')).toBe('95.00');
  });
});

describe('calls at once', () => {
  it('of one txID have one effect and one reply', async () => {
    for (const call of [eu.bet, eu.win]) {
      const same = ids();
      const replies = await Promise.all(Array.from({ length: 50 }, () => call('usd', '3', same)));
      for (const reply of replies) expect(reply).toEqual(replies[0]);
    }
    expect(await eu.balance('usd')).toBe('100.00');
  });

  it('never take more than the balance', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => eu.bet('usd', '30')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await eu.balance('usd')).toBe('10.00');
  });

  it('all take effect', async () => {
    const calls = Array.from({ length: 40 }, (_, n) => (n % 2 ? eu.bet('usd', '1') : eu.win('usd-other-game', '0.01')));
    for (const reply of await Promise.all(calls)) expect(reply.status).toBe(200);
    expect(operator.balanceOf('acme-eu', 'p1', 'USD')).toBe('80.20');
    const moved = operator.transactionsOf('acme-eu').map((transaction) => transaction.moved);
    expect(moved.reduce((sum, part) => sum + part, 0n)).toBe(-500n - 1980n);
  });
});

describe('signatures', () => {
  it.each([
    ['missing', null],
    ['empty', ''],
    ['garbage', 'f'.repeat(64)],
    ['not hexadecimal', 'please'],
  ])('that are %s are refused, and the txID can still be used', async (_what, signature) => {
    for (const call of ['bet', 'win', 'refund']) expect(await eu.post(call, body(), signature)).toEqual(refused(401));
    const bytes = body();
    await eu.post('bet', bytes, signature);
    expect(await eu.post('bet', bytes)).toEqual(done('95.00'));
  });

  it("made with another client's key are refused", async () => {
    const bytes = body();
    expect(await eu.post('bet', bytes, signBody(Buffer.from(bytes), 'key-asia'))).toEqual(refused(401));
    expect(await callerOf(`${listening.url}/acme-eu`, 'key-asia').read({ sessionID: 'usd' })).toEqual(refused(401));
  });

  it('cover the bytes of the body in any format', async () => {
    const text = JSON.stringify({ ...JSON.parse(body()), note: '/ é 😀 <>&\u2028' }, null, 2);
    expect(await eu.post('bet', text)).toEqual(done('95.00'));
    expect(await eu.post('bet', `${text} `, signBody(Buffer.from(text), 'key-eu'))).toEqual(refused(401));
  });
});

describe('money', () => {
  it('has no decimals in JPY', async () => {
    expect(await eu.bet('jpy', '1')).toEqual(done('99'));
    expect(await eu.bet('jpy', '0.5')).toEqual(refused(400));
    expect(await eu.bet('jpy', '1.0')).toEqual(refused(400));
  });

  it('has as many decimals as needed in BTC', async () => {
    expect(await eu.bet('btc', '0.000000000000000001')).toEqual(done('1.499999999999999999'));
    expect(await eu.win('btc', '0.500000000000000001')).toEqual(done('2'));
  });

  it('stays exact beyond 2^53 of the smallest unit', async () => {
    expect(await eu.win('rich', '90071992547409.93')).toEqual(done('180143985094819.86'));
    expect(await eu.win('rich', '99999999999999999999.99')).toEqual(done('100000180143985094819.85'));
  });
});

describe('sessions', () => {
  it('that were never issued are not found, but their refunds succeed with the same reply each time', async () => {
    const unknown = { status: 404, body: { code: 'session_not_found', message: expect.any(String) } };
    expect(await eu.read({ sessionID: 'none' })).toEqual(unknown);
    expect(await eu.bet('none', '1')).toEqual(unknown);
    expect(await eu.win('none', '1')).toEqual(unknown);
    const [original, refund] = [randomUUID(), ids()];
    const first = await eu.refund('none', original, '1', refund);
    expect(first).toEqual(done('0'));
    expect(await eu.refund('none', original, '1', refund)).toEqual(first);
  });

  it('that expired refuse new rounds, and settle rounds that began in time', async () => {
    const expired = { status: 403, body: { code: 'session_expired', message: expect.any(String) } };
    expect(await eu.bet('old', '1')).toEqual(expired);
    expect(await eu.bet('old', '1', { type: 'free', frID: 'spring' })).toEqual(expired);
    expect(await eu.win('old', '1')).toEqual(expired);
    expect(await eu.win('old', '0')).toEqual(done('95.00'));
    expect(await eu.win('old', '10', { roundID: BEGUN.roundID })).toEqual(done('105.00'));
    expect(await eu.refund('old', BEGUN.txID, BEGUN.amount)).toEqual(done('110.00'));
  });
});

describe('free rounds', () => {
  const free = { type: 'free', frID: 'spring' };

  it('take and add nothing, and are paid once with the withdrawal', async () => {
    await eu.bet('usd', '100');
    const [bet, withdrawal] = [ids(), ids()];
    expect(await eu.bet('usd', '1', { ...free, ...bet })).toEqual(done('0.00'));
    expect(await eu.win('usd', '3', { ...free, roundID: bet.roundID })).toEqual(done('0.00'));
    const paid = await eu.win('usd', '3', { frID: 'spring', ...withdrawal });
    expect(paid).toEqual(done('3.00'));
    expect(await eu.win('usd', '3', { frID: 'spring', ...withdrawal })).toEqual(paid);
    expect(await eu.refund('usd', bet.txID, '1')).toEqual(done('3.00'));
  });

  it('of an unknown campaign are refused', async () => {
    for (const call of [eu.bet, eu.win]) {
      expect(await call('usd', '1', { type: 'free', frID: 'autumn' })).toEqual(refused(404));
      expect(await call('usd', '1', { type: 'free' })).toEqual(refused(400));
    }
  });
});

describe('bad requests', () => {
  it.each([
    ['invalid JSON', '{"a":'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an array', '[]'],
    ['no bytes', ''],
  ])('with %s in the body get 400', async (_what, body) => {
    for (const call of ['bet', 'win', 'refund']) expect(await eu.post(call, body)).toEqual(refused(400));
  });

  it.each(['sessionID', 'txID', 'amount', 'roundID'])('without %s get 400 and move nothing', async (field) => {
    const body = JSON.stringify({ ...good(), [field]: undefined });
    expect(await eu.post('bet', body)).toEqual(refused(400));
    expect(await eu.post('win', body)).toEqual(refused(400));
    expect(await eu.balance('usd')).toBe('100.00');
  });

  it.each(['-1.00', '1e0', '1.001', '1.000', '01', '.5', '1.', '+1', '1,00', '0x10', '', ' 1'])(
    'with the amount %j get 400 and move nothing',
    async (amount) => {
      expect(await eu.bet('usd', amount)).toEqual(refused(400));
      expect(await eu.win('usd', amount)).toEqual(refused(400));
      expect(await eu.refund('usd', randomUUID(), amount)).toEqual(refused(400));
      expect(await eu.balance('usd')).toBe('100.00');
    },
  );

  it('with another path or method get a JSON error', async () => {
    expect(await eu.post('cashout', '{}')).toEqual(refused(404));
    expect(await eu.post('balance', '{}')).toEqual(refused(405));
  });
});

describe('createOperator', () => {
  const one = CLIENTS[0] as ClientOptions;

  it.each([
    ['one ExtCID twice', [one, { ...one, basePath: '/b' }], 'two clients have the ExtCID acme-eu'],
    ['one base path twice', [one, { ...one, extCID: 'b' }], 'two handlers for GET /acme-eu/balance'],
    [
      'two balances of one wallet',
      [{ ...one, sessions: [session('a', 'p', 'USD', '1'), session('b', 'p', 'USD', '2')] }],
      'session b: another session gives p a different balance in USD',
    ],
    ['a currency that is not known', [{ ...one, sessions: [session('a', 'p', 'XXX', '1')] }], 'XXX is not a currency'],
    [
      'a balance with a fraction of a yen',
      [{ ...one, sessions: [session('a', 'p', 'JPY', '1.5')] }],
      '"1.5" is not a valid amount in JPY',
    ],
  ])('refuses %s', (_what, clients, message) => {
    expect(() => createOperator({ clients })).toThrow(message);
  });

  it('can answer requests without a port', async () => {
    const portless = createOperator({ clients: [one] });
    const reply = await portless.handle({
      method: 'GET',
      path: '/acme-eu/balance',
      query: '',
      headers: [],
      body: new Uint8Array(),
    });
    expect(reply.status).toBe(401);
    expect(portless.balanceOf('acme-eu', 'p1', 'USD')).toBe('100.00');
    expect(portless.balanceOf('acme-eu', 'p1', 'JPY')).toBeUndefined();
    portless.close();
  });
});
