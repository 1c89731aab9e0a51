import { type Body, bodyText, type HeaderList } from '../../journal/exchange.ts';
import { curlLine } from '../curl.ts';
import { noReplySentence, notableReplyHeaders, notableRequestHeaders, phasesOf } from '../exchange-summary.ts';
import type { JournalledExchange } from '../exchanges.ts';
import { walletText } from '../terminal/exchange.ts';
import { capital, clip, duration } from '../terminal/layout.ts';
import type { Difference, Differences } from './differences.ts';
import { block, type Content, html, linkTo, type Markup } from './markup.ts';
import type { ReadExchange } from './reading.ts';

/** Maximum number of characters of a body that the page shows. The journal may hold more. */
const MAX_BODY = 4000;
const MAX_HEADER_VALUE = 400;

/**
 * Renders the inside of one exchange: request and reply with their differences, timings, and a curl command.
 *
 * @param drawn true if a bar shows the phases of the exchange
 * @param curl false to cut the signature and to leave out the curl command
 */
export function exchangeBody(
  exchange: ReadExchange,
  differences: Differences,
  { drawn, curl }: { readonly drawn: boolean; readonly curl: boolean },
): Markup {
  const { received, sending } = exchange;
  const { request, trace } = sending;
  return html`<div class="sides"><section><h5>Request</h5>${first(differences)}
${message(`${request.method} ${request.url}`, notableRequestHeaders(sending, curl), request.body, differences.request)}</section>
<section><h5>Reply</h5>
${reply(exchange, differences)}</section></div>${
    trace === undefined
      ? null
      : html`
<p class="dim">Trace <code>${trace.traceID}</code>, span <code>${trace.spanID}</code></p>`
  }
${received === null ? null : timing(received.stamps, received.connection?.reused === true, drawn)}
${curl ? again(curlLine(request)) : null}`;
}

function first({ first }: Differences): Content {
  return first === null
    ? null
    : html`<p class="dim">This is the same transaction as <a href="${linkTo('call', first)}">${first}</a>.</p>`;
}

function message(line: Content, headers: HeaderList, body: Body | null, differences: readonly Difference[]): Markup {
  const lines = headers.map(
    ([name, value]) => html`
<span class="dim">${name}:</span> ${clip(value, MAX_HEADER_VALUE)}`,
  );
  return html`<pre class="message"><b>${line}</b>${lines}${
    body === null
      ? null
      : html`

${bodyMarkup(body, differences)}`
  }</pre>`;
}

function bodyMarkup(body: Body, differences: readonly Difference[]): Markup {
  if (body.length === 0) return html`<i class="dim">an empty body</i>`;
  const text = bodyText(body);
  const kept = text.slice(0, MAX_BODY);
  const rest =
    kept.length < text.length || body.truncated ? html`<i class="dim">… ${body.length} bytes in all</i>` : null;
  const foreign =
    body.encoding === 'utf8'
      ? null
      : html`<i class="dim">not UTF-8, shown byte by byte:</i>
`;
  return html`${foreign}${marked(kept, differences)}${rest}`;
}

/** Marks the differences in a text, each followed by its note about the expected or first value. */
function marked(text: string, differences: readonly Difference[]): readonly Markup[] {
  let at = 0;
  const pieces: Markup[] = [];
  for (const { from, to, note } of differences) {
    if (to > text.length) break;
    pieces.push(block(text.slice(at, from)), html`<mark>${block(text.slice(from, to))}</mark><ins>${note}</ins>`);
    at = to;
  }
  return [...pieces, block(text.slice(at))];
}

function reply({ received }: JournalledExchange, { reply, missing, status }: Differences): Markup {
  if (received === null) return html`<p>Unknown: the journal ends before the reply.</p>`;
  const { outcome } = received;
  if (outcome.kind === 'none') {
    const head = outcome.head ? html` Status ${outcome.head.status} had already arrived.` : null;
    return html`<p>None: ${noReplySentence(outcome.reason)}${outcome.detail === '' ? '' : ` (${outcome.detail})`}.${head}</p>`;
  }
  const { headers, body } = outcome.reply;
  const line =
    status === null ? String(outcome.reply.status) : html`<mark>${outcome.reply.status}</mark><ins>${status}</ins>`;
  const wallet = walletText(received.model);
  return html`${message(line, notableReplyHeaders(headers), body, reply)}
${missing.length === 0 ? null : html`<p>Missing: <ins>${missing.join(', ')}</ins></p>`}${wallet === null ? null : html`<p class="dim">${capital(wallet)}.</p>`}`;
}

type Stamps = NonNullable<JournalledExchange['received']>['stamps'];

/** Renders the phases of an exchange in words. If `drawn` is true, a bar shows them too. */
function timing(stamps: Stamps, reused: boolean, drawn: boolean): Markup {
  const phases = phasesOf(stamps, reused);
  const all = stamps.end - stamps.start;
  const kept = reused ? 'connection kept alive, ' : '';
  if (!drawn) {
    const words = phases.map(({ name, ms }) => `${name} ${duration(ms)}`).join(', ');
    return html`<p class="timing">${duration(all)}: ${kept}${words}</p>`;
  }
  let at = 0;
  const bars = phases.map(({ name, ms }) => {
    const x = at;
    at += (ms / Math.max(all, 0.001)) * 1000;
    return html`<rect class="${phaseClass(name)}" x="${x.toFixed(1)}" width="${Math.max(at - x, 0).toFixed(1)}" height="8"/>`;
  });
  const words = phases.map(
    ({ name, ms }) => html`<span class="key ${phaseClass(name)}">${name} ${duration(ms)}</span> `,
  );
  return html`<div class="timing"><svg viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>
<p>${duration(all)}: ${kept}${words}</p></div>`;
}

function phaseClass(name: string): string {
  return `phase-${name.replaceAll(' ', '-')}`;
}

function again(line: string | null): Markup {
  if (line === null) return html`<p class="dim">No curl command: the journal does not hold the whole body.</p>`;
  return command(line, 'Send it again');
}

/**
 * Renders a shell command with a button that copies it. The button is hidden until the script of the page shows it, because the
 * button does nothing without the script.
 */
export function command(line: string, label: string): Markup {
  return html`<div class="command"><span class="dim">${label}</span><code tabindex="0">${block(line)}</code><button type="button" class="copy" hidden>Copy</button></div>`;
}
