import { describe, expect, it } from 'vitest';
import { bodyText } from '../../../src/journal/exchange.ts';
import { exchangesIn } from '../reading.ts';

const BET = '{"amount":"0.29","roundID":"r-1","sessionID":"s-1","txID":"b-1","type":"regular"}';
const REPLY = '{"balance":"1000.21","txID":"w-1"}';

const told = async (line: string) => {
  const [exchange] = await exchangesIn(`${line}\n`);
  if (!exchange) return null;
  const { request, answer, told: fields, time } = exchange;
  return {
    at: time === null ? null : new Date(time.ms).toISOString(),
    call: fields.call,
    session: fields.session,
    sent: request.body === null || request.body === 'untold' ? null : bodyText(request.body),
    status: answer.kind === 'reply' ? answer.status : null,
    balance: fields.balance,
    reply: answer.kind === 'reply' && answer.body ? bodyText(answer.body) : null,
  };
};

describe('lines that programs print as they like', () => {
  it.each([
    ['an arrow', `[2026-11-21 21:30:05] production.INFO: bet ${BET} -> 200 ${REPLY}`],
    ['words', `2026-11-21 21:30:05 INFO 128 --- [main] c.a.Wallet : BET request=${BET} status=200 response=${REPLY}`],
    ['a path', `2026-11-21T21:30:05Z POST /eu/bet ${BET} answered 200 with ${REPLY} in 12 ms`],
  ])('with %s between request and reply', async (_, line) => {
    expect(await told(line)).toMatchObject({
      at: '2026-11-21T21:30:05.000Z',
      call: 'bet',
      sent: BET,
      status: 200,
      reply: REPLY,
    });
  });

  it('with a query for the request', async () => {
    const line = '[2026-11-21 21:30:05] production.INFO: balance sessionID=s%2D1 -> 200 {"balance":"1000.50"}';
    expect(await told(line)).toMatchObject({ call: 'balance', session: 's-1', status: 200 });
  });

  it('with all fields beside each other', async () => {
    const line =
      '2026-11-21 21:30:05 INFO bet booked {"sessionID":"s-1","txID":"b-1","amount":"5","status":200,"balance":"95"}';
    expect(await told(line)).toMatchObject({ call: 'bet', session: 's-1', status: 200, balance: '95' });
  });

  it('with names and values behind the level and the time', async () => {
    const line =
      '2026-11-21 21:29:58.128 INFO  wallet: op=win session=s-1 txID=b-1 amount=5.00 origTxID=- status=200 balance=95.00 took=8ms';
    expect(await told(line)).toMatchObject({
      at: '2026-11-21T21:29:58.128Z',
      call: 'win',
      session: 's-1',
      status: 200,
      balance: '95.00',
    });
  });

  it('and not where no call is named', async () => {
    expect(await told(`2026-11-21 21:30:05 INFO alphabet ${BET}`)).toBeNull();
  });
});

describe('JSON lines', () => {
  it('may call bodies request and response, and have who it is about in an object of its own', async () => {
    const line = JSON.stringify({
      '@timestamp': '2026-11-21T20:29:59Z',
      message: 'BET processed',
      mdc: { sessionId: 's-1', playerId: 'p-4711' },
      operation: 'bet',
      request: BET,
      status: 200,
      response: REPLY,
    });
    expect(await told(line)).toMatchObject({ call: 'bet', session: 's-1', sent: BET, reply: REPLY });
    expect((await exchangesIn(line))[0]?.told.player).toBe('p-4711');
  });

  it('may name their action otherwise than the call', async () => {
    const line = JSON.stringify({ action: 'http.request', op: 'bet', sessionID: 's-1', txID: 'b-1', amount: '5' });
    expect(await told(line)).toMatchObject({ call: 'bet', session: 's-1' });
  });
});
