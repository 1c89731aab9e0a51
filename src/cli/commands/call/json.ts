import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import type { ManualExchange, ManualResult } from '../../../engine/by-hand/by-hand.ts';
import type { ManualCall } from '../../../engine/by-hand/plan.ts';
import type { ClientUnderTest } from '../../../engine/run-options.ts';
import { header, replyMs, type Stamps } from '../../../journal/exchange.ts';
import { curlLine } from '../../../report/curl.ts';
import { type BuiltRequest, requestOf } from '../../../wire/request.ts';

/** Returns the JSON output for a call that was sent. */
export function callJson(
  hand: ManualCall,
  { extCID, integratorBaseUrl }: ClientUnderTest,
  request: BuiltRequest,
  played: ManualResult,
  { status, remarks }: { readonly status: number; readonly remarks: readonly string[] },
): string {
  const { exchanges, findings, passed, answer, before, after, disturbed, next } = played;
  return print({
    call: hand.call,
    client: { extCID, integratorBaseUrl },
    fields: hand.fields,
    sign: hand.sign,
    exitCode: status,
    answer,
    ...signedParts(request),
    exchanges: exchanges.map(exchangeJson),
    findings: findings.map(({ rule, verdict, step, expected, actual, causes }) => ({
      rule,
      verdict,
      step,
      expected,
      actual,
      causes,
    })),
    passed,
    balance: before || after ? { before: before?.format(2) ?? null, after: after?.format(2) ?? null, disturbed } : null,
    next,
    remarks,
  });
}

/** Returns the JSON output for a call with `--dry-run`, which was not sent. */
export function dryRunJson(request: BuiltRequest, remarks: readonly string[]): string {
  const plain = requestOf(request);
  return print({ dryRun: true, request: plain, ...signedParts(request), curl: curlLine(plain), remarks });
}

function signedParts(request: BuiltRequest): object {
  return {
    signed: Buffer.from(request.payload).toString('utf8'),
    signature: header(request.headers, SIGNATURE_HEADER) ?? null,
  };
}

function exchangeJson({ sending, received }: ManualExchange): object {
  const { request, purpose, call, step } = sending;
  const { outcome, stamps, connection } = received;
  return { step, purpose, call, request, outcome, timings: timings(stamps), connection, curl: curlLine(request) };
}

/** Returns the phases of an exchange in milliseconds; null for a phase that did not happen. */
function timings(stamps: Stamps): object {
  const { start, resolved, connected, secured, sent, firstByte, end } = stamps;
  const opened = secured ?? connected ?? start;
  const span = (from: number | null, to: number | null): number | null =>
    from === null || to === null ? null : Math.round((to - from) * 1000) / 1000;
  return {
    lookUp: span(start, resolved),
    connect: span(resolved ?? start, connected),
    tls: span(connected, secured),
    send: span(opened, sent),
    wait: span(sent, firstByte),
    read: span(firstByte, end),
    reply: replyMs(stamps) === null ? null : span(sent, end),
    total: span(start, end),
  };
}

function print(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
