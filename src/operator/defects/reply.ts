import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../contract/call-name.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../defect.ts';
import { callOf, rewriting, rewritingFields, rewritingSuccess, textOf, withHeader } from './rewriting.ts';

/** Replies to one call come after the deadline. */
function slow(right: Behaviour, call: CallName, deadlineMs: number): Partial<Behaviour> {
  return {
    receive: async (request, answer) => {
      const reply = await right.receive(request, answer);
      if (callOf(request) === call) await sleep(deadlineMs * 1.2);
      return reply;
    },
  };
}

export const REPLY_DEFECTS: readonly Defect[] = [
  {
    name: 'gzip-not-zipped',
    breaks: ['reply.json'],
    description: 'The reply to a win says Content-Encoding: gzip, but its body is plain JSON that nobody can unzip.',
    change: (right) => ({
      deliver: (reply, request) =>
        callOf(request) === 'win' && reply.status === 200
          ? withHeader(reply, 'Content-Encoding', 'gzip')
          : right.deliver(reply, request),
    }),
  },
  {
    name: 'status-201',
    breaks: ['reply.success-is-200'],
    description: 'Bets, wins and refunds are answered 201 Created, which the service takes for an error.',
    change: (right) =>
      rewritingSuccess(right, (reply, request) => (callOf(request) === 'balance' ? reply : { ...reply, status: 201 })),
  },
  {
    name: 'status-204-on-win',
    breaks: ['reply.success-is-200'],
    mayBreak: [
      'idempotency.win',
      'win.retried',
      'free-rounds.win',
      'free-rounds.withdrawal',
      'win.zero',
      'signature.accepted',
      'win.credit',
      'reply.json',
      'reply.tx-id',
    ],
    description: 'Wins are answered 204 without a body, which the service takes for an error.',
    change: (right) =>
      rewritingSuccess(right, (reply, request) =>
        callOf(request) === 'win' ? { status: 204, headers: [], body: '' } : reply,
      ),
  },
  {
    name: 'slow-win',
    breaks: ['reply.deadline'],
    mayBreak: ['win.credit', 'win.zero', 'idempotency.win'],
    description:
      'Wins are credited, but the reply takes longer than 5 seconds, so the service sends them again and again.',
    change: (right, { deadlineMs }) => slow(right, 'win', deadlineMs),
  },
  {
    name: 'slow-balance',
    breaks: ['reply.deadline'],
    mayBreak: ['balance.read'],
    description: 'Games don’t load: a balance call takes longer than 5 seconds.',
    change: (right, { deadlineMs }) => slow(right, 'balance', deadlineMs),
  },
  {
    name: 'slow-refund',
    breaks: ['reply.deadline'],
    mayBreak: ['refund.unknown', 'refund.restore', 'idempotency.refund'],
    description:
      'Refunds are carried out, but the reply takes longer than 5 seconds, so the service sends them again and again.',
    change: (right, { deadlineMs }) => slow(right, 'refund', deadlineMs),
  },
  {
    name: 'dripping-body',
    breaks: ['reply.deadline'],
    mayBreak: ['win.credit', 'win.zero', 'idempotency.win'],
    description: 'The headers of a win’s reply come at once, and its body drips for longer than 5 seconds.',
    change: (right, { deadlineMs }) =>
      rewritingSuccess(right, (reply, request) => {
        const text = textOf(reply);
        return callOf(request) === 'win' ? { ...reply, body: dripping(text, (deadlineMs * 1.2) / text.length) } : reply;
      }),
  },
  {
    name: 'json-bom',
    breaks: ['reply.json'],
    description: 'Replies can’t be parsed: they begin with a byte order mark.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: `\uFEFF${textOf(reply)}` })),
  },
  {
    name: 'json-array',
    breaks: ['reply.json'],
    mayBreak: ['balance.read', 'refund.unknown', 'reply.tx-id'],
    description: 'Replies are JSON arrays with the object in them.',
    change: (right) => rewritingFields(right, (fields) => [fields]),
  },
  {
    name: 'json-duplicate-keys',
    breaks: ['reply.json'],
    description: 'Replies have the field balance twice, with two values: which one counts depends on the parser.',
    change: (right) =>
      rewritingSuccess(right, (reply) => ({ ...reply, body: textOf(reply).replace('{', '{"balance":"0.00",') })),
  },
  {
    name: 'json-trailing-text',
    breaks: ['reply.json'],
    mayBreak: ['balance.read'],
    description: 'Replies can’t be parsed: a debug line follows the JSON.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: `${textOf(reply)}\n<!-- 3 ms -->` })),
  },
  {
    name: 'json-twice-encoded',
    breaks: ['reply.json'],
    mayBreak: ['balance.read', 'refund.unknown', 'reply.tx-id'],
    description: 'Replies are JSON strings that hold JSON: they are encoded twice.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: JSON.stringify(textOf(reply)) })),
  },
  {
    name: 'json-utf-16',
    breaks: ['reply.json'],
    mayBreak: ['balance.read', 'reply.content-type'],
    description: 'Replies can’t be parsed: they are in UTF-16.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: Buffer.from(textOf(reply), 'utf16le') })),
  },
  {
    name: 'content-type-html',
    breaks: ['reply.content-type'],
    description: 'Replies are JSON, but say that they are HTML.',
    change: (right) => rewriting(right, (reply) => withHeader(reply, 'Content-Type', 'text/html; charset=utf-8')),
  },
  {
    name: 'content-type-missing',
    breaks: ['reply.content-type'],
    description: 'Replies don’t say what they are: they have no Content-Type.',
    change: (right) =>
      rewriting(right, (reply) => ({
        ...reply,
        headers: reply.headers.filter(([name]) => name.toLowerCase() !== 'content-type'),
      })),
  },
];

async function* dripping(text: string, gapMs: number): AsyncGenerator<string> {
  for (const character of text) {
    yield character;
    await sleep(gapMs);
  }
}
