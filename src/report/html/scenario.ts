import type { PlannedScenario } from '../../journal/event.ts';
import { replyMs } from '../../journal/exchange.ts';
import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { forTerminal } from '../escape.ts';
import type { PlayedScenario } from '../exchanges.ts';
import type { ReportOptions } from '../options.ts';
import { runAgain, shownFile } from '../run-again.ts';
import { clip, columnsOf, duration, padEnd, plural } from '../terminal/layout.ts';
import { type BalancePoint, balanceCharts, balancePoints } from './balances.ts';
import { differencesOf } from './differences.ts';
import { command, exchangeDetails } from './exchange.ts';
import { anchor, badge, block, type Content, html, linkTo, type Markup, NOTHING, sign } from './markup.ts';
import { type ReadExchange, readExchange } from './reading.ts';
import { timelineCharts } from './timeline-chart.ts';

/** Maximum number of exchanges of one scenario that are shown unfolded. Further exchanges are folded. */
const MAX_OPEN_EXCHANGES = 12;

/** Renders one scenario: its findings, its source and its exchanges. The scenario is unfolded if it failed. */
export function scenarioCard(played: PlayedScenario, fold: Fold, options: ReportOptions): Markup {
  const { scenario, exchangeCount } = played;
  const { planned, verdict, durationMs, findings } = scenario;
  const isOpen = verdict === 'fail';
  const words = [planned.id, planned.title, planned.place.file, ...planned.rules, ...findings.map(({ rule }) => rule)];
  const facts = [
    ...(exchangeCount > 0 ? [plural(exchangeCount, 'call')] : []),
    ...(durationMs === null ? [] : [duration(durationMs)]),
    ...(scenario.attempt > 1 ? [`attempt ${scenario.attempt}`] : []),
    ...(scenario.flaky ? ['flaky: it passed on retry'] : []),
    ...(scenario.restored === false ? ['balance not restored'] : []),
  ];
  const isAboutMoney = fold.rules.some(({ rule }) => rule.money && planned.rules.includes(rule.id));
  return html`<details class="scenario ${verdict}" id="${anchor('scenario', planned.id)}" data-verdict="${verdict}" data-money="${isAboutMoney ? 'yes' : 'no'}" data-words="${words.join(' ')}"${isOpen ? html` open` : null}>
<summary>${badge(verdict)} <span class="title">${planned.title}</span> <span class="facts"><code>${planned.id}</code> ${facts.join(', ')}</span></summary>
<div class="inside">
${reasonParagraph(played)}${findings.length === 0 ? null : findingList(played)}
${body(played, fold, options)}</div></details>
`;
}

function reasonParagraph({ scenario: { reason, findings } }: PlayedScenario): Content {
  // The reason often repeats the text of a finding, which is shown anyway.
  if (reason === null || findings.some(({ actual }) => actual === reason)) return null;
  return html`<p class="sentence">${reason}.</p>
`;
}

function findingList({ scenario: { findings, findingCount } }: PlayedScenario): Markup {
  const more = findingCount - findings.length;
  return html`<ol class="findings">${findings.map(findingItem)}</ol>
${more > 0 ? html`<p class="dim">and ${plural(more, 'further finding')} of the same kind</p>` : null}`;
}

function findingItem({
  rule,
  verdict,
  endpoint,
  expected,
  actual,
  place,
  exchange,
  because,
  reason,
}: JudgedFinding): Markup {
  const name = rule === EXPECTATION ? html`<b>${rule}</b>` : html`<a href="${linkTo('rule', rule)}"><b>${rule}</b></a>`;
  const where = [
    ...(endpoint === null ? [] : [html`${endpoint}`]),
    ...(place === null ? [] : [html`line ${place.line}`]),
    ...(exchange === null ? [] : [html`<a href="${linkTo('call', exchange)}">${exchange}</a>`]),
  ];
  const cause =
    because === null
      ? null
      : html`<dt>because of</dt><dd><a href="${linkTo('rule', because)}">${because}</a>${reason === null ? null : html`: ${reason}`}</dd>`;
  return html`<li class="${verdict}"><p>${sign(verdict)}${name} <span class="dim">${where.map((one, at) => html`${at > 0 ? ', ' : ''}${one}`)}</span></p>
<dl><dt>expected</dt><dd class="expected">${expected}</dd><dt>actual</dt><dd class="actual">${actual}</dd>${cause}</dl></li>
`;
}

function body(played: PlayedScenario, fold: Fold, options: ReportOptions): Content {
  const { scenario, exchanges, exchangeCount, races } = played;
  const { planned, findings } = scenario;
  const again = runAgain(planned, fold.run.flags);
  const source = sourceListing(planned, findings, options.readLine);
  const run = again === null ? null : command(again, 'Run it alone');
  if (exchanges.length === 0) return [source, run];
  const raced = new Set(races.flatMap((race) => race.exchanges));
  const read = exchanges.map(readExchange);
  const points = balancePoints(read, fold, raced);
  const differences = differencesOf(read, raced);
  const named = new Set(findings.map(({ exchange }) => exchange));
  const rows = rowsOf(read, named);
  const shown = read.filter(({ sending }) => named.has(sending.id)).slice(0, MAX_OPEN_EXCHANGES);
  const folded = rows.flatMap(({ first }) => (shown.includes(first) ? [] : [first]));
  const details = (exchange: ReadExchange, open: boolean): Content => {
    const found = differences.get(exchange.sending.id);
    return found ? exchangeDetails(exchange, found, { open, curl: options.curl }) : null;
  };
  const left = exchangeCount - exchanges.length;
  const isWrong = scenario.verdict === 'fail' || scenario.verdict === 'inconclusive';
  const table = callsTable(rows, new Map(points.map((point) => [point.id, point])), findings);
  const isDrawn = findings.length > 0 || points.some(({ isOff }) => isOff);
  return [
    isDrawn ? balanceCharts(points) : null,
    timelineCharts(played),
    source,
    shown.map((exchange) => details(exchange, true)),
    isWrong ? table : callsListing(rows),
    left > 0 ? html`<p class="dim">and ${plural(left, 'further call')}, which only the journal shows</p>\n` : null,
    // The exchanges stay plain text until the scenario is opened. Otherwise the browser would have to build thousands of
    // elements.
    html`<script type="text/plain" class="later">${isWrong ? null : table}${folded.map((exchange) => details(exchange, false))}</script>\n`,
    run,
  ];
}

/** Number of lines of a scenario file that are always shown. Later lines are shown only if they are near a finding. */
const WHOLE_LINES = 80;
const LINES_AROUND = 8;
const MAX_LINE = 240;

/** Renders the source of the scenario, with the lines of findings marked. */
function sourceListing(
  planned: PlannedScenario,
  findings: readonly JudgedFinding[],
  readLine: ReportOptions['readLine'],
): Markup {
  const { place } = planned;
  if (place.file === '') return NOTHING;
  const hits = new Map(
    // The first finding of a line is the most severe. The order is reversed, so that the map keeps this finding and not a later
    // one.
    findings
      .toReversed()
      .flatMap(({ place: at, verdict }) => (at?.file === place.file ? [[at.line, verdict] as const] : [])),
  );
  const last = Math.max(WHOLE_LINES, ...[...hits.keys()].map((line) => line + LINES_AROUND));
  const lines: Markup[] = [];
  let isCut = false;
  for (let line = 1; line <= last; line += 1) {
    const text = readLine({ file: place.file, line, column: 1 });
    if (text === null || (line > WHOLE_LINES && !isNear(line, hits))) {
      isCut ||= text !== null;
      continue;
    }
    if (text === '' && readLine({ file: place.file, line: line + 1, column: 1 }) === null) continue;
    // This comment is for editors, not for readers of the report.
    if (text.startsWith('# yaml-language-server:')) continue;
    const verdict = hits.get(line);
    const number = String(line).padStart(4);
    const shown = html`<i>${number}</i> ${withComment(clip(text, MAX_LINE))}`;
    lines.push(verdict === undefined ? html`${shown}\n` : html`<b class="${verdict}">${shown}</b>\n`);
  }
  if (lines.length === 0) return NOTHING;
  isCut ||= readLine({ file: place.file, line: last + 1, column: 1 }) !== null;
  return html`<figure class="source"><figcaption>${shownFile(planned)}</figcaption><pre tabindex="0">${lines}</pre>${isCut ? html`<p class="dim">The file is longer. After line ${WHOLE_LINES}, only lines near a finding are shown.</p>` : null}</figure>
`;
}

function isNear(line: number, hits: ReadonlyMap<number, unknown>): boolean {
  return [...hits.keys()].some((hit) => Math.abs(hit - line) <= LINES_AROUND);
}

/** Renders a line of source with its comment dimmed. */
function withComment(text: string): Markup {
  const at = /(?:^|\s)#\s/.exec(text)?.index;
  return at === undefined
    ? block(text)
    : html`${block(text.slice(0, at))}<span class="dim">${block(text.slice(at))}</span>`;
}

/** Maximum width of a column of the list of calls, in characters. */
const MAX_COLUMN = 40;

/** One row of the table of calls. Successive balance reads by croupier itself share a row if they have the same result. */
interface Row {
  readonly first: ReadExchange;
  count: number;
}

/**
 * Renders a table of all calls of a scenario.
 *
 * @param points the balances at each call, by the id of the exchange
 */
function callsTable(
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
<thead><tr><th scope="col">Step</th><th scope="col">Call</th><th scope="col">Reply</th><th scope="col">Balance</th><th scope="col">Expected</th><th scope="col">Took</th><th scope="col">Exchange</th></tr></thead>
<tbody>${lines}</tbody></table></div>
`;
}

/**
 * Groups exchanges into rows.
 *
 * @param named ids of exchanges that must have a row of their own
 */
function rowsOf(exchanges: readonly ReadExchange[], named: ReadonlySet<string | null>): readonly Row[] {
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

function rowMarkup({ first, count }: Row, point: BalancePoint | undefined, found: readonly JudgedFinding[]): Markup {
  const { sending, received, answer, label } = first;
  const { id, step, purpose } = sending;
  const ms = received === null ? null : replyMs(received.stamps);
  const gravest = found[0];
  const reported = point?.reported == null ? '' : point.reportedText;
  return html`<tr${gravest ? html` class="found ${gravest.verdict}"` : null}><th scope="row">${purpose === 'step' ? (step ?? '') : html`<i>${purpose}</i>`}</th><td>${label}${count > 1 ? html` <i>× ${count}</i>` : null}</td><td>${answer === null ? 'unknown' : answer.text}${found.map(({ rule, verdict }) => html` ${sign(verdict)}${rule}`)}</td><td>${point?.isOff ? html`<mark>${reported}</mark>` : reported}</td><td>${point?.shouldText ?? ''}</td><td>${ms === null ? '' : duration(ms)}</td><td><a href="${linkTo('call', id)}">${id}</a></td></tr>
`;
}

/** Renders all calls of a scenario that passed as plain lines, which a browser can show fast. */
function callsListing(rows: readonly Row[]): Markup {
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
