import { isUtf8 } from 'node:buffer';
import type { SeenAnswer } from '../incident/seen.ts';
import type { CallPaths } from '../incident/seen-call.ts';
import { type SeenCall, seenCall } from '../incident/seen-call.ts';
import type { KnownSession } from '../incident/story/story.ts';
import type { Body, ExchangeRequest, Outcome } from '../journal/exchange.ts';
import { header } from '../journal/exchange.ts';
import { bodyOf } from '../wire/body.ts';
import { decodeBody } from '../wire/decode.ts';
import { WireFailure } from '../wire/failure.ts';
import type { Crossing, CrossingEnd, KeptBody } from './crossing.ts';

const MOST_DECODED = 1024 * 1024;

/** The request as a journal holds it. */
export function requestOf({ method, url, headers, requestBody }: Crossing): ExchangeRequest {
  return { method, url, headers, body: requestBody.length === 0 ? null : kept(requestBody, requestBody.bytes()) };
}

/** What came of it, as a journal holds it; null: it can't be told. */
export function outcomeOf({ reply, replyBody }: Crossing, end: CrossingEnd): Outcome | null {
  if (end.kind === 'opaque') return null;
  if (end.kind === 'none') return reply ? { ...end, head: reply } : end;
  if (!reply) return null;
  const bytes = replyBody.bytes();
  const encoding = header(reply.headers, 'content-encoding') ?? '';
  if (encoding === '' || replyBody.isCut) return { kind: 'reply', reply: { ...reply, body: kept(replyBody, bytes) } };
  try {
    return { kind: 'reply', reply: { ...reply, body: bodyOf(decodeBody(bytes, encoding, MOST_DECODED)) } };
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    return { kind: 'none', reason: error.reason, detail: error.message, head: reply };
  }
}

function kept(body: KeptBody, bytes: Buffer): Body {
  if (!body.isCut) return bodyOf(bytes);
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { encoding, data: bytes.toString(encoding), length: body.length, truncated: true };
}

/** The call that passes, as the incident desk sees calls; null: it can't be read. */
export function seenRequest(crossing: Crossing, paths: CallPaths): SeenCall | null {
  if (crossing.call === null) return null;
  return seenCall(
    {
      place: { file: '', line: 0 },
      side: 'service',
      time: null,
      tookMs: null,
      request: requestOf(crossing),
      answer: { kind: 'untold' },
      told: { call: crossing.call },
    },
    paths,
  );
}

/** The same with its answer, and with what is known of who plays. */
export function answered(
  seen: SeenCall,
  crossing: Crossing,
  outcome: Outcome,
  known: KnownSession | undefined,
): SeenCall {
  const from = crossing.sent ?? crossing.start;
  const answer: SeenAnswer =
    outcome.kind === 'reply'
      ? { kind: 'reply', ...outcome.reply }
      : { kind: 'none', reason: outcome.reason, detail: outcome.detail };
  return {
    ...seen,
    player: known?.player ?? null,
    currency: known?.currency ?? null,
    exchange: {
      ...seen.exchange,
      answer,
      time: { ms: from, precisionMs: 1 },
      tookMs: Math.max(0, (crossing.end ?? from) - from),
    },
  };
}
