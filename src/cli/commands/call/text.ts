import type { Sink, Stdio } from '../../../app/stdio.ts';
import { isRuleId, ruleById } from '../../../contract/catalogue.ts';
import { plural } from '../../../contract/plural.ts';
import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import type { ManualExchange, ManualResult } from '../../../engine/by-hand/by-hand.ts';
import type { ManualCall } from '../../../engine/by-hand/plan.ts';
import type { ClientUnderTest } from '../../../engine/run-options.ts';
import { header } from '../../../journal/exchange.ts';
import type { Finding } from '../../../journal/finding.ts';
import { isEndedSession, isUnknownSession } from '../../../journal/network/unknown-session.ts';
import { EchoedSignatures, withoutSignatures } from '../../../journal/secrets/echoed-signatures.ts';
import { curlLine } from '../../../report/curl.ts';
import { forTerminal } from '../../../report/escape.ts';
import { mark, tint, verdictNoun } from '../../../report/marks.ts';
import type { Look } from '../../../report/options.ts';
import { ANSI, PLAIN } from '../../../report/paint.ts';
import { exchangeLines } from '../../../report/terminal/exchange.ts';
import { wrap } from '../../../report/terminal/layout.ts';
import { type BuiltRequest, requestOf } from '../../../wire/request.ts';
import { headText } from '../../../wire/request-bytes.ts';

/** Returns the exit status of a call: 1 if a MUST is broken, 3 if the call could not be judged, otherwise 0. */
export function callStatus({ findings, exchanges, disturbed }: ManualResult): number {
  if (findings.some(({ verdict }) => verdict === 'fail')) return 1;
  if (knowsNoSession(exchanges) || hasEndedSession(exchanges)) return 3;
  const unanswered = exchanges.some(
    ({ sending, received }) => sending.purpose === 'step' && received.outcome.kind === 'none',
  );
  return unanswered || disturbed || findings.some(({ verdict }) => verdict === 'inconclusive') ? 3 : 0;
}

/** True if the operator answered `session_not_found`. Then the session was probably typed wrongly, or is closed. */
function knowsNoSession(exchanges: ManualResult['exchanges']): boolean {
  return exchanges.some(({ received }) => isUnknownSession(received.outcome));
}

function hasEndedSession(exchanges: ManualResult['exchanges']): boolean {
  return exchanges.some(({ sending, received }) => isEndedSession(sending.call, received.outcome));
}

/**
 * Returns the text output for a call that was sent.
 *
 * @param isPublic true if many people can read the output, as in the log of a pipeline. Then it contains no curl command, and only
 * the beginnings of signatures, also of those that the operator has written into its replies
 */
export function callText(
  hand: ManualCall,
  { extCID }: ClientUnderTest,
  result: ManualResult,
  { sink, unicode, isPublic }: { readonly sink: Sink; readonly unicode: boolean; readonly isPublic: boolean },
): string {
  const options: Look & { readonly curl: boolean } = {
    curl: !isPublic,
    paint: sink.colour ? ANSI : PLAIN,
    width: Math.min(sink.columns, 120),
    unicode,
  };
  const { paint } = options;
  const played = isPublic ? withoutEchoes(result) : result;
  const lines = [
    paint.bold(forTerminal(`${hand.call} to ${extCID}, session ${String(hand.fields.sessionID)}`)),
    ...played.exchanges.flatMap((exchange) => [
      '',
      ...titleLines(exchange, hand, options),
      ...exchangeLines(exchange, 2, options),
    ]),
    '',
    ...played.findings.flatMap((finding) => findingLines(finding, options)),
    ...passedLines(played, options),
    ...balanceLines(hand, played),
  ];
  if (played.next !== null) lines.push(forTerminal(played.next));
  if (callStatus(played) === 3 && knowsNoSession(played.exchanges)) {
    const why = `UNDECIDED: the operator does not know the session ${String(hand.fields.sessionID)}. Compare the sessionID with the operator's, or open the session again there.`;
    lines.push(...wrap(forTerminal(why), options.width));
  }
  if (callStatus(played) === 3 && hasEndedSession(played.exchanges)) {
    const why = `UNDECIDED: the operator says that the session ${String(hand.fields.sessionID)} has ended. Open a session at the operator, and give its sessionID.`;
    lines.push(...wrap(forTerminal(why), options.width));
  }
  return `${lines.join('\n')}\n`;
}

function withoutEchoes(played: ManualResult): ManualResult {
  const echoes = new EchoedSignatures();
  for (const { sending, received } of played.exchanges) {
    echoes.add(sending);
    echoes.add(received);
  }
  return {
    ...played,
    exchanges: played.exchanges.map((exchange) => withoutSignatures(exchange, echoes.all)),
    findings: played.findings.map((finding) => withoutSignatures(finding, echoes.all)),
  };
}

function titleLines({ sending }: ManualExchange, { times }: ManualCall, { paint }: Look): readonly string[] {
  if (sending.purpose === 'read') return [paint.dim('read of the balance')];
  return times > 1
    ? [paint.dim(sending.step === '1' ? 'the call' : `the same bytes again (${sending.step} of ${times})`)]
    : [];
}

function findingLines(finding: Finding, { paint, unicode, width }: Look): readonly string[] {
  const { rule, verdict, expected, actual, causes } = finding;
  const colour = tint(verdict, paint);
  const level = isRuleId(rule) ? ruleById(rule).level : '';
  const about = [
    expected && `expected: ${expected}`,
    actual && `actual: ${actual}`,
    causes.length > 0 && `possible causes: ${causes.join(', ')}`,
  ];
  return [
    `${colour(`${mark(verdict, unicode)} ${rule}`)} ${paint.dim(`${level} ${verdictNoun(verdict, 1)}`.trim())}`,
    ...about
      .filter((text) => typeof text === 'string' && text !== '')
      .flatMap((text) => wrap(forTerminal(String(text)), Math.max(width - 4, 20)).map((line) => `    ${line}`)),
  ];
}

function passedLines({ passed, findings }: ManualResult, { paint, unicode, width }: Look): readonly string[] {
  const kept = passed.filter((rule) => !findings.some((finding) => finding.rule === rule));
  if (kept.length === 0) return findings.length === 0 ? ['Nothing about this call could be judged.'] : [];
  const [first = '', ...rest] = wrap(
    `${mark('pass', unicode)} ${plural(kept.length, 'rule')} kept: ${kept.join(', ')}`,
    width,
  );
  return [paint.green(first), ...rest.map((line) => paint.green(`  ${line}`))];
}

function balanceLines({ call }: ManualCall, { before, after, disturbed }: ManualResult): readonly string[] {
  if (!before || !after) return [];
  const moved = after.minus(before);
  const change = moved.isZero() ? 'nothing moved' : `${moved.isNegative() ? '' : '+'}${moved.format(2)}`;
  return [
    `The balance was ${before.format(2)} before the ${call} and is ${after.format(2)} now: ${change}.`,
    ...(disturbed
      ? [
          'The balance also changes while croupier sends nothing. Somebody else uses the session, so the balance does not show the effect of the call.',
        ]
      : []),
  ];
}

/** Returns the text output for a call with `--dry-run`: the bytes to send, the bytes to sign, and a curl line. */
export function dryRunText(request: BuiltRequest, { out }: Pick<Stdio, 'out'>): string {
  const { dim } = out.colour ? ANSI : PLAIN;
  const head = headText(request, new URL(request.url).host)
    .replace(/(?<!\n)(?:\r\n)+$/, '')
    .split('\r\n');
  const body = request.body === null ? [] : ['', forTerminal(Buffer.from(request.body).toString('utf8'))];
  const signature = header(request.headers, SIGNATURE_HEADER);
  const lines = [
    dim('The request:'),
    ...head.map(forTerminal),
    ...body,
    '',
    dim(`The signed bytes (${request.payload.length}):`),
    forTerminal(Buffer.from(request.payload).toString('utf8')),
    '',
    dim(`The signature (${SIGNATURE_HEADER}):`),
    signature === undefined ? '(none)' : forTerminal(signature),
    '',
    dim('As a curl line:'),
    curlLine(requestOf(request)) ?? '',
    '',
    'Nothing was sent.',
  ];
  return `${lines.join('\n')}\n`;
}
