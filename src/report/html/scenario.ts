import { plural } from '../../contract/plural.ts';
import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';
import type { PlayedScenario } from '../exchanges.ts';
import type { ReportOptions } from '../options.ts';
import { runAgain } from '../run-again.ts';
import { duration } from '../terminal/layout.ts';
import { balanceCharts, balancePoints } from './balances.ts';
import { type CallFacts, callsList, callsListing, type Row, rowsOf } from './calls.ts';
import { differencesOf } from './differences.ts';
import { command } from './exchange.ts';
import type { ScenarioView } from './failures.ts';
import { anchor, badge, type Content, html, linkTo, type Markup, NOTHING, proseFromOutside, sign } from './markup.ts';
import { packed } from './packed.ts';
import { readExchange } from './reading.ts';
import { sourceListing } from './source-listing.ts';
import { ticket } from './ticket.ts';
import { timelineCharts } from './timeline-chart.ts';

/** Maximum number of exchanges of one scenario that are shown unfolded. Further exchanges are folded. */
const MAX_OPEN_EXCHANGES = 12;

/** True if a result needs the attention of the reader: a failure, a warning, or a rule that could not be decided. */
export function isWrong({ verdict }: Pick<ScenarioResult, 'verdict'>): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || verdict === 'warn';
}

/**
 * Renders one scenario: its findings, its source and its exchanges.
 *
 * @param sources the files whose source the page already shows, each with the scenario that shows the source. If this scenario
 * shows the source of a file, the file is added.
 */
export function scenarioCard(
  played: PlayedScenario,
  view: ScenarioView,
  fold: Fold,
  options: ReportOptions,
  sources: Map<string, string>,
): Markup {
  const { scenario, exchangeCount } = played;
  const { planned, verdict, durationMs, findings } = scenario;
  const words = [planned.id, planned.title, planned.place.file, ...planned.rules, ...findings.map(({ rule }) => rule)];
  const facts = [
    ...(exchangeCount > 0 ? [plural(exchangeCount, 'call')] : []),
    ...(durationMs === null ? [] : [duration(durationMs)]),
    ...(scenario.attempt > 1 ? [`attempt ${scenario.attempt}`] : []),
    ...(scenario.flaky ? ['flaky: it passed on retry'] : []),
    ...(scenario.restored === false ? ['balance not restored'] : []),
  ];
  const isAboutMoney = fold.rules.some(({ rule }) => rule.money && planned.rules.includes(rule.id));
  return html`<details class="scenario ${verdict}" id="${anchor('scenario', planned.id)}" data-verdict="${verdict}" data-money="${isAboutMoney ? 'yes' : 'no'}" data-words="${words.join(' ')}"${view === 'folded' ? null : html` open`}>
<summary>${badge(verdict)} <span class="title">${planned.title}</span> <span class="facts"><code>${planned.id}</code> ${facts.join(', ')}</span></summary>
<div class="inside">
${reasonParagraph(played)}${findings.length === 0 ? null : findingList(played)}
${body(played, view, fold, options, sources)}</div></details>
`;
}

function reasonParagraph({ scenario: { reason, findings } }: PlayedScenario): Content {
  // The reason is left out if it only repeats the text of a finding, because the findings are shown anyway.
  if (reason === null || findings.some(({ actual }) => actual === reason)) return null;
  return html`<p class="sentence">${proseFromOutside(reason)}.</p>
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
      : html`<dt>because of</dt><dd><a href="${linkTo('rule', because)}">${because}</a>${reason === null ? null : html`: ${proseFromOutside(reason)}`}</dd>`;
  return html`<li class="${verdict}"><p>${sign(verdict)}${name} <span class="dim">${where.map((one, at) => html`${at > 0 ? ', ' : ''}${one}`)}</span></p>
<dl><dt>expected</dt><dd class="expected">${proseFromOutside(expected)}</dd><dt>actual</dt><dd class="actual">${proseFromOutside(actual)}</dd>${cause}</dl></li>
`;
}

function body(
  played: PlayedScenario,
  view: ScenarioView,
  fold: Fold,
  options: ReportOptions,
  sources: Map<string, string>,
): Content {
  const { scenario, exchanges, exchangeCount, races } = played;
  const { planned, findings } = scenario;
  const again = runAgain(planned, fold.run.flags);
  const source = sourceOnce(scenario, options, sources);
  const run = again === null ? null : command(again, 'Run it alone');
  if (exchanges.length === 0) return [source, run];
  const raced = new Set(races.flatMap((race) => race.exchanges));
  const read = exchanges.map(readExchange);
  const points = balancePoints(read, fold, raced);
  const named = new Set(findings.map(({ exchange }) => exchange));
  const rows = rowsOf(read, named);
  const facts: CallFacts = {
    points: new Map(points.map((point) => [point.id, point])),
    differences: differencesOf(read, raced),
    findings: Map.groupBy(findings, ({ exchange }) => exchange),
    curl: options.curl,
  };
  const isShown = ({ first: { sending } }: Row): boolean =>
    named.has(sending.id) || (view === 'whole' && sending.purpose === 'step');
  const shown = rows.filter(isShown).slice(0, MAX_OPEN_EXCHANGES);
  const open = new Set(shown.map(({ first }) => first.sending.id));
  const left = exchangeCount - exchanges.length;
  const isDrawn = findings.length > 0 || points.some(({ isOff }) => isOff);
  const list = callsList(rows, facts, open);
  const ids = rows.map(({ first }) => first.sending.id);
  return [
    isDrawn ? balanceCharts(points) : null,
    timelineCharts(played),
    source,
    // Without scripts, the page shows the exchanges of the findings, and the other calls as plain lines. The script replaces both
    // with one list. The script creates the list only when the reader opens the scenario, because a browser needs a long time to
    // show thousands of elements.
    html`<div class="scriptless">${shown.length === 0 ? null : callsList(shown, facts, open)}${callsListing(rows)}</div>
`,
    packed(list, ids, options.scrub),
    left > 0 ? html`<p class="dim">and ${plural(left, 'further call')}, which only the journal shows</p>\n` : null,
    run,
    scenario.verdict === 'fail' ? ticket(played, fold, options) : null,
  ];
}

/**
 * Renders the source of a scenario. If the page already shows the file, and no finding marks a line of the file, renders only a
 * link.
 */
function sourceOnce(
  { planned, findings }: ScenarioResult,
  { readLine }: ReportOptions,
  sources: Map<string, string>,
): Markup {
  const { file } = planned.place;
  const other = sources.get(file);
  if (other !== undefined && findings.length === 0)
    return html`<p class="dim">The source is shown in <a href="${linkTo('scenario', other)}">${other}</a>.</p>
`;
  const listing = sourceListing(planned, findings, readLine);
  if (listing === NOTHING) return NOTHING;
  if (other === undefined) sources.set(file, planned.id);
  return listing;
}
