import { plural } from '../../contract/plural.ts';
import { RULE_GROUPS } from '../../contract/rule.ts';
import type { Cause } from '../../journal/cause.ts';
import { conclude } from '../../journal/conclusion.ts';
import { VERDICTS } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { movedAloneWarning, type ScenarioResult } from '../../journal/scenario-result.ts';
import { eachScenario } from '../exchanges.ts';
import { baselineFile, knownInOrder, knownName } from '../known-failures.ts';
import { verdictNoun } from '../marks.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { owedClauses, owedTexts, settleCommandLine } from '../owed.ts';
import { runAgain } from '../run-again.ts';
import { notPlayed } from '../scope.ts';
import { capital } from '../terminal/layout.ts';
import { command } from './exchange.ts';
import { failuresInOrder } from './failures.ts';
import { latencySection } from './latency-chart.ts';
import { html, linkTo, type Markup, MONEY, NOTHING, prose, proseFromOutside, sign } from './markup.ts';
import { pageEnd, toolbar } from './page.ts';
import { pageHead } from './page-head.ts';
import { pastRuns } from './past-runs.ts';
import { reasonsSection, rulesSection } from './rules.ts';
import { runSection } from './run-section.ts';
import { isWrong, scenarioCard } from './scenario.ts';
import { verdictHeader } from './verdict.ts';

/**
 * Writes the report as one page for a browser. The page loads nothing from outside and can be read without its script. Failures
 * come first, in the order of the causes, then undecided rules, then warnings. The other scenarios come last, folded by rule
 * group. The cards of all scenarios are rendered and compressed, and stay in memory until their section is written.
 */
export async function* htmlReport(fold: Fold, open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  const parts = options.page();
  const past = pastRuns(options);
  const { firstLine } = conclude(fold);
  yield pageHead(firstLine, parts).text;
  yield html`<a class="jump" href="#main">To the report</a>
${verdictHeader(fold)}
${toolbar(fold)}
<main id="main">
${causesSection(fold, past)}${knownSection(fold)}${noticesSection(fold)}`.text;

  // The journal is read only once, so all cards are rendered in this loop, and written when their section begins.
  const waiting = new Map<string, string[]>();
  const failed = new Map<string, string>();
  const sources = new Map<string, string>();
  const failures = failuresInOrder(fold);
  const isPlayed = ({ state }: ScenarioResult): boolean => state !== 'not-started';
  for await (const played of eachScenario(fold, open, options.exchangesPerScenario, isPlayed)) {
    const { scenario } = played;
    const view = failures.get(scenario.planned.id) ?? 'folded';
    const card = scenarioCard(played, view, fold, options, sources).text;
    if (scenario.verdict === 'fail') failed.set(scenario.planned.id, card);
    else {
      const section = isWrong(scenario) ? scenario.verdict : groupOf(scenario);
      const cards = waiting.get(section);
      if (cards) cards.push(card);
      else waiting.set(section, [card]);
    }
  }
  if (failures.size > 0) {
    yield heading('broken', 'Failures', failures.size).text;
    for (const id of failures.keys()) yield failed.get(id) ?? '';
    yield SECTION_END;
  }
  yield rulesSection(fold, past).text;
  yield leftBehindSection(fold, options).text;
  yield* cardsSection('doubtful', 'Undecided scenarios', waiting.get('inconclusive'));
  yield reasonsSection(fold, 'undecided', 'Undecided rules', ['inconclusive']).text;
  yield* cardsSection('warnings', 'Warnings', waiting.get('warn'));
  yield* otherScenarios(fold, waiting);
  yield html`${notPlayedSection(fold)}${reasonsSection(fold, 'untested', 'Not tested', ['skip', 'untested'])}${latencySection(fold)}`
    .text;
  for (const part of runSection(fold)) yield part.text;
  yield html`</main>
<footer><p>Made by croupier ${fold.run.croupier} from the journal of run <code>${fold.run.runID}</code>${options.journal === null ? null : html`, <code>${options.journal}</code>`}. This page loads nothing from outside.</p></footer>
${pageEnd(parts)}`.text;
}

function* cardsSection(id: string, title: string, cards: readonly string[] | undefined): Generator<string> {
  if (!cards) return;
  yield heading(id, title, cards.length).text;
  yield* cards;
  yield SECTION_END;
}

/**
 * The group under which a scenario without a failure, a warning or an undecided rule is shown: the group of the first rule in
 * its list.
 */
function groupOf({ planned }: ScenarioResult): string {
  const [rule = ''] = planned.rules;
  return rule.split('.', 1)[0] || 'no rule';
}

/** Yields the scenarios that need no attention, folded by rule group, in the order of the catalogue. */
function* otherScenarios(fold: Fold, waiting: ReadonlyMap<string, readonly string[]>): Generator<string> {
  const others = fold.scenarios.filter((scenario) => scenario.state !== 'not-started' && !isWrong(scenario));
  if (others.length === 0) return;
  yield heading('others', others.length < fold.scenarios.length ? 'Other scenarios' : 'Scenarios', others.length).text;
  const groups = Map.groupBy(others, groupOf);
  const known: readonly string[] = RULE_GROUPS;
  for (const name of [...known, ...[...groups.keys()].filter((group) => !known.includes(group))]) {
    const own = groups.get(name);
    if (!own) continue;
    const counts = VERDICTS.flatMap((verdict) => {
      const count = own.filter((scenario) => scenario.verdict === verdict).length;
      return count === 0 ? [] : [html` ${sign(verdict)}${count} ${verdictNoun(verdict, count)}`];
    });
    yield html`<details class="group" id="group-${name.replace(' ', '-')}"><summary><b>${name}</b> <span class="count" data-all="${plural(own.length, 'scenario')}">${plural(own.length, 'scenario')}</span><span class="dim">${counts}</span></summary>
`.text;
    yield* waiting.get(name) ?? [];
    yield '</details>\n';
  }
  yield SECTION_END;
}

/** Lists the scenarios that were planned but not started. */
function notPlayedSection(fold: Fold): Markup {
  const names = notPlayed(fold);
  if (names.length === 0) return NOTHING;
  return html`<details class="unplayed"><summary>${capital(plural(names.length, 'scenario'))} ${names.length === 1 ? 'was' : 'were'} not played</summary><p>${names.join(', ')}</p></details>
`;
}

const SECTION_END = '</section>\n';

function heading(id: string, title: string, count: number): Markup {
  return html`<section id="${id}" class="scenarios"><h2>${title} <span class="count" data-all="${plural(count, 'scenario')}">${plural(count, 'scenario')}</span></h2>
`;
}

const MAX_NAMES = 8;

/** Renders the likely causes. For each cause: its effect, where to see it, and the command that plays its scenario again. */
export function causesSection(fold: Fold, past: (result: RuleResult) => Markup | null): Markup {
  const { causes } = fold;
  if (causes.length === 0) return NOTHING;
  const warning = movedAloneWarning(fold);
  return html`<section id="causes"><h2>${causes.length === 1 ? 'Likely cause' : 'Likely causes'}</h2>
<p class="dim under">${causes.length === 1 ? 'One broken rule explains' : `${causes.length} broken rules explain`} all failures. ${causes.length === 1 ? 'Fix it first.' : 'Fix them in this order.'}</p>${warning === null ? null : html`<p>${sign('warn')} ${warning}</p>`}
<ol class="causes">${causes.map((cause) => item(cause, fold, past(cause.result)))}</ol></section>
`;
}

function item({ result, explains, scenarios, mainFinding }: Cause, fold: Fold, past: Markup | null): Markup {
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
<dl><dt>broken in</dt><dd>${breaches} of ${plural(checks, 'check')}: ${seen}${more > 0 ? ` and ${more} more` : ''}</dd>${explains.length === 0 ? null : html`<dt>explains</dt><dd>${explains.map(({ rule: id, verdict }, at) => html`${at > 0 ? ', ' : ''}${sign(verdict)}<a href="${linkTo('rule', id)}">${id}</a>`)}</dd>`}${mainFinding === null ? null : html`<dt>expected</dt><dd class="expected">${proseFromOutside(mainFinding.expected)}</dd><dt>actual</dt><dd class="actual">${proseFromOutside(mainFinding.actual)}</dd>`}${past}<dt>to fix</dt><dd>${prose(rule.hint)}</dd></dl>
${again === undefined ? null : command(again, 'Run it again')}</li>
`;
}

/**
 * Renders the calls that croupier must still send, and the balances that it could not restore. Adds the command that sends these
 * calls and restores these balances.
 */
export function leftBehindSection(fold: Fold, { journal }: ReportOptions): Markup {
  const { all } = owedTexts(fold);
  const items = owedClauses(fold);
  if (items.length === 0) return NOTHING;
  return html`<section id="left"><h2>Owed calls and balances</h2>
<ul>${items.map(
    (item) => html`<li>${capital(item)}.</li>
`,
  )}</ul>
${
  all.length === 0
    ? null
    : html`<details class="owed"><summary>All ${plural(all.length, 'owed call')}</summary><ul>${all.map(
        (clause) => html`<li>${capital(clause)}.</li>
`,
      )}</ul></details>
`
}${journal === null ? null : command(settleCommandLine(journal), 'Send the owed calls and restore the balances')}</section>
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
    ({ result, look, sentence }) => html`<li>${sign(look)}<div><b>${knownName(result)}</b> ${sentence}</div></li>
`,
  );
  const file = baselineFile(fold);
  return html`<section id="known"><h2>Known failures</h2>${file === null ? null : html`<p class="dim under">From <code>${file}</code>.</p>`}<ul class="reasons">${items}</ul></section>
`;
}
