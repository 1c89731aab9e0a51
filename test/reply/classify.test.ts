import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import type { JsonValue } from '../../src/contract/json.ts';
import { NO_REPLY_REASONS, type NoReplyReason, type Outcome } from '../../src/journal/exchange.ts';
import {
  type Answer,
  answerOf,
  answerOfReply,
  mayHaveArrived,
  mayHaveBeenProcessed,
} from '../../src/reply/classify.ts';
import { readReply } from '../../src/reply/read.ts';
import { bodyOf } from '../judge/judged-scenario.ts';

const withoutReply = (reason: NoReplyReason): Answer =>
  answerOf({ call: 'bet', outcome: { kind: 'none', reason, detail: '' } }, undefined);

const answered = (call: CallName, status: number, body: JsonValue): Answer => {
  const reply = { status, headers: [], body: bodyOf(body) };
  return answerOf({ call, outcome: { kind: 'reply', reply } }, readReply(reply));
};

describe('A call with a reply', () => {
  it.each([
    ['bet', 200, { balance: '1', txID: 'a' }, 'accepted'],
    ['bet', 201, { balance: '1', txID: 'a' }, 'accepted'],
    ['bet', 200, '<html>', 'accepted'],
    ['bet', 200, { balance: '1', txID: 'a', message: 'Good luck' }, 'accepted'],
    ['bet', 200, { message: 'No' }, 'error-200'],
    ['bet', 200, { balance: '1', code: 'insufficient_funds' }, 'error-200'],
    ['balance', 200, { error: 'gone' }, 'error-200'],
    ['refund', 200, { txID: 'a', message: 'done' }, 'accepted'],
    ['bet', 401, {}, 'refused'],
    ['bet', 302, {}, 'failed'],
    ['bet', 402, {}, 'declined'],
    ['bet', 409, {}, 'declined'],
    ['bet', 429, {}, 'declined'],
    ['bet', 501, {}, 'declined'],
    ['bet', 500, {}, 'failed'],
  ] as const)('(a %s answered %i with %j) is %s', (call, status, body, expected) => {
    expect(answered(call, status, body)).toBe(expected);
  });

  it('is classified by its status if its body is unknown', () => {
    expect(answerOfReply('bet', 200, null)).toBe('accepted');
    expect(answerOfReply('bet', 402, null)).toBe('declined');
  });
});

describe('A call without a reply', () => {
  it('is late, broken by croupier, or lost for every other transport error', () => {
    expect(withoutReply('too-late')).toBe('late');
    expect(withoutReply('broken')).toBe('broken');
    const others = NO_REPLY_REASONS.filter((reason) => reason !== 'too-late' && reason !== 'broken');
    expect(new Set(others.map(withoutReply))).toEqual(new Set(['lost']));
  });

  it('can only have arrived if there was a connection', () => {
    const outcome: Outcome = { kind: 'none', reason: 'refused', detail: '' };
    expect(mayHaveArrived({ outcome, connection: null })).toBe(false);
    expect(mayHaveArrived({ outcome: { ...outcome, reason: 'reset' }, connection: { id: 1, reused: false } })).toBe(
      true,
    );
  });
});

describe('A bet answered 502, 503 or 504', () => {
  it.each([502, 503, 504])('(%i) is declined by the contract: a conforming operator has taken nothing', (status) => {
    expect(answered('bet', status, {})).toBe('declined');
  });

  it.each([502, 503, 504])(
    '(%i) may have been processed behind the gateway, for code that restores money',
    (status) => {
      expect(mayHaveBeenProcessed('declined', status)).toBe(true);
    },
  );
});

describe('mayHaveBeenProcessed', () => {
  it.each([
    ['accepted', 200, false],
    ['error-200', 200, false],
    ['refused', 401, false],
    ['declined', 402, false],
    ['declined', 409, false],
    ['declined', 429, false],
    ['declined', 520, true],
    ['failed', 500, true],
    ['failed', 302, true],
    ['late', undefined, true],
    ['broken', undefined, true],
    ['lost', undefined, true],
  ] as const)('says for a call that was %s (status %s): %s', (answer, status, expected) => {
    expect(mayHaveBeenProcessed(answer, status)).toBe(expected);
  });
});
