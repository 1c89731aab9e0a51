import { plural } from '../../contract/plural.ts';
import { conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { shownCounts } from '../../journal/results/rule-counts.ts';
import type { RuleResult } from '../../journal/rule-result.ts';
import { baseUrlsText } from '../base-urls.ts';
import { forMarkdown, forXmlText } from '../escape.ts';
import { findEvidence } from '../evidence.ts';
import { baselineFile, knownInOrder, knownName, worseSentence } from '../known-failures.ts';
import { verdictNoun } from '../marks.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { owedClauses, settleCommandLine } from '../owed.ts';
import { PLAIN } from '../paint.ts';
import { runAgain } from '../run-again.ts';
import { labelTexts, scopeText } from '../scope.ts';
import { breaches, breachLines } from '../terminal/breach.ts';
import { latencyWarnings } from '../terminal/latency.ts';
import { clip, duration } from '../terminal/layout.ts';
import { leftOut, reasons } from '../terminal/rules.ts';
import { amounts } from '../terminal/terminal.ts';

/** Maximum size of the report, in bytes. GitHub limits a comment to 65,536 characters. */
const MAX_BYTES = 60_000;
/** Maximum size, in bytes, of the part above the folded blocks (`<details>`). */
const MAX_ABOVE = 30_000;
/** Number of bytes that are reserved for the last line. This line says how much was left out. */
const FOOTER_BYTES = 200;
const MAX_TEXT = 300;

/**
 * Writes the report for a pull request or the summary of a step: the verdict, the causes, the broken rules, and the exchanges in
 * folded blocks. It has at most 60,000 bytes. Parts that do not fit are left out and counted.
 *
 * Text from outside cannot become Markdown, HTML, a link or a mention.
 */
export async function* markdownReport(fold: Fold, open: OpenJournal, given: ReportOptions): AsyncGenerator<string> {
  const options: ReportOptions = { ...given, paint: PLAIN, width: 100, unicode: true };
  const page = startPage();
  yield* page.above(headText(fold));
  yield* page.above(...causesText(fold));
  yield* page.above(...brokenText(fold, options));
  yield* page.above(...warningsText(fold, options));
  yield* page.above(...knownText(fold));
  yield* page.above(...owedText(fold, options));
  yield* page.above(...latencyText(fold));
  yield* page.below(folded('Undecided and not tested', openLines(fold, options)));

  const failing = breaches(fold);
  const evidence = await findEvidence(
    open,
    failing.flatMap(({ shown }) => shown),
    fold.races,
  );
  for (const breach of failing) {
    const seenIn = breach.shown[0]?.scenario ?? '';
    yield* page.below(folded(`${breach.id}: ${seenIn}`, breachLines(breach, fold, evidence, options)));
  }
  yield page.end();
}

/** Creates a page that counts its bytes and leaves out parts that would exceed the limit. */
function startPage() {
  let used = 0;
  let droppedLines = 0;
  let droppedSections = 0;
  const fits = (piece: string, max: number): boolean => {
    const size = Buffer.byteLength(piece);
    if (used + size > max) return false;
    used += size;
    return true;
  };
  return {
    *above(...pieces: readonly string[]): Generator<string> {
      for (const piece of pieces) {
        if (fits(piece, MAX_ABOVE)) yield piece;
        else droppedLines += 1;
      }
    },
    *below(section: string): Generator<string> {
      if (fits(section, MAX_BYTES - FOOTER_BYTES)) yield section;
      else droppedSections += 1;
    },
    end: (): string => {
      const lost = [
        ...(droppedLines > 0 ? [plural(droppedLines, 'line')] : []),
        ...(droppedSections > 0 ? [`${plural(droppedSections, 'section')} of details`] : []),
      ];
      return lost.length === 0
        ? ''
        : `\n_Left out because of the length limit: ${lost.join(' and ')}. The journal has everything._\n`;
    },
  };
}

const escaped = (text: string): string => forMarkdown(clip(text, MAX_TEXT));
const code = (text: string): string => `<code>${escaped(text)}</code>`;

const SIGNS = { conforming: '✅', nonconforming: '❌', undecided: '❔' } as const;

function headText(fold: Fold): string {
  const { run, ended } = fold;
  const { verdict, firstLine } = conclude(fold);
  const counts = shownCounts(fold).map(({ verdict: name, count }) => `${count} ${verdictNoun(name, count)}`);
  const facts = [
    `contract ${escaped(run.contract)}`,
    escaped(scopeText(fold)),
    ...labelTexts(fold).map(escaped),
    amounts(fold),
    `seed ${escaped(run.seed)}`,
  ];
  return [
    `## ${SIGNS[verdict]} ${escaped(firstLine)}`,
    '',
    `${code(run.client.extCID)} at ${code(baseUrlsText(run))}: ${facts.join(', ')}. Started ${escaped(run.startedAt)}.`,
    '',
    `Rules: ${counts.join(', ')}.`,
    ...(ended?.detail ? ['', escaped(ended.detail)] : []),
    '',
  ].join('\n');
}

function* causesText(fold: Fold): Generator<string> {
  if (fold.causes.length === 0) return;
  yield `\n### Likely ${fold.causes.length === 1 ? 'cause' : 'causes'}\n\n`;
  for (const [at, { result, explains, scenarios }] of fold.causes.entries()) {
    const { rule, breaches: broken, checks } = result;
    const planned = fold.run.scenarios.find(({ id }) => id === scenarios[0]);
    const again = planned ? runAgain(planned, fold.run.flags) : null;
    const lines = [
      `${at + 1}. **\`${rule.id}\`**, ${weight(result)}: ${rule.means ?? ''}`,
      `   Shown by ${broken} of ${plural(checks, 'check')}.${explained(explains.map((one) => one.rule))}`,
      ...(again === null ? [] : [`   Run alone: <code>${forMarkdown(again)}</code>`]),
    ];
    yield `${lines.join('<br>\n')}\n`;
  }
}

function explained(rules: readonly string[]): string {
  return rules.length === 0 ? '' : ` Explains ${rules.map((rule) => `\`${rule}\``).join(', ')}.`;
}

function weight({ rule }: RuleResult): string {
  return rule.money ? `${rule.level}, money at stake` : rule.level;
}

function* brokenText(fold: Fold, options: ReportOptions): Generator<string> {
  const failed = fold.rules
    .filter(({ verdict, isKnown }) => verdict === 'fail' && !isKnown)
    .toSorted((a, b) => Number(b.rule.money) - Number(a.rule.money) || levels(a) - levels(b));
  if (failed.length > 0) yield '\n### Broken rules\n\n| rule | | actual | in |\n|---|---|---|---|\n';
  for (const result of failed) {
    const seen = result.findings.find(({ verdict }) => verdict === 'fail');
    const worse = worseSentence(result.rule.id, fold);
    const seenAs = worse === null ? (result.reason ?? '') : `${result.reason ?? ''} (worse: ${worse})`;
    yield `| \`${result.rule.id}\` | ${weight(result)} | ${escaped(seenAs)} | ${where(seen, options)} |\n`;
  }
  const missed = breaches(fold).find(({ id }) => id === 'expectation');
  if (missed) yield '\n### Expectations of scenarios that are not met\n\n| actual | in |\n|---|---|\n';
  for (const seen of missed?.shown ?? []) yield `| ${escaped(seen.actual)} | ${where(seen, options)} |\n`;
}

function* warningsText(fold: Fold, options: ReportOptions): Generator<string> {
  const warned = fold.rules.filter(({ verdict }) => verdict === 'warn');
  if (warned.length > 0) yield '\n### Warnings\n\n| rule | | actual | in |\n|---|---|---|---|\n';
  for (const result of warned) {
    const seen = result.findings.find(({ verdict }) => verdict === 'warn');
    yield `| \`${result.rule.id}\` | ${weight(result)} | ${escaped(result.reason ?? '')} | ${where(seen, options)} |\n`;
  }
}

function where(seen: JudgedFinding | undefined, { repositoryFile }: ReportOptions): string {
  if (!seen?.place) return code(seen?.scenario ?? '');
  const { file, line } = seen.place;
  return code(`${repositoryFile?.(file) ?? file}:${line}`);
}

function levels({ rule }: RuleResult): number {
  return rule.level === 'MUST' ? 0 : 1;
}

function* knownText(fold: Fold): Generator<string> {
  const file = baselineFile(fold);
  if (file === null || fold.baseline.length === 0) return;
  yield `\n### Known failures (${code(file)})\n\n`;
  for (const { result, sentence } of knownInOrder(fold)) yield `- ${code(knownName(result))} ${escaped(sentence)}\n`;
}

function* owedText(fold: Fold, { journal }: ReportOptions): Generator<string> {
  const clauses = owedClauses(fold);
  if (clauses.length === 0) return;
  yield '\n### Owed calls and balances\n\n';
  for (const clause of clauses) yield `- ${escaped(clause)}\n`;
  if (journal !== null) yield `- To settle: <code>${forMarkdown(settleCommandLine(journal))}</code>\n`;
}

function* latencyText(fold: Fold): Generator<string> {
  if (fold.latency.length === 0) return;
  yield '\n### Response times\n\n| | calls | p50 | p95 | p99 | max | budget |\n|---|--:|--:|--:|--:|--:|--:|\n';
  for (const { call, count, p50Ms, p95Ms, p99Ms, maxMs, budgetMs } of fold.latency) {
    const times = [p50Ms, p95Ms, p99Ms, maxMs].map(duration);
    yield `| ${[call, count, ...times, budgetMs === null ? '' : duration(budgetMs)].join(' | ')} |\n`;
  }
  for (const warning of latencyWarnings(fold)) yield `\n⚠️ ${escaped(warning)}\n`;
}

function openLines(fold: Fold, options: ReportOptions): readonly string[] {
  const rest = leftOut(fold, options);
  return [...reasons(fold, ['inconclusive', 'skip', 'untested'], options), ...(rest === undefined ? [] : [rest])];
}

/** Puts lines of the terminal report into a folded block. */
function folded(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  // In some Markdown readers, an empty line ends an HTML block.
  const text = lines.map((line) => (line === '' ? ' ' : forXmlText(line))).join('\n');
  return `\n<details><summary>${code(title)}</summary>\n\n<pre>\n${text}\n</pre>\n\n</details>\n`;
}
