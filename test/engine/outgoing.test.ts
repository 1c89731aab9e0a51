import { describe, expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { signBody } from '../../src/contract/signature.ts';
import { headerName, outgoingOf } from '../../src/engine/outgoing.ts';
import type { Value } from '../../src/scenario/evaluate.ts';
import type { CallStep, Plan } from '../../src/scenario/plan.ts';
import { planOf } from '../judge/story-builder.ts';
import { KEY } from './operator-server.ts';

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
  it('hold what the step says, with amounts in the decimals of the currency, at the address of the client', () => {
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

  it('are signed as a whole', () => {
    const { request } = made('{ bet: }');
    expect(request.headers.find(([name]) => name === 'X-REQUEST-SIGN')?.[1]).toBe(
      signBody(request.body ?? Buffer.alloc(0), KEY),
    );
  });

  it('are signed after what is set and before what is tampered with', () => {
    const set = made('{ bet: , body: { set: { extra: x } }, expect: either }').request;
    expect(Buffer.from(set.body ?? []).toString()).toContain('"extra":"x"');
    expect(set.headers.find(([name]) => name === 'X-REQUEST-SIGN')?.[1]).toBe(signBody(set.payload, KEY));
    expect(set.payload).toEqual(set.body);
    const tampered = made('{ bet: , tamper: { body: { amount: "2.00" } }, expect: refused }');
    expect(Buffer.from(tampered.request.body ?? []).toString()).toContain('"amount":"2.00"');
    expect(Buffer.from(tampered.request.payload).toString()).toContain('"amount":"1.00"');
  });

  it('tell the amount that is really sent', () => {
    expect(made('{ bet: , body: { set: { amount: "7.00" } }, expect: either }').amount?.toString()).toBe('7');
    expect(made('{ bet: , body: { set: { amount: [] } }, expect: either }').amount).toBeUndefined();
  });

  it('sort a query unless its order is the twist', () => {
    const { request } = made('{ balance: , query: { add: { aaa: "1" } }, expect: accepted }');
    expect(request.url).toBe('http://operator.test/eu/balance?aaa=1&sessionID=s1');
    const reversed = made('{ balance: , query: { add: { aaa: "1" }, order: reversed }, expect: accepted }');
    expect(reversed.request.url).toBe('http://operator.test/eu/balance?sessionID=s1&aaa=1');
  });
});

it('writes the header of the signature in the letter case that is asked for', () => {
  expect((['lower', 'upper', 'mixed'] as const).map(headerName)).toEqual([
    'x-request-sign',
    'X-REQUEST-SIGN',
    'X-Request-Sign',
  ]);
});
