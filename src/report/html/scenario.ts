import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-cell.ts';
import { duration, plural } from '../layout.ts';
import type { ReportOptions } from '../options.ts';
import { runAgain } from '../run-again.ts';
import type { PlayedScenario } from '../scenario-exchanges.ts';
import { anchor, linkTo } from './anchors.ts';
import { badge, sign } from './badge.ts';
import { balanceCharts } from './balance-chart.ts';
import { balancePoints } from './balances.ts';
import { callsListing, callsTable, rowsOf } from './calls.ts';
import { differencesOf } from './differences.ts';
import { command, exchangeDetails } from './exchange.ts';
import { type Content, html, type Markup } from './markup.ts';
import { type ReadExchange, readExchange } from './reading.ts';
import { sourceListing } from './source.ts';
import { timelineCharts } from './timeline-chart.ts';

/** So many exchanges of one scenario are shown whole without a script; the others when they are asked for. */
const WHOLE = 12;

/** One scenario: what was found, the source at the place, what was sent and answered. Unfolded when something was found wrong. */
export function scenarioCard(played: PlayedScenario, fold: Fold, options: ReportOptions): Markup {
  const { scenario, exchangeCount } = played;
  const { planned, verdict, durationMs, findings } = scenario;
  const isOpen = verdict === 'fail';
  const words = [planned.id, planned.title, planned.place.file, ...planned.rules, ...findings.map(({ rule }) => rule)];
  const facts = [
    ...(exchangeCount > 0 ? [plural(exchangeCount, 'call')] : []),
    ...(durationMs === null ? [] : [duration(durationMs)]),
    ...(scenario.attempt > 1 ? [`attempt ${scenario.attempt}`] : []),
    ...(scenario.flaky ? ['flaky: it passed when it was played again'] : []),
    ...(scenario.restored === false ? ['balance not brought back'] : []),
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
  // The reason is mostly what was seen first.
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
  const shown = read.filter(({ sending }) => named.has(sending.id)).slice(0, WHOLE);
  const folded = rows.flatMap(({ first }) => (shown.includes(first) ? [] : [first]));
  const details = (exchange: ReadExchange, open: boolean): Content => {
    const found = differences.get(exchange.sending.id);
    return found ? exchangeDetails(exchange, found, open) : null;
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
    left > 0 ? html`<p class="dim">and ${plural(left, 'further call')}, in the journal only</p>\n` : null,
    // Text until somebody opens the scenario: thousands of exchanges cost a browser nothing until then.
    html`<script type="text/plain" class="later">${isWrong ? null : table}${folded.map((exchange) => details(exchange, false))}</script>\n`,
    run,
  ];
}
