import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import { currencyByCode } from '../../src/contract/currencies.ts';
import type { JsonValue } from '../../src/contract/json.ts';
import { answerOfReply } from '../../src/reply/classify.ts';
import { describeProblem, problemsOf, type ReplyRule, verdictOn, verdictOnTime } from '../../src/reply/problems.ts';
import { readReply } from '../../src/reply/read.ts';
import { bodyOf } from '../judge/judged-scenario.ts';

interface Replied {
  readonly call?: CallName;
  readonly status?: number;
  readonly body?: JsonValue;
  readonly type?: string | null | undefined;
  readonly currency?: string;
  readonly isBetKnown?: boolean;
}

const GOOD = { balance: '12.50', txID: 'op-1' };

function replied(given: Replied) {
  const { call = 'bet', status = 200, body = GOOD, currency = 'USD', isBetKnown = false } = given;
  const reading = readReply({ status, headers: [], body: bodyOf(body) });
  const contentType = 'type' in given ? given.type : 'application/json';
  const answer = answerOfReply(call, status, reading);
  return { call, status, reading, answer, contentType, currency: currencyByCode(currency), isBetKnown };
}

/** Each problem as `kind rule`. */
const problems = (given: Replied): readonly string[] =>
  problemsOf(replied(given)).map(([rule, { kind }]) => `${kind} ${rule}`);

const POOR = { code: 'insufficient_funds', message: 'Not enough money.' };

describe('A reply', () => {
  it.each<[string, Replied, readonly string[]]>([
    ['with a good body', {}, []],
    ['that declines with a code and a message', { status: 402, body: POOR }, []],
    ['with 201', { status: 201 }, ['breach reply.success-is-200']],
    ['with 204 and no body', { status: 204, body: '', type: undefined }, ['breach reply.success-is-200']],
    ['that redirects', { status: 302, body: '' }, ['breach reply.success-is-200']],
    ['with 200 and an error', { body: POOR }, ['breach reply.error-is-not-200']],
    ['that is HTML', { body: '<html>' }, ['breach reply.json']],
    ['with a name twice', { body: '{"balance":"1","balance":"1","txID":"a"}' }, ['breach reply.json']],
    ['of another media type', { type: 'text/html' }, ['breach reply.content-type']],
    ['without a `Content-Type`', { type: undefined }, ['breach reply.content-type']],
    ['with unknown headers', { type: null }, []],
    ['without `txID`', { body: { balance: '1' } }, ['breach reply.tx-id']],
    ['with `txID` null', { body: { balance: '1', txID: null } }, ['breach reply.tx-id']],
    ['with a number as `txID`', { body: { balance: '1', txID: 7 } }, ['warning reply.tx-id']],
    ['with a number as `balance`', { body: { ...GOOD, balance: 12.5 } }, ['breach money.decimal-string']],
    ['with a currency mark', { body: { ...GOOD, balance: '$12.50' } }, ['breach money.decimal-string']],
    ['with a `balance` that is not an amount', { body: { ...GOOD, balance: null } }, ['breach money.decimal-string']],
    ['to a bet without `balance`', { body: { txID: 'a' } }, ['breach money.decimal-string']],
    ['to a refund without `balance`', { call: 'refund', body: { txID: 'a' } }, []],
    ['to a read without `balance`', { call: 'balance', body: {} }, ['breach balance.read']],
    ['to a read', { call: 'balance', body: { balance: '1' } }, []],
    ['without a message', { status: 402, body: { code: 'insufficient_funds' } }, ['warning reply.error-message']],
    ['whose message is a number', { status: 402, body: { ...POOR, message: 1 } }, ['warning reply.error-message']],
    ['that shows SQL', { status: 400, body: { message: 'SELECT a FROM b' } }, ['breach reply.error-message']],
    ['with a code of its own', { status: 402, body: { ...POOR, code: 'poor' } }, ['note reply.error-code']],
    ['with 401 and a message', { status: 401, body: { message: 'No.' } }, []],
    ['with 401 and no message', { status: 401, body: {} }, ['breach signature.message']],
    ['with 401 and no JSON', { status: 401, body: 'No.' }, ['breach signature.message']],
  ])('%s has exactly the problems of the broken rules', (_, given, expected) => {
    expect(problems(given)).toEqual(expected);
  });

  it('with an unknown body is judged by its status alone', () => {
    expect(problemsOf({ ...replied({ status: 201 }), reading: null }).map(([rule]) => rule)).toEqual([
      'reply.success-is-200',
    ]);
  });

  it('is described in one sentence with the expected and the actual reply', () => {
    const [[, problem] = []] = problemsOf(replied({ status: 201 }));
    expect(problem && describeProblem(problem)).toBe('expected a call that succeeds is answered 200; answered 201');
  });
});

describe('A refund answered with an empty `txID`', () => {
  const empty = { call: 'refund', body: { balance: '1', txID: '' } } as const;

  it('breaks the contract if the operator carried out the bet', () => {
    expect(problems({ ...empty, isBetKnown: true })).toEqual(['breach reply.tx-id']);
  });

  it('is a warning if the bet is unknown', () => {
    expect(problems({ ...empty, isBetKnown: false })).toEqual(['warning reply.tx-id']);
  });

  it.each(['bet', 'win'] as const)('is a breach if the call is a %s, which always has an id of its own', (call) => {
    expect(problems({ ...empty, call, isBetKnown: false })).toEqual(['breach reply.tx-id']);
  });
});

describe('Too many decimals in a balance', () => {
  it.each([
    ['break the contract if it gives the limit of two', 'USD', '12.345', ['breach money.precision']],
    [
      'break the contract in the currencies that it names as having no decimals',
      'JPY',
      '12.5',
      ['breach money.precision'],
    ],
    ['are a warning if the limit is only a position', 'CLP', '12.5', ['warning money.precision']],
    ['are a warning if they are zeros', 'USD', '12.500', ['warning money.precision']],
    ['are a warning if they are zeros of a currency without decimals', 'JPY', '12.00', ['warning money.precision']],
    ['are not judged if the currency has no limit', 'BTC', '0.123456789', []],
    ['are not judged if the currency is unknown', 'XYZ', '0.123456789', []],
  ])('%s (%s %s)', (_, currency, balance, expected) => {
    expect(problems({ currency, body: { balance, txID: 'a' } })).toEqual(expected);
  });
});

describe('The `Content-Type`', () => {
  it.each([
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['Application/JSON;charset="UTF-8"', true],
    ['application/vnd.acme+json', true],
    ['text/html', false],
    ['application/json; charset=iso-8859-1', false],
    [undefined, false],
  ] as const)('of a reply (%s) says JSON: %s', (type, isRight) => {
    expect(verdictOn('reply.content-type', replied({ type })) === 'pass').toBe(isRight);
  });
});

describe('A rule', () => {
  it.each<[ReplyRule, Replied]>([
    ['reply.json', { status: 402, body: POOR }],
    ['reply.tx-id', { call: 'balance' }],
    ['balance.read', {}],
    ['money.precision', { status: 402, body: POOR }],
    ['reply.error-message', {}],
    ['signature.message', { status: 402, body: POOR }],
  ])('(%s) has no verdict on a reply to which it does not apply', (rule, given) => {
    expect(verdictOn(rule, replied(given))).toBeUndefined();
  });
});

describe('The deadline', () => {
  it.each([
    [true, 4999, 'pass'],
    [true, 5000, 'pass'],
    [true, 5200, 'the reply took 5.20 s'],
    [true, null, undefined],
    [false, null, 'the reply was not complete by then'],
  ] as const)('of a reply (complete: %s, after %s ms) has the verdict: %s', (isWhole, tookMs, expected) => {
    const verdict = verdictOnTime(isWhole, tookMs, 5000);
    expect(typeof verdict === 'object' ? verdict.actual : verdict).toBe(expected);
  });
});
