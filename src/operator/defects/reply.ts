import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../contract/call-name.ts';
import { REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import type { ListenReply } from '../../listen/message.ts';
import type { Behaviour } from '../behaviour.ts';
import { bodyOf, callOf, rewriting, rewritingFields, rewritingSuccess, textOf, withHeader } from '../rewriting.ts';
import type { Defect } from '../variation.ts';
import { slowNowAndThen } from './changed-steps.ts';

/** Sends the replies to one call after the deadline. */
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
    description:
      'The reply to a win says Content-Encoding: gzip, but its body is plain JSON, which cannot be decompressed.',
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
    description: 'Bets, wins and refunds are answered 201 Created, which counts as an error.',
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
      'win.zero',
      'signature.accepted',
      'win.credit',
      'reply.json',
      'reply.tx-id',
    ],
    description: 'Wins are answered 204 without a body, which counts as an error.',
    change: (right) =>
      rewritingSuccess(right, (reply, request) =>
        callOf(request) === 'win' ? { status: 204, headers: [], body: '' } : reply,
      ),
  },
  {
    name: 'slow-win',
    breaks: ['reply.deadline'],
    mayBreak: ['win.credit', 'win.zero', 'idempotency.win'],
    description: `Wins are credited, but the reply takes longer than ${REPLY_DEADLINE_SECONDS} seconds, so the service repeats them.`,
    change: (right, { deadlineMs }) => slow(right, 'win', deadlineMs),
  },
  {
    name: 'win-never-ends',
    breaks: ['reply.deadline'],
    mayBreak: ['win.credit', 'win.zero', 'idempotency.win'],
    description: 'The reply to a win never ends: the first bytes come at once, and then no more bytes come.',
    change: (right, { deadlineMs }) =>
      rewritingSuccess(right, (reply, request) =>
        callOf(request) === 'win' ? { ...reply, body: unfinished(textOf(reply), deadlineMs * 2) } : reply,
      ),
  },
  {
    name: 'slow-balance',
    breaks: ['reply.deadline'],
    mayBreak: ['balance.read'],
    description: `Games do not load: a balance call takes longer than ${REPLY_DEADLINE_SECONDS} seconds.`,
    change: (right, { deadlineMs }) => slow(right, 'balance', deadlineMs),
  },
  {
    name: 'slow-now-and-then',
    breaks: ['reply.deadline'],
    mayBreak: ['balance.read'],
    description: `One of 100 replies takes longer than ${REPLY_DEADLINE_SECONDS} seconds.`,
    change: (right, { deadlineMs }) => slowNowAndThen(right, 100, deadlineMs * 1.2),
  },
  {
    name: 'slow-refund',
    breaks: ['reply.deadline'],
    mayBreak: ['refund.unknown', 'refund.restore', 'idempotency.refund'],
    description: `Refunds are carried out, but the reply takes longer than ${REPLY_DEADLINE_SECONDS} seconds, so the service repeats them.`,
    change: (right, { deadlineMs }) => slow(right, 'refund', deadlineMs),
  },
  {
    name: 'dripping-body',
    breaks: ['reply.deadline'],
    mayBreak: ['win.credit', 'win.zero', 'idempotency.win'],
    description: `The headers of the reply to a win come at once, but its body takes longer than ${REPLY_DEADLINE_SECONDS} seconds.`,
    change: (right, { deadlineMs }) =>
      rewritingSuccess(right, (reply, request) => {
        const text = textOf(reply);
        return callOf(request) === 'win' ? { ...reply, body: dripping(text, (deadlineMs * 1.2) / text.length) } : reply;
      }),
  },
  {
    name: 'json-bom',
    breaks: ['reply.json'],
    description: 'Replies cannot be parsed: they begin with a byte order mark.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: `\uFEFF${textOf(reply)}` })),
  },
  {
    name: 'json-bom-always',
    breaks: ['reply.json'],
    description: 'Neither successes nor errors can be parsed: all replies begin with a byte order mark.',
    change: (right) => rewriting(right, (reply) => ({ ...reply, body: `\uFEFF${textOf(reply)}` })),
  },
  {
    name: 'json-array',
    breaks: ['reply.json'],
    mayBreak: ['balance.read', 'refund.unknown', 'reply.tx-id'],
    description: 'Each reply is a JSON array that holds the object, instead of the object itself.',
    change: (right) => rewritingFields(right, (fields) => [fields]),
  },
  {
    name: 'json-duplicate-keys',
    breaks: ['reply.json'],
    description:
      'Replies contain the field balance twice, with different values. It depends on the parser which value counts.',
    change: (right) =>
      rewritingSuccess(right, (reply) => ({ ...reply, body: textOf(reply).replace('{', '{"balance":"0.00",') })),
  },
  {
    name: 'json-trailing-text',
    breaks: ['reply.json'],
    mayBreak: ['balance.read'],
    description: 'Replies cannot be parsed: a debug line follows the JSON.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: `${textOf(reply)}\n<!-- 3 ms -->` })),
  },
  {
    name: 'json-twice-encoded',
    breaks: ['reply.json'],
    mayBreak: ['balance.read', 'refund.unknown', 'reply.tx-id'],
    description: 'Replies are JSON strings that contain JSON, because the wallet encodes them twice.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: JSON.stringify(textOf(reply)) })),
  },
  {
    name: 'json-utf-16',
    breaks: ['reply.json'],
    mayBreak: ['balance.read', 'reply.content-type'],
    description: 'Replies cannot be parsed: they are in UTF-16.',
    change: (right) => rewritingSuccess(right, (reply) => ({ ...reply, body: Buffer.from(textOf(reply), 'utf16le') })),
  },
  {
    name: 'content-type-html',
    breaks: ['reply.content-type'],
    description: 'Replies are JSON, but their Content-Type says HTML.',
    change: (right) => rewriting(right, (reply) => withHeader(reply, 'Content-Type', 'text/html; charset=utf-8')),
  },
  {
    name: 'content-type-missing',
    breaks: ['reply.content-type'],
    description: 'Replies have no Content-Type.',
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

/** Sends the first characters of a text, and sends the rest so late that nobody waits for it any more. */
async function* unfinished(text: string, afterMs: number): AsyncGenerator<string> {
  yield text.slice(0, 5);
  await sleep(afterMs, undefined, { ref: false });
  yield text.slice(5);
}

export const TX_ID_DEFECTS: readonly Defect[] = [
  {
    name: 'tx-id-missing',
    breaks: ['reply.tx-id'],
    mayBreak: ['refund.unknown', 'idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    description: 'Replies to bets, wins and refunds have no txID, so disputes cannot be traced.',
    change: (right) => rewritingFields(right, ({ txID: _left, ...fields }) => fields),
  },
  {
    name: 'tx-id-null-on-refund',
    breaks: ['reply.tx-id'],
    mayBreak: ['refund.unknown', 'idempotency.refund'],
    description: 'The txID in replies to refunds is null.',
    change: (right) =>
      rewritingFields(right, (fields, request) => (callOf(request) === 'refund' ? { ...fields, txID: null } : fields)),
  },
  {
    name: 'tx-id-number',
    onlyWarns: true,
    breaks: ['reply.tx-id'],
    mayBreak: ['refund.unknown'],
    description: 'The txID in replies is a number and not a string.',
    change: (right) =>
      rewritingFields(right, (fields, request) =>
        callOf(request) === 'balance' ? fields : { ...fields, txID: Number(String(fields.txID).replace('op-', '')) },
      ),
  },
  {
    name: 'tx-id-of-round',
    breaks: ['reply.tx-id-distinct'],
    description: 'The replies to the bet and the win of a round have the same txID: the id of the round.',
    change: (right) =>
      rewritingFields(right, (fields, request) => {
        const call = callOf(request);
        return call === 'bet' || call === 'win' ? { ...fields, txID: bodyOf(request)?.roundID } : fields;
      }),
  },
];

/** Changes the replies to calls that were not carried out. */
export function withError(right: Behaviour, change: (reply: ListenReply) => ListenReply): Partial<Behaviour> {
  return rewriting(right, (reply) => (reply.status >= 400 ? change(reply) : reply));
}

export const ERROR_REPLY_DEFECTS: readonly Defect[] = [
  {
    name: 'all-errors-200',
    breaks: ['reply.error-is-not-200'],
    mayBreak: [
      'signature.mismatch',
      'signature.missing',
      'signature.tampered-body',
      'signature.tampered-query',
      'signature.client-key',
      'session.unknown',
      'bet.insufficient-funds',
      'robustness.malformed-json',
      'robustness.missing-field',
      'robustness.bad-amount',
      'signature.message',
    ],
    description:
      'The service counts every error as a success: the wallet answers every error with status 200, and writes the code and the message into the body.',
    change: (right) => withError(right, (reply) => ({ ...reply, status: 200 })),
  },
  {
    name: 'errors-in-html',
    breaks: ['signature.message'],
    mayBreak: ['reply.error-message', 'bet.insufficient-funds', 'session.unknown'],
    description: 'Errors are HTML pages: the default error page of the framework is switched on.',
    change: (right) =>
      withError(right, (reply) => ({
        status: reply.status,
        headers: [['Content-Type', 'text/html']],
        body: '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Error</h1></body></html>',
      })),
  },
];
