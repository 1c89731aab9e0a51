import type { Cause } from '../../journal/cause.ts';
import { conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import { movedAloneWarning, type ScenarioResult } from '../../journal/scenario-result.ts';
import { quoteWord } from '../curl.ts';
import { eachScenario } from '../exchanges.ts';
import { baselineFile, knownInOrder, knownName, knownSentence } from '../known-failures.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { runAgain } from '../run-again.ts';
import { capital, plural } from '../terminal/layout.ts';
import { owedSentence } from '../terminal/left-behind.ts';
import { command } from './exchange.ts';
import { latencySection } from './latency-chart.ts';
import { html, linkTo, type Markup, MONEY, NOTHING, prose, sign } from './markup.ts';
import { pageEnd, pageHead, toolbar } from './page.ts';
import { reasonsSection, rulesSection } from './rules.ts';
import { scenarioCard } from './scenario.ts';
import { verdictHeader } from './verdict.ts';

/**
 * Writes the report as one page for a browser. The page loads nothing from outside and can be read without its script. Failures
 * come first, with all details. The script unfolds the exchanges of the other scenarios.
 */
export async function* htmlReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  const parts = options.page();
  const { firstLine } = conclude(fold);
  yield pageHead(firstLine, parts).text;
  yield html`<a class="jump" href="#main">To the report</a>
${verdictHeader(fold)}
${toolbar(fold)}
<main id="main">
${causesSection(fold)}${knownSection(fold)}${leftBehindSection(fold, options)}${rulesSection(fold)}`.text;

  const doubtful: string[] = [];
  yield* failedScenarios(fold, open, options, doubtful);
  if (doubtful.length > 0) {
    yield heading('doubtful', 'Undecided scenarios', doubtful.length).text;
    yield* doubtful;
    yield SECTION_END;
  }
  yield reasonsSection(fold, 'undecided', 'Undecided rules', ['inconclusive']).text;

  const rest = (scenario: ScenarioResult): boolean => !isWrong(scenario) && scenario.state !== 'not-started';
  const others = fold.scenarios.filter(rest).length;
  if (others > 0) yield heading('others', fold.scenarios.some(isWrong) ? 'Other scenarios' : 'Scenarios', others).text;
  for await (const played of eachScenario(fold, open, options.exchangesPerScenario, rest)) {
    yield scenarioCard(played, fold, options).text;
  }
  if (others > 0) yield SECTION_END;
  yield html`${notPlayed(fold)}${reasonsSection(fold, 'untested', 'Not tested', ['skip', 'untested'])}${latencySection(fold)}${noticesSection(fold)}</main>
<footer><p>Made by croupier ${fold.run.croupier} from the journal of run <code>${fold.run.runID}</code>${options.journal === null ? null : html`, <code>${options.journal}</code>`}. This page loads nothing from outside.</p></footer>
${pageEnd(parts)}`.text;
}

function isWrong({ verdict }: ScenarioResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive';
}

/** Yields the failed scenarios and collects the undecided ones, so that one pass over the journal is enough for both. */
async function* failedScenarios(
  fold: Fold,
  open: OpenJournal,
  options: ReportOptions,
  doubtful: string[],
): AsyncGenerator<string> {
  const failed = fold.scenarios.filter(({ verdict }) => verdict === 'fail').length;
  if (!fold.scenarios.some(isWrong)) return;
  if (failed > 0) yield heading('broken', 'Failures', failed).text;
  for await (const played of eachScenario(fold, open, options.exchangesPerScenario, isWrong)) {
    const card = scenarioCard(played, fold, options).text;
    if (played.scenario.verdict === 'fail') yield card;
    else doubtful.push(card);
  }
  if (failed > 0) yield SECTION_END;
}

/** Lists the scenarios that were planned but not started. */
function notPlayed({ scenarios }: Fold): Markup {
  const names = scenarios.filter(({ state }) => state === 'not-started').map(({ planned }) => planned.id);
  if (names.length === 0) return NOTHING;
  return html`<details class="unplayed"><summary>${capital(plural(names.length, 'scenario'))} ${names.length === 1 ? 'was' : 'were'} not played</summary><p>${names.join(', ')}</p></details>
`;
}

const SECTION_END = '</section>\n';

function heading(id: string, title: string, count: number): Markup {
  return html`<section id="${id}" class="scenarios"><h2>${title} <span class="count" data-all="${count}">${count}</span></h2>
`;
}

const MAX_NAMES = 8;

/** Renders the likely causes: the effect of each cause, where to see it, and the command that plays its scenario again. */
export function causesSection(fold: Fold): Markup {
  const { causes } = fold;
  if (causes.length === 0) return NOTHING;
  const warning = movedAloneWarning(fold);
  return html`<section id="causes"><h2>${causes.length === 1 ? 'Likely cause' : 'Likely causes'}</h2>
<p class="dim under">${causes.length === 1 ? 'One broken rule explains' : `${causes.length} broken rules explain`} all failures. ${causes.length === 1 ? 'Fix it first.' : 'Fix them in this order.'}</p>${warning === null ? null : html`<p>${sign('warn')} ${warning}</p>`}
<ol class="causes">${causes.map((cause) => item(cause, fold))}</ol></section>
`;
}

function item({ result, explains, scenarios }: Cause, fold: Fold): Markup {
  const { rule, checks, breaches } = result;
  const again = scenarios
    .map((id) => fold.run.scenarios.find((planned) => planned.id === id))
    .map((planned) => (planned ? runAgain(planned, fold.run.flags) : null))
    .find((line) => line !== null);
  const seen = scenarios
    .slice(0, MAX_NAMES)
    .map((id, at) => html`${at > 0 ? ', ' : ''}<a href="${linkTo('scenario', id)}">${id}</a>`);
  const more = scenarios.length - seen.length;
  return html`<li class="cause"><h3><a href="${linkTo('rule', rule.id)}">${rule.id}</a> <span class="level">${rule.level}</span> ${rule.money ? MONEY : null}</h3>
${rule.means === null ? null : html`<p class="means">${prose(rule.means)}</p>`}
<dl><dt>broken in</dt><dd>${breaches} of ${plural(checks, 'check')}: ${seen}${more > 0 ? ` and ${more} more` : ''}</dd>${explains.length === 0 ? null : html`<dt>explains</dt><dd>${explains.map(({ rule: id, verdict }, at) => html`${at > 0 ? ', ' : ''}${sign(verdict)}<a href="${linkTo('rule', id)}">${id}</a>`)}</dd>`}<dt>to fix</dt><dd>${prose(rule.hint)}</dd></dl>
${again === undefined ? null : command(again, 'Run it again')}</li>
`;
}

/**
 * Renders the calls that croupier must still send and the balances that it could not restore, with the command that does both.
 */
export function leftBehindSection(fold: Fold, { journal }: ReportOptions): Markup {
  const unrestored = fold.scenarios.filter(({ restored }) => restored === false).map(({ planned }) => planned.id);
  const names = unrestored.map((id, at) => html`${at > 0 ? ', ' : ''}<a href="${linkTo('scenario', id)}">${id}</a>`);
  const items = [
    ...(unrestored.length > 0 ? [html`The balance could not be restored after ${names}`] : []),
    ...fold.owed.map((owed) => html`${capital(owedSentence(owed, fold))}`),
    ...(fold.ended === null ? [html`The run was cut off, so the result of calls that were in flight is unknown`] : []),
  ];
  if (items.length === 0) return NOTHING;
  return html`<section id="left"><h2>Owed calls and balances</h2>
<ul>${items.map(
    (item) => html`<li>${item}.</li>
`,
  )}</ul>
${journal === null ? null : command(`croupier settle ${quoteWord(journal)}`, 'Send the owed calls and restore the balances')}</section>
`;
}

/** Renders the notices. A notice is information for the reader that is not a finding. */
export function noticesSection({ notices }: Fold): Markup {
  if (notices.length === 0) return NOTHING;
  return html`<section id="notices"><h2>Notices</h2>
<ul>${notices.map((notice) => html`<li>${notice}</li>`)}</ul></section>
`;
}

/** Renders the known failures with their states. */
export function knownSection(fold: Fold): Markup {
  if (fold.baseline.length === 0) return NOTHING;
  const items = knownInOrder(fold).map(
    ({ result, look }) => html`<li>${sign(look)}<b>${knownName(result)}</b> ${knownSentence(result)}</li>
`,
  );
  const file = baselineFile(fold);
  return html`<section id="known"><h2>Known failures</h2>${file === null ? null : html`<p class="dim under">From <code>${file}</code>.</p>`}<ul class="reasons">${items}</ul></section>
`;
}
