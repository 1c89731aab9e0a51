import type { Fold } from '../../journal/fold.ts';
import { forTerminal } from '../../report/escape.ts';
import { otlpRequests, type Resource } from '../../report/exports/otlp.ts';
import { withoutEchoes } from '../../report/for-others.ts';
import type { OpenJournal } from '../../report/options.ts';
import { withoutCredentials } from '../config/hidden-text.ts';
import { UsageError } from '../exit-status.ts';
import type { Stdio } from '../stdio.ts';
import { post } from './post.ts';

/** A finished run with its journal. */
interface FinishedRun {
  readonly fold: Fold;
  readonly open: OpenJournal;
  /** The path of the journal. */
  readonly journal: string;
}

/** The collector that gets the spans of a run. */
export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
}

/**
 * Reads the collector from `--otlp` and from the variables of OpenTelemetry (specification, OTLP Exporter Configuration).
 *
 * @param endpoint the base URL
 * @param env `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_SERVICE_NAME` are read
 * @throws UsageError if the URL is not an HTTP URL, or if the headers are not a list of names and values
 */
export function readCollector(endpoint: string, { env, hide }: Pick<Stdio, 'env' | 'hide'>): Collector {
  const base = URL.parse(endpoint);
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:')
    throw new UsageError(
      `--otlp: ${shown(endpoint)} is not the URL of a collector. Write it as in --otlp http://localhost:4318. Nothing was sent.`,
    );
  if (base.username !== '' || base.password !== '')
    throw new UsageError(
      '--otlp: the URL must not contain a user or password. Send them as a header, in OTEL_EXPORTER_OTLP_HEADERS. Nothing was sent.',
    );
  const { OTEL_EXPORTER_OTLP_HEADERS: listed, OTEL_SERVICE_NAME: service } = env;
  const headers = readHeaders(listed ?? '');
  hide(Object.values(headers));
  base.pathname = `${base.pathname.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
  return { url: base.href, headers, resource: service ? { 'service.name': service } : {} };
}

/** Reads headers as `name=value` with commas between them. Values are percent-encoded (W3C Baggage). */
function readHeaders(list: string): Readonly<Record<string, string>> {
  const entries = list.split(',').filter((text) => text.trim() !== '');
  return Object.fromEntries(
    entries.map((text): [string, string] => {
      const at = text.indexOf('=');
      const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
      try {
        if (at > 0) return [new Headers([[name, '']]).keys().next().value ?? name, decodeURIComponent(value)];
      } catch {
        // The message must not show the text, because it may be a key.
      }
      throw new UsageError(
        'OTEL_EXPORTER_OTLP_HEADERS must be a list such as api-key=abc,tenant=acme, with percent-encoded values. Nothing was sent.',
      );
    }),
  );
}

function shown(url: string): string {
  return forTerminal(withoutCredentials(url));
}

/**
 * Sends the spans of a finished run to the collector. If that is not possible, prints a notice of one line. Never throws, because
 * the result of the run does not depend on the collector.
 */
export async function exportSpans(
  { fold, open, journal }: FinishedRun,
  { url, headers, resource }: Collector,
  {
    stdio,
    scrub,
    signal,
  }: { readonly stdio: Pick<Stdio, 'err'>; readonly scrub: (text: string) => string; readonly signal: AbortSignal },
): Promise<void> {
  const shared = await withoutEchoes(fold, open);
  for await (const body of otlpRequests(shared.fold, shared.open, resource)) {
    const delivery = await post({ url, headers, body: scrub(body), signal });
    const why = delivery.kind === 'failed' ? delivery.why : refusalIn(delivery.text);
    if (why === undefined) continue;
    stdio.err.write(
      `The spans of this run are not complete in the collector at ${shown(url)}: ${why}. Its result does not change. Write the spans to a file with: croupier report convert ${journal} --to otlp=spans.jsonl\n`,
    );
    return;
  }
}

/** Returns the reason why a collector did not accept some spans of an accepted request. Undefined if it accepted all. */
function refusalIn(text: string): string | undefined {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown };
    };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    if (rejected === 0) return undefined;
    const why = partialSuccess?.errorMessage;
    return `it rejected ${rejected} spans${typeof why === 'string' && why !== '' ? ` (${forTerminal(why)})` : ''}`;
  } catch {
    // The reply may be empty, or it may be no JSON.
    return undefined;
  }
}
