import { expect, it } from 'vitest';
import type { Reply } from '../../src/journal/exchange.ts';
import { UnusualReplies } from '../../src/load/unusual-replies.ts';
import { type JudgedReply, problemsOf } from '../../src/reply/problems.ts';
import { readOnce } from '../../src/reply/read.ts';

const JSON_HEAD: Reply['headers'] = [['Content-Type', 'application/json']];
const TEXT_HEAD: Reply['headers'] = [['Content-Type', 'text/plain']];

function reply(status: number, data: string, headers: Reply['headers']): Reply {
  return { status, headers, body: { encoding: 'utf8', data, length: data.length, truncated: false } };
}

const REPLIES: readonly Reply[] = [
  reply(402, '{"code":"insufficient_funds","message":"no money"}', JSON_HEAD),
  reply(402, '{"code":"insufficient_funds","message":"no money"}', TEXT_HEAD),
  reply(500, '{"code":"insufficient_funds","message":"no money"}', JSON_HEAD),
  reply(402, '{"code":7}', JSON_HEAD),
  reply(503, 'at Wallet.book (/srv/app/wallet.js:7:3)', TEXT_HEAD),
  reply(200, '{"balance":"1.005"}', JSON_HEAD),
  { ...reply(402, '{"code":7}', JSON_HEAD), excessBytes: 3 },
  reply(404, `{"code":7,"message":"${'x'.repeat(3000)}"}`, JSON_HEAD),
];

function judged(call: JudgedReply['call'], isBetKnown: boolean, reading: ReturnType<typeof readOnce>): JudgedReply {
  const { status, contentType } = reading;
  const answer = status === 200 ? 'accepted' : status === 500 ? 'failed' : 'declined';
  return { call, answer, status, reading, contentType, currency: undefined, isBetKnown };
}

it('each reply has the same problems as without kept replies, also when it comes again', () => {
  const replies = new UnusualReplies();
  for (const _ of ['first', 'again', 'a third time']) {
    for (const one of REPLIES) {
      for (const call of ['bet', 'refund', 'balance'] as const) {
        for (const isBetKnown of [false, true]) {
          const reading = replies.read(one);
          expect(reading).toEqual(readOnce(one));
          expect(replies.problemsOf(judged(call, isBetKnown, reading))).toEqual(
            problemsOf(judged(call, isBetKnown, readOnce(one))),
          );
        }
      }
    }
  }
});

it('an error that comes again is read and judged only once, and a success, which never comes again, is not kept', () => {
  const replies = new UnusualReplies();
  const [declined] = REPLIES as [Reply];
  const success = reply(200, '{"balance":"1.005"}', JSON_HEAD);
  const [first, firstSuccess] = [replies.read(declined), replies.read(success)];
  expect(replies.read(success)).not.toBe(firstSuccess);
  expect(replies.read({ ...declined })).toBe(first);
  const problems = replies.problemsOf(judged('bet', false, first));
  expect(replies.problemsOf(judged('bet', false, replies.read(declined)))).toBe(problems);
});

it('only some errors are kept, so an operator with an own text in each error fills no memory', () => {
  const replies = new UnusualReplies();
  const [declined] = REPLIES as [Reply];
  const first = replies.read(declined);
  for (let at = 0; at < 1000; at += 1) replies.read(reply(402, `{"code":"declined-${at}"}`, JSON_HEAD));
  expect(replies.read(declined)).not.toBe(first);
});
