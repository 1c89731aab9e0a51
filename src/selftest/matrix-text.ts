import { plural } from '../contract/plural.ts';
import { forTerminal } from '../report/escape.ts';
import { mark } from '../report/marks.ts';
import type { ReportOptions } from '../report/options.ts';
import { duration, flow, hanging } from '../report/terminal/layout.ts';
import type { Outcome, Wrong } from './outcome.ts';
import type { Trial, TrialKind } from './trials.ts';

type Look = Pick<ReportOptions, 'paint' | 'unicode' | 'width'>;

const TITLES: Readonly<Record<TrialKind, string>> = {
  correct: 'Correct operators: croupier must report nothing',
  variant: 'Correct operators: croupier must report nothing',
  defect: 'Single defects: the rules that croupier reported',
  several: 'Several defects at once: croupier must find each',
  'load-variant': 'Correct operators under load: croupier load must report nothing',
  'load-defect':
    'Single defects under load: the rules that croupier load reported, and a transaction that broke one of them',
};

const WRONGS: Readonly<Record<Wrong['kind'], string>> = {
  missed: 'should have been reported',
  unrelated: 'is not related to the defect',
  undecided: 'was not decided',
  status: 'exit status',
  fault: 'the reference operator failed',
};

/** The outcome of a trial, and the number of attempts until this outcome. */
export interface TriedOutcome extends Outcome {
  readonly tries: number;
}

/** Returns the heading for a kind of trials; empty if the trial before has the same heading. */
export function headingOf(trial: Trial, before: Trial | undefined, { paint }: Look): readonly string[] {
  const title = TITLES[trial.kind];
  if (before && TITLES[before.kind] === title) return [];
  return [...(before ? [''] : []), paint.bold(title)];
}

/**
 * Returns one row of the matrix: the trial and every rule that was reported. Rules that were missed, and rules that
 * must not be reported, are red.
 */
export function rowOf(outcome: TriedOutcome, column: number, look: Look): readonly string[] {
  const { paint, unicode, width } = look;
  const right = outcome.wrongs.length === 0;
  const symbol = right ? paint.green(mark('pass', unicode)) : paint.red(mark('fail', unicode));
  const expected = new Set(outcome.expected);
  const unrelated = new Set(outcome.wrongs.filter(({ kind }) => kind === 'unrelated').map(({ rule }) => rule));
  const missed = outcome.wrongs.filter(({ kind }) => kind === 'missed').map(({ rule }) => rule ?? '');
  const pieces = [
    ...[...outcome.failed, ...outcome.warned].map((rule) => {
      if (unrelated.has(rule)) return paint.red(rule);
      return expected.has(rule) ? rule : paint.dim(`(${rule})`);
    }),
    ...missed.map((rule) => paint.red(`${rule}: missed`)),
  ];
  const again = paint.dim(`(try ${outcome.tries})`);
  const shown = pieces.length === 0 ? [paint.dim('nothing')] : pieces;
  const lines = flow(outcome.tries > 1 ? [...shown, again] : shown, '  ', Math.max(width - column - 6, 30));
  const [first = '', ...rest] = lines;
  return [
    `  ${symbol} ${outcome.name.padEnd(column)}  ${first}`,
    ...rest.map((line) => `${' '.repeat(column + 6)}${line}`),
    ...(outcome.named === null ? [] : hanging('      ', forTerminal(outcome.named), width)),
    ...outcome.wrongs.flatMap((wrong) => wrongLines(wrong, look)),
  ];
}

function wrongLines({ kind, rule, details }: Wrong, { paint, width }: Look): readonly string[] {
  const head = rule === null ? WRONGS[kind] : `${rule} ${WRONGS[kind]}`;
  return [`      ${paint.red(head)}`, ...details.flatMap((line) => hanging('        ', forTerminal(line), width))];
}

/**
 * Returns the summary of the matrix. `idle` lists the scenarios that never failed or warned; it is null if not all
 * trials were played. `wanted` is the number of all trials.
 */
export function totals(
  outcomes: readonly TriedOutcome[],
  { idle, durationMs, wanted }: { idle: readonly string[] | null; durationMs: number; wanted: number },
  { paint, width }: Look,
): readonly string[] {
  const sentences: string[] = [];
  const tried = (kinds: readonly TrialKind[]) => outcomes.filter(({ kind }) => kinds.includes(kind));
  const right = (some: readonly Outcome[]) => some.filter(({ wrongs }) => wrongs.length === 0).length;
  const correct = tried(['correct', 'variant']);
  const defects = tried(['defect']);
  const several = tried(['several']);
  if (correct.length > 0) {
    const accused = correct.filter(({ wrongs }) => wrongs.some(({ kind }) => kind === 'unrelated')).length;
    sentences.push(
      `${plural(correct.length, 'correct operator')}: ${right(correct)} judged correctly, ${accused} accused.`,
    );
  }
  if (defects.length > 0) sentences.push(`${plural(defects.length, 'defect')}: ${countsOf(defects, right(defects))}.`);
  if (several.length > 0)
    sentences.push(`${plural(several.length, 'combination')} of defects: ${countsOf(several, right(several))}.`);
  const loaded = tried(['load-variant', 'load-defect']);
  if (loaded.length > 0)
    sentences.push(`${plural(loaded.length, 'operator')} under load: ${right(loaded)} judged correctly.`);
  if (idle !== null && idle.length > 0)
    sentences.push(`Scenarios that are useless, because they passed against every defect: ${idle.join(', ')}.`);
  const again = outcomes.filter(({ tries, wrongs }) => tries > 1 && wrongs.length === 0);
  if (again.length > 0)
    sentences.push(
      `${again.length} of them were judged correctly only when croupier repeated the run with more time: ${again.map(({ name }) => name).join(', ')}.`,
    );
  const all = right(outcomes) === outcomes.length && (idle ?? []).length === 0;
  const isCutShort = outcomes.length < wanted;
  const said = isCutShort
    ? `Interrupted: ${outcomes.length} of ${wanted} were played.`
    : all
      ? 'croupier judged every operator correctly.'
      : 'croupier judged some operators wrongly.';
  const tone = !all ? paint.red : isCutShort ? paint.yellow : paint.green;
  return [
    '',
    tone(paint.bold(said)),
    ...sentences.flatMap((sentence) => hanging('  ', sentence, width)),
    `  ${runsOf(outcomes.length - loaded.length, loaded.length)} in ${duration(durationMs)}.`,
  ];
}

function runsOf(suites: number, loads: number): string {
  return [
    ...(suites > 0 ? [`${plural(suites, 'run')} of the suite`] : []),
    ...(loads > 0 ? [plural(loads, 'load test')] : []),
  ].join(' and ');
}

function countsOf(outcomes: readonly Outcome[], right: number): string {
  const count = (kind: Wrong['kind']) =>
    outcomes.filter(({ wrongs }) => wrongs.some((wrong) => wrong.kind === kind)).length;
  const unrelated = outcomes.flatMap(({ wrongs }) => wrongs.filter(({ kind }) => kind === 'unrelated')).length;
  return `${right} judged correctly, ${count('missed')} in which a broken rule was not reported, and ${plural(unrelated, 'unrelated rule')} reported`;
}
