import type { ListenReply } from '../../listen/message.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Defect } from '../defect.ts';
import { rewriting, textOf } from './rewriting.ts';

function withError(right: Behaviour, change: (reply: ListenReply) => ListenReply): Partial<Behaviour> {
  return rewriting(right, (reply) => (reply.status >= 400 ? change(reply) : reply));
}

function withMessage(right: Behaviour, message: string): Partial<Behaviour> {
  return withError(right, (reply) => ({
    ...reply,
    body: JSON.stringify({ ...(JSON.parse(textOf(reply)) as object), message }),
  }));
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
      'The service takes every error for a success: all are answered 200, with a code and a message in the body.',
    change: (right) => withError(right, (reply) => ({ ...reply, status: 200 })),
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
];
