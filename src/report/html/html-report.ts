import { conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';
import { capital, plural } from '../layout.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { eachScenario } from '../scenario-exchanges.ts';
import { causesSection } from './causes.ts';
import { latencySection } from './latency-chart.ts';
import { knownSection, leftBehindSection, noticesSection } from './left-behind.ts';
import { html, type Markup, NOTHING } from './markup.ts';
import { pageEnd, pageHead } from './page.ts';
import { reasonsSection, rulesSection } from './rules.ts';
import { scenarioCard } from './scenario.ts';
import { toolbar } from './toolbar.ts';
import { verdictHeader } from './verdict.ts';

/**
 * The report as one page for a browser: for people who were not there. Nothing in it is loaded from anywhere, and it can be read
 * without its script. What went wrong comes first and whole; the exchanges of the rest are unfolded by the script.
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
  yield* wrong(fold, open, options, doubtful);
  if (doubtful.length > 0) {
    yield heading('doubtful', 'What could not be decided', doubtful.length).text;
    yield* doubtful;
    yield SECTION_END;
  }
  yield reasonsSection(fold, 'undecided', 'Rules that could not be decided', ['inconclusive']).text;

  const rest = (scenario: ScenarioResult): boolean => !isWrong(scenario) && scenario.state !== 'not-started';
  const others = fold.scenarios.filter(rest).length;
  if (others > 0)
    yield heading('others', fold.scenarios.some(isWrong) ? 'What was played besides' : 'What was played', others).text;
  for await (const played of eachScenario(fold, open, options.exchangesPerScenario, rest)) {
    yield scenarioCard(played, fold, options).text;
  }
  if (others > 0) yield SECTION_END;
  yield html`${unplayed(fold)}${reasonsSection(fold, 'untested', 'What was not tested, and why', ['skip', 'untested'])}${latencySection(fold)}${noticesSection(fold)}</main>
<footer><p>Made by croupier ${fold.run.croupier} from the journal of run <code>${fold.run.runID}</code>${options.journal === null ? null : html`, <code>${options.journal}</code>`}. Nothing in this page is loaded from elsewhere.</p></footer>
${pageEnd(parts)}`.text;
}

function isWrong({ verdict }: ScenarioResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive';
}

/** What failed, as it is read; what could not be decided is put aside, so that one pass over the journal does for both. */
async function* wrong(
  fold: Fold,
  open: OpenJournal,
  options: ReportOptions,
  doubtful: string[],
): AsyncGenerator<string> {
  const failed = fold.scenarios.filter(({ verdict }) => verdict === 'fail').length;
  if (!fold.scenarios.some(isWrong)) return;
  if (failed > 0) yield heading('broken', 'What failed', failed).text;
  for await (const played of eachScenario(fold, open, options.exchangesPerScenario, isWrong)) {
    const card = scenarioCard(played, fold, options).text;
    if (played.scenario.verdict === 'fail') yield card;
    else doubtful.push(card);
  }
  if (failed > 0) yield SECTION_END;
}

/** What was planned and not begun: there is nothing to show of it but its name. */
function unplayed({ scenarios }: Fold): Markup {
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
