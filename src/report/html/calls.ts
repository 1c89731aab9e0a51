import { replyMs } from '../../journal/exchange.ts';
import type { JudgedFinding } from '../../journal/judged-cell.ts';
import { forTerminal } from '../escape.ts';
import { duration } from '../layout.ts';
import { linkTo } from './anchors.ts';
import { sign } from './badge.ts';
import type { BalancePoint } from './balances.ts';
import { block, html, type Markup } from './markup.ts';
import type { ReadExchange } from './reading.ts';

/** Columns of the listing. */
const WIDEST = 40;

/** Calls that are shown in one row: reads of croupier's own that say the same as the one before are only counted. */
interface Row {
  readonly first: ReadExchange;
  count: number;
}

/**
 * All calls of a scenario, one to a row.
 *
 * @param points what is known of the balance at each, by the exchange's id
 */
export function callsTable(
  rows: readonly Row[],
  points: ReadonlyMap<string, BalancePoint>,
  findings: readonly JudgedFinding[],
): Markup {
  const found = Map.groupBy(findings, ({ exchange }) => exchange);
  const lines = rows.map((row) => {
    const { id } = row.first.sending;
    return rowMarkup(row, points.get(id), found.get(id) ?? []);
  });
  return html`<div class="wide" tabindex="0" role="region" aria-label="calls"><table class="calls">
<thead><tr><th scope="col">Step</th><th scope="col">Call</th><th scope="col">Answered</th><th scope="col">Balance</th><th scope="col">Should be</th><th scope="col">Took</th><th scope="col">Exchange</th></tr></thead>
<tbody>${lines}</tbody></table></div>
`;
}

/** @param named ids of exchanges that must have a row of their own */
export function rowsOf(exchanges: readonly ReadExchange[], named: ReadonlySet<string | null>): readonly Row[] {
  const rows: Row[] = [];
  for (const exchange of exchanges) {
    const last = rows.at(-1);
    if (last && !named.has(exchange.sending.id) && saysTheSame(exchange, last.first)) last.count += 1;
    else rows.push({ first: exchange, count: 1 });
  }
  return rows;
}

function saysTheSame({ sending, answer }: ReadExchange, before: ReadExchange): boolean {
  return (
    sending.purpose !== 'step' &&
    sending.call === 'balance' &&
    sending.purpose === before.sending.purpose &&
    sending.request.url === before.sending.request.url &&
    answer?.text === before.answer?.text
  );
}

function rowMarkup({ first, count }: Row, point: BalancePoint | undefined, found: readonly JudgedFinding[]): Markup {
  const { sending, received, answer, label } = first;
  const { id, step, purpose } = sending;
  const ms = received === null ? null : replyMs(received.stamps);
  const gravest = found[0];
  const said = point?.reported == null ? '' : point.reportedText;
  return html`<tr${gravest ? html` class="found ${gravest.verdict}"` : null}><th scope="row">${purpose === 'step' ? (step ?? '') : html`<i>${purpose}</i>`}</th><td>${label}${count > 1 ? html` <i>× ${count}</i>` : null}</td><td>${answer === null ? 'no reply is known' : answer.text}${found.map(({ rule, verdict }) => html` ${sign(verdict)}${rule}`)}</td><td>${point?.isOff ? html`<mark>${said}</mark>` : said}</td><td>${point?.shouldText ?? ''}</td><td>${ms === null ? '' : duration(ms)}</td><td><a href="${linkTo('call', id)}">${id}</a></td></tr>
`;
}

/** The same as plain lines: little for a browser to build, where nothing is wrong and nobody may look. */
export function callsListing(rows: readonly Row[]): Markup {
  const cells = rows.map(({ first: { sending, received, answer, label }, count }) => {
    const ms = received === null ? null : replyMs(received.stamps);
    return [
      sending.purpose === 'step' ? (sending.step ?? '') : sending.purpose,
      count > 1 ? `${label} × ${count}` : label,
      answer === null ? 'no reply is known' : answer.text,
      ms === null ? '' : duration(ms),
      sending.id,
    ].map(forTerminal);
  });
  const widths = [0, 1, 2, 3].map((at) => Math.min(Math.max(0, ...cells.map((row) => row[at]?.length ?? 0)), WIDEST));
  const lines = cells.map((row) => row.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  '));
  return html`<pre class="listing">${block(lines.join('\n'))}</pre>
`;
}
