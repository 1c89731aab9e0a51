import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../contract/call-name.ts';
import type { ListenReply } from '../../listen/message.ts';
import { failure, type Reply } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../defect.ts';
import {
  bodyOf,
  callOf,
  rewriting,
  rewritingFields,
  rewritingSuccess,
  textOf,
  withHeader,
  withheld,
} from './rewriting.ts';

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

function withError(right: Behaviour, change: (reply: ListenReply) => ListenReply): Partial<Behaviour> {
  return rewriting(right, (reply) => (reply.status >= 400 ? change(reply) : reply));
}

function withMessage(right: Behaviour, message: string): Partial<Behaviour> {
  return withError(right, (reply) => ({
    ...reply,
    body: JSON.stringify({ ...(JSON.parse(textOf(reply)) as object), message }),
  }));
}

const MALFORMED_500: Reply = failure({ status: 500, message: 'Something went wrong.' });

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
      'The service takes every error for a success: all are answered 200, with a code and a message in the body.',
    change: (right) => withError(right, (reply) => ({ ...reply, status: 200 })),
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
  {
    name: 'tx-id-missing',
    breaks: ['reply.tx-id'],
    mayBreak: ['refund.unknown', 'idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    description: 'Replies to bets, wins and refunds have no txID, so disputes can’t be traced.',
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
    description: 'The bet and the win of a round are answered with the same txID: it is the round’s id.',
    change: (right) =>
      rewritingFields(right, (fields, request) => {
        const call = callOf(request);
        return call === 'bet' || call === 'win' ? { ...fields, txID: bodyOf(request)?.roundID } : fields;
      }),
  },
  {
    name: 'errors-in-html',
    breaks: ['signature.message'],
    mayBreak: ['reply.error-message', 'bet.insufficient-funds', 'session.unknown'],
    description: 'Errors are HTML pages: the framework’s own error page was left on.',
    change: (right) =>
      withError(right, (reply) => ({
        status: reply.status,
        headers: [['Content-Type', 'text/html']],
        body: '<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Error</h1></body></html>',
      })),
  },
  {
    name: 'message-stack-trace',
    breaks: ['reply.error-message'],
    description: 'Players are shown a stack trace when a call fails.',
    change: (right) =>
      withMessage(
        right,
        'Error: declined\n    at BetService.place (/srv/app/dist/bet.service.js:118:13)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      ),
  },
  {
    name: 'message-sql',
    breaks: ['reply.error-message'],
    description: 'Players are shown SQL when a call fails.',
    change: (right) =>
      withMessage(
        right,
        "SQLSTATE[23000]: Integrity constraint violation: UPDATE wallets SET balance = balance - 1 WHERE id = 'p1'",
      ),
  },
  {
    name: 'message-markup',
    breaks: ['reply.error-message'],
    description: 'Players are shown HTML tags when a call fails.',
    change: (right) => withMessage(right, '<div class="alert"><b>Declined</b><br/>Please try again</div>'),
  },
  {
    name: 'malformed-json-500',
    breaks: ['robustness.malformed-json'],
    description: 'A body that is no JSON is answered 500: the parser’s exception is caught by nobody.',
    change: (right) => ({
      refuse: (refused, anyway) => (refused.reason === 'malformed' ? MALFORMED_500 : right.refuse(refused, anyway)),
    }),
  },
  {
    name: 'malformed-json-hangs',
    breaks: ['robustness.malformed-json'],
    mayBreak: ['reply.deadline'],
    description: 'A body that is no JSON is never answered: the exception ends the handler without a reply.',
    change: (right, { deadlineMs }) => ({
      refuse: async (refused, anyway) => {
        if (refused.reason === 'malformed') await sleep(deadlineMs * 1.5);
        return right.refuse(refused, anyway);
      },
    }),
  },
  {
    name: 'malformed-json-crashes',
    breaks: ['robustness.malformed-json'],
    description:
      'A body that is no JSON is not answered: the parser’s exception ends the handler, and the connection is closed.',
    change: (right) => ({
      deliver: (reply, request) => {
        const delivered = right.deliver(reply, request);
        return request.body.length > 0 && !bodyOf(request) ? withheld(delivered) : delivered;
      },
    }),
  },
  {
    name: 'unknown-field-refused',
    breaks: ['robustness.unknown-field'],
    description:
      'All calls will be refused the day the service adds a field: a body with one that we don’t know is answered 400.',
    change: (right) => {
      const known = new Set(['sessionID', 'txID', 'roundID', 'origTxID', 'amount', 'type', 'frID']);
      return {
        receive: async (request, answer) => {
          const reply = Object.keys(bodyOf(request) ?? {}).every((name) => known.has(name));
          return reply
            ? right.receive(request, answer)
            : failure({ status: 400, message: 'This request has an unknown field.' });
        },
      };
    },
  },
  {
    name: 'first-piece-only',
    breaks: ['robustness.slow-body'],
    description: 'Calls are refused now and then: only what has arrived of a body in its first packet is read.',
    change: (right) => ({
      receive: (request, answer) => right.receive({ ...request, body: request.pieces?.[0] ?? request.body }, answer),
    }),
  },
];

async function* dripping(text: string, gapMs: number): AsyncGenerator<string> {
  for (const character of text) {
    yield character;
    await sleep(gapMs);
  }
}
