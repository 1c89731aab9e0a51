import { replyMs } from '../../journal/exchange.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { forTerminal } from '../escape.ts';
import { columnsOf, duration, padEnd } from '../terminal/layout.ts';
import type { BalancePoint } from './balances.ts';
import type { Differences } from './differences.ts';
import { exchangeBody } from './exchange.ts';
import { anchor, block, type Content, html, type Markup, sign } from './markup.ts';
import type { ReadExchange } from './reading.ts';

/**
 * One row of the list of calls. If croupier itself read a balance several times in a row with the same result, these reads share a
 * row.
 */
export interface Row {
  readonly first: ReadExchange;
  count: number;
}

/** The facts about the exchanges of one scenario that the list of calls shows. The key of each map is the id of the exchange. */
export interface CallFacts {
  readonly points: ReadonlyMap<string, BalancePoint>;
  readonly differences: ReadonlyMap<string, Differences>;
  readonly findings: ReadonlyMap<string | null, readonly JudgedFinding[]>;
  /** True if the list may show signatures and curl commands. */
  readonly curl: boolean;
}

/** Groups exchanges into rows. An exchange that a finding names has a row of its own. */
export function rowsOf(exchanges: readonly ReadExchange[], named: ReadonlySet<string | null>): readonly Row[] {
  const rows: Row[] = [];
  for (const exchange of exchanges) {
    const last = rows.at(-1);
    if (last && !named.has(exchange.sending.id) && hasSameResult(exchange, last.first)) last.count += 1;
    else rows.push({ first: exchange, count: 1 });
  }
  return rows;
}

function hasSameResult({ sending, answer }: ReadExchange, before: ReadExchange): boolean {
  return (
    sending.purpose !== 'step' &&
    sending.call === 'balance' &&
    sending.purpose === before.sending.purpose &&
    sending.request.url === before.sending.request.url &&
    answer?.text === before.answer?.text
  );
}

/**
 * Renders a list of calls. Each row unfolds into the request and the reply.
 *
 * @param open the ids of the exchanges that are unfolded
 */
export function callsList(rows: readonly Row[], facts: CallFacts, open: ReadonlySet<string>): Markup {
  return html`<div class="calls"><p class="columns" aria-hidden="true"><span>Step</span><span>Call</span><span>Reply</span><span>Balance</span><span>Expected</span><span>Took</span><span>Exchange</span></p>
${rows.map((row) => rowMarkup(row, facts, open.has(row.first.sending.id)))}</div>
`;
}

function rowMarkup({ first, count }: Row, facts: CallFacts, isOpen: boolean): Content {
  const { sending, received, answer, label } = first;
  const { id, step, purpose } = sending;
  const differences = facts.differences.get(id);
  if (!differences) return null;
  const ms = received === null ? null : replyMs(received.stamps);
  const found = facts.findings.get(id) ?? [];
  const point = facts.points.get(id);
  const reported = point?.reported == null ? '' : point.reportedText;
  const broken = found.map(({ rule, verdict }) => html` ${sign(verdict)}${rule}`);
  return html`<details class="exchange${found[0] ? ` found ${found[0].verdict}` : ''}" id="${anchor('call', id)}"${isOpen ? html` open` : null}><summary><span>${purpose === 'step' ? (step ?? '') : html`<i>${purpose}</i>`}</span><span>${label}${count > 1 ? html` <i>× ${count}</i>` : null}</span><span>${answer === null ? 'unknown' : answer.text}${broken}</span><span>${point?.isOff ? html`<mark>${reported}</mark>` : reported}</span><span>${point?.shouldText ?? ''}</span><span>${ms === null ? '' : duration(ms)}</span><span>${id}</span></summary>
${exchangeBody(first, differences, { drawn: isOpen, curl: facts.curl })}</details>
`;
}

/** Maximum width of a column of the plain list of calls, in characters. */
const MAX_COLUMN = 40;

/** Renders all calls of a scenario as plain lines, for a browser that runs no scripts. */
export function callsListing(rows: readonly Row[]): Markup {
  const cells = rows.map(({ first: { sending, received, answer, label }, count }) => {
    const ms = received === null ? null : replyMs(received.stamps);
    return [
      sending.purpose === 'step' ? (sending.step ?? '') : sending.purpose,
      count > 1 ? `${label} × ${count}` : label,
      answer === null ? 'unknown' : answer.text,
      ms === null ? '' : duration(ms),
      sending.id,
    ].map(forTerminal);
  });
  const widths = [0, 1, 2, 3].map((at) =>
    Math.min(Math.max(0, ...cells.map((row) => columnsOf(row[at] ?? ''))), MAX_COLUMN),
  );
  const lines = cells.map((row) => row.map((text, at) => padEnd(text, widths[at] ?? 0)).join('  '));
  return html`<pre class="listing">${block(lines.join('\n'))}</pre>
`;
}
