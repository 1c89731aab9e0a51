import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { signBody } from '../../../src/contract/signature.ts';
import { headerName, outgoingOf } from '../../../src/engine/calls/outbox.ts';
import type { Value } from '../../../src/scenario/expressions/evaluate.ts';
import type { CallStep, Plan } from '../../../src/scenario/plan/plan.ts';
import { planOf } from '../../judge/judged-scenario.ts';
import { KEY, operatorServer, ran, scenarioOf } from '../operator-server.ts';

/** The bodies and signatures of the received bets, in their order. */
async function betsOf(steps: string) {
  const bets: { readonly body: string; readonly sign: string | undefined }[] = [];
  const { url } = await operatorServer(({ call, fields, request }, tell) => {
    const sign = request.headers['x-request-sign'];
    if (call === 'bet' && fields?.amount !== undefined)
      bets.push({ body: JSON.stringify(fields), sign: typeof sign === 'string' ? sign : undefined });
    return tell();
  });
  await ran(url, [scenarioOf('a/b', `rules: [balance.read]\nsteps: ${steps}`)], { deadlineMs: 2000 });
  return bets;
}

describe('a call that is sent again', () => {
  it('a repeated call has the same bytes and the same signature', async () => {
    const [first, again] = await betsOf('[{ bet: { amount: "3.00" }, as: first }, { resend: first }]');
    expect(again).toEqual(first);
  });

  it('a repeated call keeps its amount after the balance has changed', async () => {
    const [first, again] = await betsOf('[{ bet: { amount: "${balance - stake}" }, as: first }, { resend: first }]');
    expect(again?.body).toBe(first?.body);
  });

  it('a repeated call is signed as its own step says', async () => {
    const [first, again] = await betsOf(
      '[{ bet: { amount: "3.00" }, as: first, sign: garbage, expect: refused }, { resend: first, sign: valid }]',
    );
    expect(again?.body).toBe(first?.body);
    expect(first?.sign).not.toBe(again?.sign);
    expect(again?.sign).toBe(signBody(Buffer.from(again?.body ?? ''), KEY));
  });

  it('a repeated call is tampered with only if its own step says so', async () => {
    const [first, again] = await betsOf(
      '[{ bet: { amount: "3.00" }, as: first, tamper: { body: { amount: "4.00" } }, expect: refused }, { resend: first, sign: valid }]',
    );
    expect([first?.body, again?.body].map((body) => /"amount":"([^"]+)"/.exec(body ?? '')?.[1])).toEqual([
      '4.00',
      '3.00',
    ]);
  });
});

it('a read with a wrong signature leaves the signatures of the other reads right', async () => {
  const signs: unknown[] = [];
  const { url } = await operatorServer(({ call, request }, tell) => {
    if (call === 'balance') signs.push(request.headers['x-request-sign']);
    return tell();
  });
  const steps = '[{ balance: }, { balance: , sign: malformed, expect: refused }, { balance: }]';
  await ran(url, [scenarioOf('a/b', `rules: [balance.read]\nsteps: ${steps}`)], { deadlineMs: 2000 });
  const wrong = signs.indexOf('not-a-signature');
  expect(wrong).toBeGreaterThan(0);
  expect(new Set(signs)).toEqual(new Set([signs[0], 'not-a-signature']));
  expect(signs[wrong + 1]).toBe(signs[0]);
});

it('a bet with a negative amount is not sent', async () => {
  expect(await betsOf('[{ bet: { amount: "${balance - 200 * stake}" } }]')).toEqual([]);
});

const CLIENT = {
  extCID: 'acme',
  integratorBaseUrl: 'http://operator.test/eu',
  integrationApiKey: KEY,
  otherClientKey: 'other-key',
  paths: { bet: 'place-bet' },
  headers: { 'X-Gateway': 'staging' },
  sessions: [],
  wire: {},
};

const NAMES: Readonly<Record<string, Value>> = { stake: Money.of('1'), unit: Money.of('0.01') };

function callOf({ steps }: Plan): CallStep {
  const [step] = steps;
  if (step?.kind !== 'call') throw new Error('the first step is no call');
  return step;
}

function made(step: string) {
  const call = callOf(planOf(`rules: [bet.debit]\nsteps: [${step}]`));
  return outgoingOf(call, 's1', CLIENT, { decimals: 2, name: ([first = '']) => NAMES[first] });
}

const bodyOf = (step: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(made(step).request.body ?? []).toString()) as Record<string, unknown>;

describe('the bytes of a call', () => {
  it('a call has the fields of its step, amounts in the decimals of the currency, and the address of the client', () => {
    const { request, amount } = made('{ bet: { amount: "${3 * stake}" } }');
    expect(request.url).toBe('http://operator.test/eu/place-bet');
    expect(bodyOf('{ bet: { amount: "${3 * stake}" } }')).toMatchObject({
      sessionID: 's1',
      amount: '3.00',
      type: 'regular',
    });
    expect(amount?.toString()).toBe('3');
    expect(request.headers).toContainEqual(['X-Gateway', 'staging']);
  });

  it('the signature covers the whole body', () => {
    const { request } = made('{ bet: }');
    expect(request.headers.find(([name]) => name === 'X-REQUEST-SIGN')?.[1]).toBe(
      signBody(request.body ?? Buffer.alloc(0), KEY),
    );
  });

  it('a call is signed after fields are set and before it is tampered with', () => {
    const set = made('{ bet: , body: { set: { extra: x } }, expect: either }').request;
    expect(Buffer.from(set.body ?? []).toString()).toContain('"extra":"x"');
    expect(set.headers.find(([name]) => name === 'X-REQUEST-SIGN')?.[1]).toBe(signBody(set.payload, KEY));
    expect(set.payload).toEqual(set.body);
    const tampered = made('{ bet: , tamper: { body: { amount: "2.00" } }, expect: refused }');
    expect(Buffer.from(tampered.request.body ?? []).toString()).toContain('"amount":"2.00"');
    expect(Buffer.from(tampered.request.payload).toString()).toContain('"amount":"1.00"');
  });

  it('the plain amount is the one that is really sent', () => {
    expect(made('{ bet: , body: { set: { amount: "7.00" } }, expect: either }').amount?.toString()).toBe('7');
    expect(made('{ bet: , body: { set: { amount: [] } }, expect: either }').amount).toBeUndefined();
  });

  it('a query is sorted unless the step changes its order on purpose', () => {
    const { request } = made('{ balance: , query: { add: { aaa: "1" } }, expect: accepted }');
    expect(request.url).toBe('http://operator.test/eu/balance?aaa=1&sessionID=s1');
    const reversed = made('{ balance: , query: { add: { aaa: "1" }, order: reversed }, expect: accepted }');
    expect(reversed.request.url).toBe('http://operator.test/eu/balance?sessionID=s1&aaa=1');
  });
});

it('the signature header is written in the letter case of the step', () => {
  expect((['lower', 'upper', 'mixed'] as const).map(headerName)).toEqual([
    'x-request-sign',
    'X-REQUEST-SIGN',
    'X-Request-Sign',
  ]);
});
