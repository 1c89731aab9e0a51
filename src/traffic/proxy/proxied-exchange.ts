import { isUtf8 } from 'node:buffer';
import { queryOf } from '../../contract/query.ts';
import { SIGNATURE_HEADER, type SignatureState, verify } from '../../contract/signature.ts';
import { type Body, type ExchangeRequest, header, type Outcome } from '../../journal/exchange.ts';
import { bodyOf, decodeBody } from '../../wire/body.ts';
import { WireFailure } from '../../wire/failure.ts';
import type { KnownSession } from '../call-selection.ts';
import type { LoggedReply } from '../logged-exchange.ts';
import { type CallPaths, type RecordedCall, recordedCall } from '../recorded-call.ts';
import type { BodyCopy, JudgedCall, ProxiedCall, ProxiedCallEnd } from './proxied-call.ts';

const MAX_DECODED = 1024 * 1024;

/** Returns the request in the form of the journal. */
export function requestOf({ method, url, headers, requestBody }: JudgedCall): ExchangeRequest {
  return { method, url, headers, body: requestBody.length === 0 ? null : bodyOfCopy(requestBody, requestBody.bytes()) };
}

/** Returns the outcome in the form of the journal, or null if the outcome is unknown. */
export function outcomeOf({ reply, replyBody }: ProxiedCall, end: ProxiedCallEnd): Outcome | null {
  if (end.kind === 'opaque') return null;
  if (end.kind === 'none') return reply ? { ...end, head: reply } : end;
  if (!reply) return null;
  const bytes = replyBody.bytes();
  const encoding = header(reply.headers, 'content-encoding') ?? '';
  if (encoding === '' || replyBody.isCut)
    return { kind: 'reply', reply: { ...reply, body: bodyOfCopy(replyBody, bytes) } };
  try {
    return { kind: 'reply', reply: { ...reply, body: bodyOf(decodeBody(bytes, encoding, MAX_DECODED)) } };
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    return { kind: 'none', reason: error.reason, detail: error.message, head: reply };
  }
}

function bodyOfCopy(body: BodyCopy, bytes: Buffer): Body {
  if (!body.isCut) return bodyOf(bytes);
  const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
  return { encoding, data: bytes.toString(encoding), length: body.length, truncated: true };
}

/** Reads a proxied call as a recorded call without its reply. Returns null if it is not one of the four calls. */
export function loggedRequest(proxiedCall: JudgedCall, paths: CallPaths): RecordedCall | null {
  if (proxiedCall.call === null) return null;
  return recordedCall(
    {
      place: { file: '', line: 0 },
      side: 'service',
      time: null,
      tookMs: null,
      request: requestOf(proxiedCall),
      answer: { kind: 'unknown' },
      logged: { call: proxiedCall.call },
    },
    paths,
  );
}

/** Adds the reply, the player and the currency to a recorded call. */
export function withReply(
  seen: RecordedCall,
  proxiedCall: JudgedCall,
  outcome: Outcome,
  known: KnownSession | undefined,
): RecordedCall {
  const from = proxiedCall.sent ?? proxiedCall.start;
  const answer: LoggedReply =
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
      tookMs: Math.max(0, (proxiedCall.end ?? from) - from - proxiedCall.delayedMs),
    },
  };
}

/**
 * Verifies the signature of a call over the bytes that passed through the proxy.
 *
 * @param keys the keys that the service may sign with
 */
export function signatureOf(
  { method, url, headers, requestBody }: JudgedCall,
  keys: readonly string[],
): SignatureState {
  const body = requestBody.isCut ? null : requestBody.bytes();
  const signature = header(headers, SIGNATURE_HEADER);
  return verify({ method, query: queryOf(url), body, signature, source: 'wire' }, keys);
}
