import {
  type ExchangeRequest,
  type HeaderList,
  header,
  type Outcome,
  type Stamps,
  sessionNamedIn,
} from '../../journal/exchange.ts';
import type { Fold } from '../../journal/fold.ts';
import { WallClock } from '../../journal/wall-clock.ts';
import { baseUrlsText } from '../base-urls.ts';
import { noReplySentence } from '../exchange-summary.ts';
import type { JournalledExchange } from '../exchanges.ts';
import { sentExchanges } from '../exchanges.ts';
import type { OpenJournal } from '../options.ts';

/**
 * Writes all exchanges as a HAR 1.2 file, which browsers and other tools can open. Data for which HAR has no field is in fields
 * that begin with an underscore: `_error` (why no reply came), `_truncated` (the body was cut) and `_croupier` (scenario, step
 * and purpose).
 */
export async function* harReport(fold: Fold, open: OpenJournal): AsyncGenerator<string> {
  const { run } = fold;
  const creator = { name: 'croupier', version: run.croupier };
  const comment = `run ${run.runID} against ${run.client.extCID} at ${baseUrlsText(run)}`;
  yield `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"comment":${JSON.stringify(comment)},"pages":[],"entries":[`;
  const clock = new WallClock();
  const sessions = new Map(run.settings.sessions.map((session) => [session.sessionID, session]));
  let latest = Date.parse(run.startedAt);
  let separator = '\n';
  for await (const exchange of sentExchanges(open, (event) => clock.take(event))) {
    const { received, sending } = exchange;
    latest = received === null ? latest : (clock.at(received.stamps.start) ?? latest);
    const known = sessions.get(sessionNamedIn(sending.request) ?? '');
    const owner = { player: known?.player ?? undefined, currency: known?.currency ?? undefined };
    // The journal of the proxy has only the calls that passed through the proxy, so calls may be missing.
    const isOfWholeRun = run.source !== 'proxy';
    yield separator + JSON.stringify(entryOf(exchange, latest, { ...owner, isOfWholeRun }));
    separator = ',\n';
  }
  yield '\n]}}\n';
}

interface EntryContext {
  readonly player: string | undefined;
  readonly currency: string | undefined;
  readonly isOfWholeRun: boolean;
}

function entryOf({ sending, received }: JournalledExchange, startedMs: number, context: EntryContext): object {
  const { id, scenario, step, purpose, call, request, signature, signed, brokenAt } = sending;
  const phases = phasesOf(received?.stamps ?? null);
  return {
    startedDateTime: timeText(startedMs),
    time: thousandths(
      Object.entries(phases).reduce((sum, [name, ms]) => (name === 'ssl' ? sum : sum + Math.max(0, ms)), 0),
    ),
    request: requestOf(request),
    response: responseOf(received?.outcome ?? null),
    cache: {},
    timings: phases,
    ...(received?.connection && { connection: String(received.connection.id) }),
    _resourceType: 'fetch',
    _croupier: { id, scenario, step, purpose, call, signature, signed, brokenAt, ...context },
  };
}

function requestOf({ method, url, headers, body }: ExchangeRequest): object {
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    queryString: pairs([...(URL.parse(url)?.searchParams ?? [])]),
    ...(body && {
      postData: {
        mimeType: header(headers, 'content-type') ?? '',
        text: body.data,
        ...(body.encoding === 'base64' && { encoding: 'base64' }),
        ...(body.truncated && TRUNCATED),
      },
    }),
    headersSize: -1,
    bodySize: body?.length ?? 0,
  };
}

/** Returns the response of a HAR entry. If there was no reply, the status is 0, as browsers write it. */
function responseOf(outcome: Outcome | null): object {
  const isReply = outcome?.kind === 'reply';
  const status = isReply ? outcome.reply.status : 0;
  const headers = isReply ? outcome.reply.headers : outcome?.kind === 'none' ? (outcome.head?.headers ?? []) : [];
  const body = isReply ? outcome.reply.body : null;
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    content: {
      size: body?.length ?? 0,
      mimeType: header(headers, 'content-type') ?? 'x-unknown',
      ...(body && { text: body.data }),
      ...(body?.encoding === 'base64' && { encoding: 'base64' }),
      ...(body?.truncated && TRUNCATED),
    },
    redirectURL: header(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: header(headers, 'content-encoding') === undefined ? (body?.length ?? 0) : -1,
    ...(outcome?.kind === 'none' && { _error: errorText(outcome) }),
  };
}

const TRUNCATED = { comment: 'the journal does not hold the whole body', _truncated: true };

function errorText({ reason, detail, head }: Extract<Outcome, { kind: 'none' }>): string {
  return `${reason}: ${detail === '' ? noReplySentence(reason) : detail}${head ? ` (status ${head.status} had already arrived)` : ''}`;
}

function pairs(list: HeaderList): readonly object[] {
  return list.map(([name, value]) => ({ name, value }));
}

/**
 * Returns the phases of an exchange in milliseconds. The value of a phase that did not happen is -1. HAR requires that the time of
 * the TLS handshake is in two values: in `ssl` and in `connect`.
 */
function phasesOf(stamps: Stamps | null): Readonly<Record<string, number>> {
  if (stamps === null) return { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: 0 };
  const { start, resolved, connected, secured, sent, firstByte, end } = stamps;
  const opened = secured ?? connected ?? resolved ?? start;
  const left = sent ?? opened;
  const span = (from: number, to: number | null): number => (to === null ? -1 : thousandths(Math.max(0, to - from)));
  return {
    blocked: -1,
    dns: span(start, resolved),
    connect: span(resolved ?? start, secured ?? connected),
    ssl: span(connected ?? start, secured),
    send: thousandths(Math.max(0, left - opened)),
    wait: thousandths(Math.max(0, (firstByte ?? end) - left)),
    receive: firstByte === null ? 0 : thousandths(Math.max(0, end - firstByte)),
  };
}

/** Formats a time as ISO text with microseconds, so that calls of the same millisecond keep their order. */
function timeText(ms: number): string {
  const micros = Math.floor((ms - Math.floor(ms)) * 1000);
  return new Date(ms).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}

function thousandths(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
