import { conclude } from '../../journal/conclusion.ts';
import type { Received, ScenarioEnded, ScenarioStarted, Sending } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import { attemptSpan, callSpan, runSpan, type Trace } from '../../journal/network/trace.ts';
import { WallClock } from '../../journal/wall-clock.ts';
import { noReplySentence } from '../exchange-summary.ts';
import type { OpenJournal } from '../options.ts';

/** Facts about the program that made the spans, such as its name and its environment. */
export type Resource = Readonly<Record<string, string>>;

/** Maximum number of spans in one request, as in the SDKs of OpenTelemetry. */
const MAX_SPANS = 512;

/** The kinds of spans and the codes of their statuses, as opentelemetry/proto/trace/v1/trace.proto numbers them. */
const INTERNAL = 1;
const CLIENT = 3;
const OK = 1;
const ERROR = 2;

/**
 * Writes the run, the attempts of its scenarios and its calls as spans in OTLP/JSON. Each line is a request that a collector
 * accepts at `/v1/traces`, so a file of these lines is also what the file exporter of OpenTelemetry writes. The spans contain no
 * headers, bodies, queries or ids of sessions.
 */
export async function* otlpReport(fold: Fold, open: OpenJournal): AsyncGenerator<string> {
  yield* otlpRequests(fold, open, {});
}

/**
 * Yields the lines of {@link otlpReport}.
 *
 * @param resource attributes that replace or complete `service.name` and `service.version`
 */
export async function* otlpRequests(fold: Fold, open: OpenJournal, resource: Resource): AsyncGenerator<string> {
  let spans: object[] = [];
  const request = (): string => {
    const named = { 'service.name': 'croupier', 'service.version': fold.run.croupier, ...resource };
    const scopeSpans = [{ scope: { name: 'croupier', version: fold.run.croupier }, spans }];
    spans = [];
    return `${JSON.stringify({ resourceSpans: [{ resource: { attributes: attributes(named) }, scopeSpans }] })}\n`;
  };
  for await (const span of eachSpan(fold, open)) {
    spans.push(span);
    if (spans.length === MAX_SPANS) yield request();
  }
  if (spans.length > 0) yield request();
}

/** An attempt of a scenario that has not ended yet. */
interface OpenAttempt {
  readonly started: ScenarioStarted;
  readonly trace: Trace;
}

/** Yields each span when it has ended. The run comes last. Only calls in flight and open attempts are held in memory. */
async function* eachSpan(fold: Fold, open: OpenJournal): AsyncGenerator<object> {
  const { runID } = fold.run;
  const clock = new WallClock();
  const findings = Map.groupBy(
    fold.scenarios.flatMap((scenario) => scenario.findings),
    ({ exchange }) => exchange,
  );
  const attempts = new Map<string, number>();
  const opened = new Map<string, OpenAttempt>();
  const inFlight = new CallsInFlight<Sending>();
  for await (const event of open()) {
    clock.take(event);
    if (event.event === 'scenario-started') {
      // An attempt whose connection failed has no end.
      const earlier = opened.get(event.scenario);
      if (earlier) yield attemptOf(earlier, null, fold, clock);
      const number = (attempts.get(event.scenario) ?? 0) + 1;
      attempts.set(event.scenario, number);
      opened.set(event.scenario, { started: event, trace: attemptSpan(runID, event.scenario, number) });
    } else if (event.event === 'scenario-ended') {
      const attempt = opened.get(event.scenario);
      opened.delete(event.scenario);
      if (attempt) yield attemptOf(attempt, event, fold, clock);
    } else if (event.event === 'sending') inFlight.set(event.id, event);
    else if (event.event === 'received') {
      const sending = inFlight.take(event.id);
      if (!sending) continue;
      const parent = sending.scenario === null ? runSpan(runID) : opened.get(sending.scenario)?.trace;
      const trace = sending.trace ?? callSpan(runID, sending.id, sending.scenario);
      const shown = findings.get(sending.id) ?? [];
      yield callOf({ sending, received: event, trace, parent, findings: shown }, clock);
    }
  }
  for (const attempt of opened.values()) yield attemptOf(attempt, null, fold, clock);
  yield runOf(fold);
}

function runOf(fold: Fold): object {
  const { run, ended, labels } = fold;
  const { verdict, exitCode, firstLine } = conclude(fold);
  const start = Date.parse(run.startedAt);
  const { extCID, integratorBaseUrl } = run.client;
  return {
    ...ids(runSpan(run.runID)),
    name: 'croupier run',
    kind: INTERNAL,
    ...times(start, start + (ended?.durationMs ?? 0)),
    attributes: attributes({
      'croupier.run.id': run.runID,
      'croupier.client': extCID,
      'server.address': hostOf(integratorBaseUrl),
      'croupier.contract': run.contract,
      'croupier.verdict': verdict,
      'croupier.exit_code': exitCode,
      'croupier.seed': run.seed,
      'croupier.calls': fold.exchanges.sent,
      ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [`croupier.label.${name}`, value])),
    }),
    status: verdict === 'conforming' ? { code: OK } : { code: ERROR, message: text(firstLine) },
  };
}

/** Returns the span of an attempt. @param ended null if the attempt did not end */
function attemptOf({ started, trace }: OpenAttempt, ended: ScenarioEnded | null, fold: Fold, clock: WallClock): object {
  const start = clock.at(started.at) ?? Date.parse(fold.run.startedAt);
  const { verdict, reason } = ended ?? { verdict: 'inconclusive', reason: 'the attempt did not end' };
  const title = fold.run.scenarios.find(({ id }) => id === started.scenario)?.title;
  const isFailed = verdict === 'fail' || verdict === 'inconclusive';
  return {
    ...ids(trace),
    // Each scenario has a trace of its own. So the span of the run can't be its parent, and is only linked.
    links: [ids(runSpan(fold.run.runID))],
    name: text(started.scenario),
    kind: INTERNAL,
    ...times(start, start + (ended?.durationMs ?? 0)),
    attributes: attributes({
      'test.case.name': started.scenario,
      ...(verdict === 'pass' || verdict === 'fail' ? { 'test.case.result.status': verdict } : {}),
      'croupier.verdict': verdict,
      'croupier.scenario.title': title,
      'croupier.attempt': started.attempt,
      'croupier.retry': started.retry,
      'croupier.run.id': fold.run.runID,
    }),
    status: isFailed ? { code: ERROR, message: text(reason ?? verdict) } : verdict === 'pass' ? { code: OK } : {},
  };
}

interface Call {
  readonly sending: Sending;
  readonly received: Received;
  readonly trace: Trace;
  readonly parent: Trace | undefined;
  readonly findings: readonly JudgedFinding[];
}

function callOf({ sending, received, trace, parent, findings }: Call, clock: WallClock): object {
  const { request, call, id, scenario, step, purpose } = sending;
  const { outcome, stamps } = received;
  const start = clock.at(stamps.start) ?? 0;
  const end = clock.at(stamps.end) ?? 0;
  const url = URL.parse(request.url);
  const failed = findings.find(({ verdict }) => verdict === 'fail');
  const isLost = outcome.kind === 'none' && outcome.reason !== 'broken';
  return {
    ...ids(trace),
    ...(parent && { parentSpanId: parent.spanID }),
    name: `${request.method} ${call}`,
    kind: CLIENT,
    ...times(start, end),
    attributes: attributes({
      'http.request.method': request.method,
      'server.address': url?.hostname,
      'server.port': url === null ? undefined : Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      'url.scheme': url?.protocol.replace(':', ''),
      'url.path': url?.pathname,
      'http.response.status_code': outcome.kind === 'reply' ? outcome.reply.status : undefined,
      'error.type': outcome.kind === 'none' ? outcome.reason : undefined,
      'croupier.exchange': id,
      'croupier.purpose': purpose,
      'croupier.scenario': scenario ?? undefined,
      'croupier.step': step ?? undefined,
    }),
    ...(findings.length > 0 && { events: findings.map((finding) => findingEvent(finding, end)) }),
    status: failed
      ? { code: ERROR, message: text(`${failed.rule}: ${failed.actual}`) }
      : isLost
        ? { code: ERROR, message: noReplySentence(outcome.reason) }
        : {},
  };
}

function findingEvent({ rule, verdict, expected, actual }: JudgedFinding, atMs: number): object {
  return {
    timeUnixNano: nanoseconds(atMs),
    name: 'croupier.finding',
    attributes: attributes({
      'croupier.rule': rule,
      'croupier.verdict': verdict,
      'croupier.expected': expected,
      'croupier.actual': actual,
    }),
  };
}

function hostOf(address: string): string | undefined {
  return URL.parse(address)?.hostname;
}

function ids({ traceID, spanID }: Trace): object {
  return { traceId: traceID, spanId: spanID };
}

function times(start: number, end: number): object {
  return { startTimeUnixNano: nanoseconds(start), endTimeUnixNano: nanoseconds(end) };
}

/** Returns milliseconds since 1970 as nanoseconds. The JSON form of OTLP writes 64-bit numbers as text. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

/** Returns text that UTF-8 can represent. A lone surrogate in a text of the operator becomes U+FFFD. */
function text(given: string): string {
  return given.toWellFormed();
}

/** Returns attributes in the form of OTLP. Undefined values are left out. */
function attributes(values: Readonly<Record<string, string | number | undefined>>): readonly object[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: text(value) } }];
  });
}
