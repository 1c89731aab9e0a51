import { plural } from '../../contract/plural.ts';
import { type Conclusion, conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import { unmetRequirements } from '../../journal/required.ts';
import { shownCounts } from '../../journal/results/rule-counts.ts';
import { baseUrlsText } from '../base-urls.ts';
import { quoteWord } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import { type Evidence, findEvidence } from '../evidence.ts';
import { eachExchange } from '../exchanges.ts';
import { withoutEchoes } from '../for-others.ts';
import { baselineFile, knownInOrder, knownName } from '../known-failures.ts';
import { mark, tint, verdictNoun } from '../marks.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { isAnythingLeft, settleCommandLine } from '../owed.ts';
import { labelTexts, notPlayed, scopeText } from '../scope.ts';
import {
  type Breach,
  breaches,
  breachLines,
  shortBreachLines,
  summarised,
  summaryLines,
  unexplained,
} from './breach.ts';
import { causeLines, causeSummary } from './causes.ts';
import { exchangeLines } from './exchange.ts';
import { latencyLines, latencyWarningLines } from './latency.ts';
import { columnsOf, duration, firstNames, flow, hanging, wrap } from './layout.ts';
import { leftBehind } from './left-behind.ts';
import { missingSessions, testedWithSessions } from './missing-sessions.ts';
import { everyRule, leftOut, notes, reasons, shownFindings, warnings } from './rules.ts';

/** Limits of the line width, in columns. Wider lines are hard to read, and narrower lines are too short for the content. */
const MAX_WIDTH = 120;
const MIN_WIDTH = 40;

/**
 * Writes the report for a person. The short report has: the verdict, the causes of the failures, what was undecided or not
 * tested, and the calls that croupier must still send. With a higher verbosity, also every finding, every rule, the notes and
 * the response times. The report of a failed run ends with the verdict and one line for each cause.
 */
export async function* terminalReport(whole: Fold, all: OpenJournal, given: ReportOptions): AsyncGenerator<string> {
  // The person at a terminal can also read the journal, which has all signatures. So this report may contain curl commands.
  const curl = given.curl || given.isPublic !== true;
  const { fold, open } = curl ? { fold: whole, open: all } : await withoutEchoes(whole, all);
  const options = { ...given, curl, width: Math.min(Math.max(given.width, MIN_WIDTH), MAX_WIDTH) };
  const isShort = options.verbosity === 0;
  const conclusion = conclude(fold);
  yield text(headerLines(fold, conclusion, options));

  const failing = isShort ? unexplained(breaches(fold)) : breaches(fold);
  const shown = [
    ...failing.flatMap((breach) => breach.shown),
    ...shownFindings(fold, isShort ? ['warn'] : ['warn', 'note']),
  ];
  const evidence = await findEvidence(open, shown, fold.races);
  yield* isShort ? shortFailures(failing, fold, evidence, options) : allFailures(failing, fold, evidence, options);
  yield* titled(`Known failures (${forTerminal(baselineFile(fold) ?? '')})`, knownLines(fold, options), options);
  yield* titled('Undecided', reasons(fold, ['inconclusive'], options), options);
  yield* titled('Selected scenarios that were not decided', unmetScenarios(fold, options), options);
  yield* titled('Warnings', warnings(fold, evidence, options), options);
  if (!isShort) {
    yield* titled(fold.run.whole ? 'Every rule' : 'Tested rules', everyRule(fold, options), options);
    yield* titled('Notes: points that the contract leaves open', notes(fold, evidence, options), options);
  }
  const rest = leftOut(fold, options);
  // The short report names these rules only once, in the advice about the sessions to add.
  const named = isShort ? testedWithSessions(fold) : [];
  const untested = reasons(fold, ['skip', 'untested'], options, named);
  const missing = missingSessions(fold, options);
  yield* titled('Not tested', [...untested, ...(rest === undefined ? [] : [rest]), ...missing], options);
  yield* titled('Not played', notPlayedLines(fold, options), options);
  yield* titled('Response times', (isShort ? latencyWarningLines : latencyLines)(fold, options), options);
  yield* titled('Owed calls and balances', leftBehind(fold, options), options);
  yield* titled('Notices', noticeLines(fold, options), options);
  if (options.verbosity === 2) yield* allExchanges(open, options);
  yield text(['', ...closing(fold, conclusion, failing, options)]);
}

/** Writes the causes of the failures in short. */
function* shortFailures(
  failing: readonly Breach[],
  fold: Fold,
  evidence: Evidence,
  options: ReportOptions,
): Generator<string> {
  if (failing.length === 0) return;
  yield section(fold.causes.length === 0 ? 'Failures' : causesTitle(fold), options);
  const summary = causeSummary(fold, options);
  if (summary.length > 0) yield text([...summary, '']);
  for (const [index, breach] of failing.entries()) {
    if (index > 0) yield '\n';
    yield text(shortBreachLines(breach, index + 1, { fold, evidence }, options));
  }
}

function causesTitle({ causes }: Fold): string {
  return causes.length === 1 ? 'Likely cause' : 'Likely causes';
}

/** Writes the causes of the failures, then each broken rule with its findings. */
function* allFailures(
  failing: readonly Breach[],
  fold: Fold,
  evidence: Evidence,
  options: ReportOptions,
): Generator<string> {
  if (failing.length === 0) return;
  yield* titled(causesTitle(fold), causeLines(fold, options), options);
  yield section('Failures', options);
  for (const [index, breach] of failing.entries()) {
    if (index > 0) yield '\n';
    yield text(breachLines(breach, fold, evidence, options));
  }
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function section(title: string, { paint, unicode, width }: ReportOptions): string {
  const rule = (unicode ? '─' : '-').repeat(Math.max(width - columnsOf(title) - 4, 3));
  const edge = unicode ? '──' : '--';
  return `\n${paint.dim(edge)} ${paint.bold(title)} ${paint.dim(rule)}\n\n`;
}

function* titled(title: string, lines: readonly string[], options: ReportOptions): Generator<string> {
  if (lines.length === 0) return;
  yield section(title, options);
  yield text(lines);
}

/** Returns the function that paints a line in the colour of the run's verdict. */
export function inVerdictColour(conclusion: Conclusion, { paint }: ReportOptions): (line: string) => string {
  switch (conclusion.verdict) {
    case 'conforming':
      return (line) => paint.bold(paint.green(line));
    case 'nonconforming':
      return (line) => paint.bold(paint.red(line));
    case 'undecided':
      return (line) => paint.bold(paint.yellow(line));
  }
}

function headerLines(fold: Fold, conclusion: Conclusion, options: ReportOptions): readonly string[] {
  const { run, ended } = fold;
  const facts = [
    `contract ${run.contract}`,
    scopeText(fold),
    ...(run.settings.strict ? ['strict'] : []),
    `seed ${run.seed}`,
  ];
  const labels = labelTexts(fold);
  return [
    // The first line is never wrapped, so that scripts can search for it.
    inVerdictColour(conclusion, options)(forTerminal(conclusion.firstLine)),
    '',
    ...wrap(forTerminal(`${run.client.extCID} at ${baseUrlsText(run)}`), options.width - 2).map(indent),
    ...wrap(forTerminal(facts.join(', ')), options.width - 2).map(indent),
    ...wrap(`${amounts(fold)}, started ${forTerminal(moment(run.startedAt))}`, options.width - 2).map(indent),
    ...(labels.length === 0 ? [] : wrap(forTerminal(labels.join(', ')), options.width - 2).map(indent)),
    ...counts(fold, options).map(indent),
    ...(ended?.detail ? ['', ...hanging('  ', forTerminal(ended.detail), options.width)] : []),
  ];
}

/** Returns the number of played scenarios and calls, and the time that they took. */
export function amounts({ scenarios, exchanges, ended }: Fold): string {
  const played = scenarios.filter(({ state }) => state !== 'not-started').length;
  const all = scenarios.length;
  return [
    played === all ? plural(all, 'scenario') : `${played} of ${plural(all, 'scenario')}`,
    plural(exchanges.sent, 'call'),
    ended === null ? 'cut off' : duration(ended.durationMs),
  ].join(', ');
}

/** Formats an ISO time as `2026-11-20 09:30:00 UTC`. Any other text is returned unchanged. */
function moment(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}

const indent = (line: string): string => `  ${line}`;

/** Returns the number of rules with each verdict. */
export function counts(fold: Fold, { paint, unicode, width }: ReportOptions): readonly string[] {
  const pieces = shownCounts(fold).map(({ verdict, count }) => {
    const known = verdict === 'fail' ? fold.rules.filter(({ isKnown }) => isKnown).length : 0;
    const apart = known === 0 ? '' : known === count ? ', all known' : `, ${known} of them known`;
    return tint(verdict, paint)(`${mark(verdict, unicode)} ${count} ${verdictNoun(verdict, count)}${apart}`);
  });
  return flow(pieces, '   ', width - 2);
}

/** Lists the scenarios that the run left out because it ended early. If the run played no scenario, these are all scenarios. */
function notPlayedLines(fold: Fold, { width, verbosity }: ReportOptions): readonly string[] {
  const ids = notPlayed(fold);
  if (ids.length === 0 || ids.length === fold.scenarios.length) return [];
  return [
    ...wrap(forTerminal(`${plural(ids.length, 'scenario')}: ${firstNames(ids, verbosity)}`), width - 2),
    'croupier run --last-failed plays them.',
  ].map(indent);
}

function noticeLines(fold: Fold, { width }: ReportOptions): readonly string[] {
  return fold.notices.flatMap((notice) => hanging('  - ', forTerminal(notice), width));
}

async function* allExchanges(open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  yield section('Every exchange', options);
  let first = true;
  for await (const exchange of eachExchange(open)) {
    const { id, scenario, step, purpose, call } = exchange.sending;
    const why = step === null ? purpose : `step ${step}`;
    const title = options.paint.bold(forTerminal(`${id}  ${scenario ?? 'outside of scenarios'}, ${why}: ${call}`));
    yield text([...(first ? [] : ['']), `  ${title}`, ...exchangeLines(exchange, 4, options)]);
    first = false;
  }
}

function closing(
  fold: Fold,
  conclusion: Conclusion,
  failing: readonly Breach[],
  options: ReportOptions,
): readonly string[] {
  const { exitCode, firstLine } = conclusion;
  const colour = inVerdictColour(conclusion, options);
  const lines: string[] = [];
  if (exitCode === 3 && unmetRequirements(fold).some(({ by }) => by === 'selection')) {
    lines.push('With --allow-skipped, the rules and scenarios that you select by name may stay undecided.');
  }
  if (options.journal !== null) {
    lines.push(options.paint.dim(`Journal: ${forTerminal(options.journal)}`));
    if (options.verbosity === 0) {
      const command = `croupier report convert ${quoteWord(options.journal)} -v`;
      lines.push(options.paint.dim(`Every rule and note: ${forTerminal(command)}`));
    }
  }
  const shown = options.verbosity === 0 ? failing : unexplained(failing);
  const summaries = summaryLines(summarised(shown), fold, options);
  // After a long report, the first line is no longer on the screen, so the verdict is repeated.
  if (summaries.length > 0) lines.push('', colour(forTerminal(firstLine)), ...summaries);
  return [...lines, colour(statusLine(fold, conclusion, options))];
}

/** Returns the first and the last line of the text report, for a reader who gets the report only in a file. */
export function shortVerdict(fold: Fold, options: ReportOptions): string {
  const conclusion = conclude(fold);
  const colour = inVerdictColour(conclusion, options);
  return `${colour(forTerminal(conclusion.firstLine))}\n${colour(statusLine(fold, conclusion, options))}\n`;
}

function statusLine(fold: Fold, conclusion: Conclusion, options: ReportOptions): string {
  const { exitCode } = conclusion;
  const { endedAtOnce, isPart } = options;
  const meaning = endedAtOnce === undefined ? EXIT_MEANINGS[exitCode] : INTERRUPTED;
  const code = endedAtOnce ?? exitCode;
  const status = isPart ? `Exit status of this client: ${code}, ${meaning}.` : `Exit status ${code}: ${meaning}.`;
  return `${status}${settleHint(fold, conclusion, options)}`;
}

/** Names the command that sends what a conforming or interrupted run still owes. Empty if it owes nothing. */
function settleHint(fold: Fold, { verdict }: Conclusion, { journal }: ReportOptions): string {
  const isCut = fold.ended === null || fold.ended.how === 'interrupted';
  if (!(isCut || verdict === 'conforming') || journal === null || !isAnythingLeft(fold)) return '';
  return ` Send what is still owed: ${forTerminal(settleCommandLine(journal))}`;
}

const INTERRUPTED = 'interrupted';

const EXIT_MEANINGS: Readonly<Record<Conclusion['exitCode'], string>> = {
  0: 'conforming',
  1: 'not conforming',
  3: 'undecided',
  70: 'a bug of croupier',
  130: INTERRUPTED,
  143: INTERRUPTED,
  129: INTERRUPTED,
};

/**
 * Lists the required scenarios that the run did not decide, with one entry for each reason. Required rules are listed
 * with the other rules that were undecided or not tested.
 */
function unmetScenarios(fold: Fold, { paint, unicode, width, verbosity }: ReportOptions): readonly string[] {
  const unmet = unmetRequirements(fold).filter(({ kind }) => kind === 'scenario');
  return [...Map.groupBy(unmet, ({ verdict, reason }) => `${verdict} ${reason}`).values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const ids = same.map(({ id }) => id);
    const entry = `${(first.reason ?? '').replace(/\.$/, '')}: ${firstNames(ids, verbosity)}`;
    return wrap(forTerminal(entry), width - 4).map(
      (line, at) => `  ${at === 0 ? tint(first.verdict, paint)(mark(first.verdict, unicode)) : ' '} ${line}`,
    );
  });
}

/** Lists each known failure of the run's baseline with its state. */
function knownLines(fold: Fold, { paint, unicode, width }: ReportOptions): readonly string[] {
  return knownInOrder(fold).flatMap(({ result, look, sentence }) => [
    `  ${tint(look, paint)(mark(look, unicode))} ${paint.bold(forTerminal(knownName(result)))}`,
    ...wrap(forTerminal(sentence), width - 4).map((line) => `    ${line}`),
  ]);
}
