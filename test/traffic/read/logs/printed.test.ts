import { describe, expect, it } from 'vitest';
import { bodyText } from '../../../../src/journal/exchange.ts';
import { exchangesIn } from '../entries-in.ts';

const BET = '{"amount":"0.29","roundID":"r-1","sessionID":"s-1","txID":"b-1","type":"regular"}';
const REPLY = '{"balance":"1000.21","txID":"w-1"}';

const logged = async (line: string) => {
  const [exchange] = await exchangesIn(`${line}\n`);
  if (!exchange) return null;
  const { request, answer, logged: fields, time } = exchange;
  return {
    at: time === null ? null : new Date(time.ms).toISOString(),
    call: fields.call,
    session: fields.session,
    sent: request.body === null || request.body === 'unknown' ? null : bodyText(request.body),
    status: answer.kind === 'reply' ? answer.status : null,
    balance: fields.balance,
    reply: answer.kind === 'reply' && answer.body ? bodyText(answer.body) : null,
  };
};

describe('a line of text with the JSON of a call', () => {
  it.each([
    ['an arrow', `[2026-11-21 21:30:05] production.INFO: bet ${BET} -> 200 ${REPLY}`],
    ['words', `2026-11-21 21:30:05 INFO 128 --- [main] c.a.Wallet : BET request=${BET} status=200 response=${REPLY}`],
    ['a path', `2026-11-21T21:30:05Z POST /eu/bet ${BET} answered 200 with ${REPLY} in 12 ms`],
  ])('is read with %s between request and reply', async (_, line) => {
    expect(await logged(line)).toMatchObject({
      at: '2026-11-21T21:30:05.000Z',
      call: 'bet',
      sent: BET,
      status: 200,
      reply: REPLY,
    });
  });

  it.each([
    ['', ' -> 200 {"ok":true}'],
    ['body=', ''],
  ])('is read if it is a call of another provider: %s{…}%s', async (before, after) => {
    const sent = '{"userId":"4711","amount":"5.00","gameRef":"g-1"}';
    const line = `2026-11-21T21:30:05Z INFO Request: POST /eu/bet ${before}${sent}${after}`;
    expect(await logged(line)).toMatchObject({ call: 'bet', sent });
  });

  it('is read if the request is a query', async () => {
    const line = '[2026-11-21 21:30:05] production.INFO: balance sessionID=s%2D1 -> 200 {"balance":"1000.50"}';
    expect(await logged(line)).toMatchObject({ call: 'balance', session: 's-1', status: 200 });
  });

  it('is read if one object has all fields', async () => {
    const line =
      '2026-11-21 21:30:05 INFO bet booked {"sessionID":"s-1","txID":"b-1","amount":"5","status":200,"balance":"95"}';
    expect(await logged(line)).toMatchObject({ call: 'bet', session: 's-1', status: 200, balance: '95' });
  });

  it('is read if monolog writes the context and its extra data as two objects', async () => {
    const context = JSON.stringify({
      uri: '/eu/bet',
      method: 'POST',
      request: JSON.parse(BET) as unknown,
      status: 200,
    });
    const line = `[2026-11-21T21:30:05.000000+00:00] wallet.INFO: call ${context} {"uid":"0000001","player":"4711"}`;
    expect(await logged(line)).toMatchObject({ at: '2026-11-21T21:30:05.000Z', sent: BET, status: 200 });
  });

  it('is read as logfmt after a level and a time', async () => {
    const line =
      '2026-11-21 21:29:58.128 INFO  wallet: op=win session=s-1 txID=b-1 amount=5.00 origTxID=- status=200 balance=95.00 took=8ms';
    expect(await logged(line)).toMatchObject({
      at: '2026-11-21T21:29:58.128Z',
      call: 'win',
      session: 's-1',
      status: 200,
      balance: '95.00',
    });
  });

  it('is not read if it names no call', async () => {
    expect(await logged(`2026-11-21 21:30:05 INFO alphabet ${BET}`)).toBeNull();
  });
});

describe('a line of text that is like an earlier line', () => {
  const AT = '2026-11-21 21:30';
  const ID = '4bf92f3577b34da6a3ce00000000270';
  const bet = (tx: string) => BET.replace('b-1', tx);

  it('is read with its own time, id and bodies', async () => {
    const lines = [1, 2, 3].flatMap((each) => [
      `${AT}:0${each},000 INFO [traceId=${ID}${each}] Request: POST /eu/bet body=${bet(`b-${each}`)}`,
      `${AT}:0${each},020 INFO [traceId=${ID}${each}] Response: 200 body={"balance":"9${each}.00"}`,
    ]);
    // The replies come in another order than the requests, so only the ids show which of them belong together.
    const [first = '', reply = '', ...others] = lines;
    const found = await exchangesIn(`${[first, ...others, reply].join('\n')}\n`);
    expect(
      found
        .map(({ time, request: { body }, answer }) => [
          new Date(time?.ms ?? 0).toISOString(),
          body === null || body === 'unknown' ? null : bodyText(body),
          answer.kind === 'reply' && answer.body ? bodyText(answer.body) : null,
        ])
        .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    ).toEqual(
      [1, 2, 3].map((each) => [`2026-11-21T21:30:0${each}.000Z`, bet(`b-${each}`), `{"balance":"9${each}.00"}`]),
    );
  });

  it.each([
    ['its status', `POST /eu/bet ${BET} -> 402 ${REPLY}`, { status: 402, reply: REPLY }],
    ['its URL', `POST /eu/win ${BET} -> 200 ${REPLY}`, { call: 'win' }],
    ['the order of its bodies', `POST /eu/bet ${REPLY} -> 200 ${BET}`, { sent: BET, reply: null }],
    ['a part of its reply', `POST /eu/bet ${BET} -> 200 {"balance":"1.00","url":"/eu/bet 500 "}`, { status: 200 }],
    [
      'a body that is cut',
      `POST /eu/bet ${BET} -> 200 {"balance":"1000.21","txI…`,
      { reply: '{"balance":"1000.21","txI…' },
    ],
    ['a body of another kind', `POST /eu/bet ${BET} -> 200 {"status":200}`, { sent: BET, reply: null }],
  ])('is read in its own way if it differs in %s', async (_, text, expected) => {
    const usual = `${AT}:05.123 INFO POST /eu/bet ${BET} -> 200 ${REPLY}`;
    expect(await logged(usual)).toMatchObject({ call: 'bet', status: 200, sent: BET, reply: REPLY });
    expect(await logged(`${AT}:06.123 INFO ${text}`)).toMatchObject(expected);
  });
});
