import { expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import type { JsonValue } from '../../src/contract/json.ts';
import { type Exchange, NO_REPLY_REASONS, type NoReplyReason } from '../../src/journal/exchange.ts';
import { answerOf, mayHaveArrived } from '../../src/judge/answer.ts';
import { readReply } from '../../src/judge/reading.ts';
import { bodyOf } from './story-builder.ts';

const told = (reason: NoReplyReason) => answerOf(exchange('bet', { kind: 'none', reason, detail: '' }), undefined);

function exchange(call: CallName, outcome: Exchange['outcome'], connected = true): Exchange {
  return {
    id: 'x1',
    call,
    outcome,
    connection: connected ? { id: 1, reused: false } : null,
    request: { method: 'POST', url: 'http://operator.test', headers: [], body: null },
    stamps: { start: 0, resolved: null, connected: 0, secured: null, sent: 0, firstByte: 1, end: 1 },
  };
}

const answered = (call: CallName, status: number, body: JsonValue): string => {
  const reply = { status, headers: [], body: bodyOf(body) };
  return answerOf(exchange(call, { kind: 'reply', reply }), readReply(reply));
};

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
  ['bet', 503, {}, 'declined'],
  ['bet', 500, {}, 'failed'],
] as const)('%s answered %i %j is %s', (call, status, body, expected) => {
  expect(answered(call, status, body)).toBe(expected);
});

it('takes every reason of transport for a call that was lost, and no reason for a pass or a refusal', () => {
  expect(told('too-late')).toBe('late');
  expect(told('broken')).toBe('broken');
  const others = NO_REPLY_REASONS.filter((reason) => reason !== 'too-late' && reason !== 'broken');
  expect(new Set(others.map(told))).toEqual(new Set(['lost']));
});

it('knows that without a connection nothing has arrived', () => {
  const none = { kind: 'none', reason: 'refused', detail: '' } as const;
  expect(mayHaveArrived(exchange('bet', none, false))).toBe(false);
  expect(mayHaveArrived(exchange('bet', { ...none, reason: 'reset' }))).toBe(true);
});
