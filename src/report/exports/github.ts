import { plural } from '../../contract/plural.ts';
import { staleEntries } from '../../journal/baseline.ts';
import { conclude } from '../../journal/conclusion.ts';
import type { Place } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import type { JudgedFinding } from '../../journal/judged-outcome.ts';
import { exceededBudgets } from '../../journal/latency.ts';
import { forWorkflowMessage, forWorkflowProperty } from '../escape.ts';
import { baselineFile, knownName, knownSentence, worseSentence } from '../known-failures.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { owedClauses, settleCommandLine } from '../owed.ts';
import { runAgain } from '../run-again.ts';
import { breaches } from '../terminal/breach.ts';
import { clip, duration } from '../terminal/layout.ts';

/**
 * Maximum number of annotations. GitHub shows at most ten of each level for one step, and drops further annotations without a
 * message.
 */
const MAX_ANNOTATIONS = 10;
const MAX_TEXT = 400;

interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly place: Place | null;
  readonly lines: readonly string[];
}

/**
 * Writes workflow commands of GitHub, one in each line. At most ten annotations are shown, each at the line of its scenario.
 * Breaches come first (likely causes before others), then outdated entries of the baseline, an undecided run, undecided rules, and
 * what is owed.
 *
 * Text from outside cannot start another command.
 */
export async function* githubReport(fold: Fold, _open: OpenJournal, options: ReportOptions): AsyncGenerator<string> {
  const all = annotations(fold, options);
  const shown = all.length > MAX_ANNOTATIONS ? all.slice(0, MAX_ANNOTATIONS - 1) : all;
  for (const annotation of shown) yield commandOf(annotation, options);
  if (shown.length < all.length) {
    const text = `The summary of this step and the journal show ${plural(all.length - shown.length, 'more finding')}.`;
    yield `::warning title=${forWorkflowProperty('croupier has more findings')}::${forWorkflowMessage(text)}\n`;
  }
}

function annotations(fold: Fold, { journal }: Pick<ReportOptions, 'journal'>): readonly Annotation[] {
  const broken = breaches(fold)
    .flatMap((breach) =>
      breach.shown.slice(0, breach.id === 'expectation' ? MAX_ANNOTATIONS : 1).map((one) => ({ breach, one })),
    )
    .toSorted((a, b) => Number(isMoney(fold, b.breach.id)) - Number(isMoney(fold, a.breach.id)));
  return [
    ...broken.map(({ breach, one }) => breachAnnotation(fold, breach.id, one, breach.because)),
    ...staleEntries(fold.baseline).map(
      (entry): Annotation => ({
        level: 'error',
        title: knownName(entry),
        place: { file: baselineFile(fold) ?? '', line: entry.known.line, column: 1 },
        lines: [knownSentence(entry)],
      }),
    ),
    ...exceededBudgets(fold).map(
      ({ call, p95Ms, budgetMs }): Annotation => ({
        level: 'error',
        title: `${fold.run.client.extCID}: replies to ${call} are slower than the budget`,
        place: null,
        lines: [`95 of 100 replies came within ${duration(p95Ms ?? 0)}, the budget is ${duration(budgetMs)}`],
      }),
    ),
    ...undecidedAnnotations(fold),
    ...fold.rules
      .filter(({ rule, verdict }) => verdict === 'inconclusive' && rule.level === 'MUST')
      .map(
        ({ rule, reason, seenIn, findings }): Annotation => ({
          level: 'warning',
          title: `${fold.run.client.extCID}: ${rule.id} could not be decided`,
          place: findings.find(({ place }) => place !== null)?.place ?? placeOf(fold, seenIn),
          lines: [reason ?? 'the reason is unknown'],
        }),
      ),
    ...owedAnnotations(fold, journal),
  ];
}

/** If a run is undecided as a whole, for example because its time was over, this may be the only annotation. */
function undecidedAnnotations(fold: Fold): readonly Annotation[] {
  const { verdict, firstLine } = conclude(fold);
  if (verdict !== 'undecided') return [];
  return [{ level: 'warning', title: `${fold.run.client.extCID} is undecided`, place: null, lines: [firstLine] }];
}

/** A run that passed may owe something too, for example if the wallet was away for some seconds. */
function owedAnnotations(fold: Fold, journal: string | null): readonly Annotation[] {
  const clauses = owedClauses(fold);
  if (clauses.length === 0) return [];
  const title = `${fold.run.client.extCID}: something is owed after the run`;
  const command = journal === null ? [] : [`to settle: ${settleCommandLine(journal)}`];
  return [{ level: 'warning', title, place: null, lines: [...clauses, ...command] }];
}

function isMoney(fold: Fold, id: string): boolean {
  return fold.rules.some(({ rule }) => rule.id === id && rule.money);
}

function placeOf(fold: Fold, scenario: string | null): Place | null {
  return fold.run.scenarios.find(({ id }) => id === scenario)?.place ?? null;
}

function breachAnnotation(fold: Fold, id: string, finding: JudgedFinding, because: string | null): Annotation {
  const result = fold.rules.find(({ rule }) => rule.id === id);
  const planned = fold.run.scenarios.find((scenario) => scenario.id === finding.scenario);
  const again = planned ? runAgain(planned, fold.run.flags) : null;
  const worse = result ? worseSentence(result.rule.id, fold) : null;
  return {
    level: 'error',
    title: `${fold.run.client.extCID} breaks ${id}`,
    place: finding.place,
    lines: [
      ...(worse === null ? [] : [`Worse than the baseline allows: ${worse}.`]),
      ...(because === null ? [] : [`Likely cause: ${because} is broken.`]),
      ...(result?.rule.means ? [result.rule.means] : []),
      `expected: ${finding.expected}`,
      `actual: ${finding.actual}`,
      `seen in: ${finding.scenario}`,
      ...(again === null ? [] : [`run alone: ${again}`]),
    ],
  };
}

function commandOf({ level, title, place, lines }: Annotation, { repositoryFile }: ReportOptions): string {
  const file = place === null || place.file === '' ? null : (repositoryFile ?? unchanged)(place.file);
  const properties = [
    // Without a file, GitHub shows the annotation on the page of the workflow step.
    ...(file === null || place === null
      ? []
      : [`file=${forWorkflowProperty(file)}`, `line=${place.line}`, `col=${place.column}`]),
    `title=${forWorkflowProperty(clip(title, MAX_TEXT))}`,
  ];
  // GitHub shows `%0A` in a message as a line end.
  const message = lines.map((line) => forWorkflowMessage(clip(line, MAX_TEXT))).join('%0A');
  return `::${level} ${properties.join(',')}::${message}\n`;
}

function unchanged(file: string): string {
  return file;
}
