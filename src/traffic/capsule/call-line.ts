import type { Body, NoReplyReason } from '../../journal/exchange.ts';
import type { LoggedExchange, LogTime } from '../logged-exchange.ts';

/**
 * For each reason of a missing reply: an error text from which `traffic/read/logs/log-line.ts` reads this reason. For a reason that
 * is not listed, croupier writes that the connection broke.
 */
const ERRORS: Readonly<Partial<Record<NoReplyReason, string>>> = {
  'too-late': 'timed out',
  refused: 'connection refused',
  unresolved: 'no such host',
  unreachable: 'no route',
  'connect-timeout': 'connect ETIMEDOUT',
  tls: 'certificate not accepted',
};

/** Writes a call as one line of JSON, in the form that `traffic/read/logs/json-line.ts` can read. The signature is left out. */
export function callLine({ side, time, tookMs, request, answer, logged, amount }: LoggedExchange): string {
  const isReply = answer.kind === 'reply';
  const type = isReply ? answer.headers?.find(([name]) => name.toLowerCase() === 'content-type')?.[1] : undefined;
  const { signature: _signature, ...fields } = logged;
  return JSON.stringify({
    side,
    time: time === null ? undefined : timeText(time),
    method: request.method ?? undefined,
    url: request.url ?? undefined,
    status: isReply ? answer.status : undefined,
    tookMs: tookMs ?? undefined,
    error: answer.kind === 'none' ? (ERRORS[answer.reason] ?? 'connection reset') : undefined,
    contentType: type,
    requestBody: request.body === null || request.body === 'unknown' ? undefined : bodyText(request.body),
    responseBody: isReply && answer.body ? bodyText(answer.body) : undefined,
    ...(amount !== undefined && { amount }),
    ...fields,
  });
}

/** Writes a time with the precision that the log has. */
function timeText({ ms, precisionMs }: LogTime): string {
  const text = new Date(ms).toISOString();
  return precisionMs >= 1000 ? text.replace(/\.\d+Z$/, 'Z') : text;
}

function bodyText({ encoding, data }: Body): string {
  return encoding === 'utf8' ? data : Buffer.from(data, 'base64').toString('utf8');
}
