import { conclude } from '../journal/conclusion.ts';
import { VERDICTS } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { JudgedFinding } from '../journal/judged-cell.ts';
import type { RuleResult } from '../journal/rule-result.ts';
import { forMarkdown, forXmlText } from './escape.ts';
import { findEvidence } from './evidence.ts';
import { baselineFile, knownName, knownSentence } from './known-failures.ts';
import { clip, duration, plural } from './layout.ts';
import { verdictNoun } from './marks.ts';
import type { OpenJournal, ReportOptions } from './options.ts';
import { PLAIN } from './paint.ts';
import { runAgain } from './run-again.ts';
import { breaches, breachLines } from './terminal-breach.ts';
import { latencyWarnings } from './terminal-latency.ts';
import { leftOut, reasons } from './terminal-rules.ts';

/** A comment on GitHub may have 65,536 characters, and a step's summary 1 MiB; others write beside us. */
const MOST = 60_000;
/** Of these, what stands above the details may take so much. */
const MOST_ABOVE = 30_000;
/** The last line, which says what is left out. */
const END = 200;
const TEXT = 300;

/**
 * The report for a pull request, or the summary of a step: the verdict, the causes, what is broken, and folded away what was sent and
 * received. At most 60,000 bytes; what does not fit is counted. No text from outside can be Markdown, HTML, a link or a mention.
 */
export async function* markdownReport(fold: Fold, open: OpenJournal, given: ReportOptions): AsyncGenerator<string> {
  const options: ReportOptions = { ...given, paint: PLAIN, width: 100, unicode: true };
  const page = startPage();
  yield* page.above(headText(fold));
  yield* page.above(...causesText(fold));
  yield* page.above(...brokenText(fold, options));
  yield* page.above(...knownText(fold));
  yield* page.above(...latencyText(fold));
  yield* page.below(folded('What was left open, and what was not tested', openLines(fold, options)));

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

/** Counts what is written, so that the whole stays within its limit. */
function startPage() {
  let used = 0;
  let droppedLines = 0;
  let droppedSections = 0;
  const fits = (piece: string, most: number): boolean => {
    const size = Buffer.byteLength(piece);
    if (used + size > most) return false;
    used += size;
    return true;
  };
  return {
    *above(...pieces: readonly string[]): Generator<string> {
      for (const piece of pieces) {
        if (fits(piece, MOST_ABOVE)) yield piece;
        else droppedLines += 1;
      }
    },
    *below(section: string): Generator<string> {
      if (fits(section, MOST - END)) yield section;
      else droppedSections += 1;
    },
    end: (): string => {
      const lost = [
        ...(droppedLines > 0 ? [plural(droppedLines, 'line')] : []),
        ...(droppedSections > 0 ? [`${plural(droppedSections, 'section')} of details`] : []),
      ];
      return lost.length === 0
        ? ''
        : `\n_Left out, for the length of this page: ${lost.join(' and ')}. The journal has everything._\n`;
    },
  };
}

const said = (text: string): string => forMarkdown(clip(text, TEXT));
const code = (text: string): string => `<code>${said(text)}</code>`;

const SIGNS = { conforming: '✅', nonconforming: '❌', undecided: '❔' } as const;

function headText(fold: Fold): string {
  const { run, ended } = fold;
  const { verdict, firstLine } = conclude(fold);
  const counts = VERDICTS.flatMap((name) => {
    const count = fold.rules.filter((result) => result.verdict === name).length;
    return count === 0 ? [] : [`${count} ${verdictNoun(name, count)}`];
  });
  const facts = [
    `contract ${said(run.contract)}`,
    run.whole ? 'the whole suite' : `selected: ${said(run.selection.join(' ') || 'a part')}`,
    plural(fold.scenarios.length, 'scenario'),
    plural(fold.exchanges.sent, 'call'),
    ended === null ? 'cut off' : duration(ended.durationMs),
    `seed ${said(run.seed)}`,
  ];
  return [
    `## ${SIGNS[verdict]} ${said(firstLine)}`,
    '',
    `${code(run.client.extCID)} at ${code(run.client.integratorBaseUrl)}: ${facts.join(', ')}. Begun ${said(run.startedAt)}.`,
    '',
    `Rules: ${counts.join(', ')}.`,
    ...(ended?.detail ? ['', said(ended.detail)] : []),
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
  if (failed.length > 0) yield '\n### Broken rules\n\n| rule | | seen | in |\n|---|---|---|---|\n';
  for (const result of failed) {
    const seen = result.findings.find(({ verdict }) => verdict === 'fail');
    yield `| \`${result.rule.id}\` | ${weight(result)} | ${said(result.reason ?? '')} | ${where(seen, options)} |\n`;
  }
  const missed = breaches(fold).find(({ id }) => id === 'expectation');
  if (missed) yield '\n### Expectations of scenarios that are not met\n\n| seen | in |\n|---|---|\n';
  for (const seen of missed?.shown ?? []) yield `| ${said(seen.actual)} | ${where(seen, options)} |\n`;
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
  for (const result of fold.baseline) yield `- ${code(knownName(result))} ${said(knownSentence(result))}\n`;
}

function* latencyText(fold: Fold): Generator<string> {
  if (fold.latency.length === 0) return;
  yield '\n### How quick the replies were\n\n| | calls | p50 | p95 | p99 | max | budget |\n|---|--:|--:|--:|--:|--:|--:|\n';
  for (const { call, count, p50Ms, p95Ms, p99Ms, maxMs, budgetMs } of fold.latency) {
    const times = [p50Ms, p95Ms, p99Ms, maxMs].map(duration);
    yield `| ${[call, count, ...times, budgetMs === null ? '' : duration(budgetMs)].join(' | ')} |\n`;
  }
  for (const warning of latencyWarnings(fold)) yield `\n⚠️ ${said(warning)}\n`;
}

function openLines(fold: Fold, options: ReportOptions): readonly string[] {
  const rest = leftOut(fold, options);
  return [...reasons(fold, ['inconclusive', 'skip', 'untested'], options), ...(rest === undefined ? [] : [rest])];
}

/** Lines as they are in the report for people, folded away. */
function folded(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  // A blank line would end what an HTML block holds in some readers.
  const text = lines.map((line) => (line === '' ? ' ' : forXmlText(line))).join('\n');
  return `\n<details><summary>${code(title)}</summary>\n\n<pre>\n${text}\n</pre>\n\n</details>\n`;
}
