import { forTerminal } from '../report/escape.ts';
import { duration, flow, hanging, plural } from '../report/layout.ts';
import { mark } from '../report/marks.ts';
import type { ReportOptions } from '../report/options.ts';
import type { Outcome, Wrong } from './outcome.ts';
import type { Trial, TrialKind } from './trial.ts';

type Look = Pick<ReportOptions, 'paint' | 'unicode' | 'width'>;

const TITLES: Readonly<Record<TrialKind, string>> = {
  correct: 'Correct operators: nothing may be reported',
  habit: 'Correct operators: nothing may be reported',
  defect: 'Defects, each alone: what was reported of it',
  several: 'Several defects at once: each must be found',
};

const WRONGS: Readonly<Record<Wrong['kind'], string>> = {
  missed: 'should have been reported',
  unrelated: 'has nothing to do with it',
  undecided: 'was left undecided',
  status: 'exit status',
  fault: 'the reference operator failed',
};

/** An outcome, and at which try. */
export interface TriedOutcome extends Outcome {
  readonly tries: number;
}

/** The heading of a kind of trials, where it differs from the one before. */
export function headingOf(trial: Trial, before: Trial | undefined, { paint }: Look): readonly string[] {
  const title = TITLES[trial.kind];
  if (before && TITLES[before.kind] === title) return [];
  return [...(before ? [''] : []), paint.bold(title)];
}

/**
 * One row of the matrix: the trial and every rule that was reported of it. A rule that should have been reported and was
 * not stands there with a cross; so does one that should not have been.
 */
export function rowOf(outcome: TriedOutcome, column: number, look: Look): readonly string[] {
  const { paint, unicode, width } = look;
  const right = outcome.wrongs.length === 0;
  const symbol = right ? paint.green(mark('pass', unicode)) : paint.red(mark('fail', unicode));
  const expected = new Set(outcome.expected);
  const strangers = new Set(outcome.wrongs.filter(({ kind }) => kind === 'unrelated').map(({ rule }) => rule));
  const missed = outcome.wrongs.filter(({ kind }) => kind === 'missed').map(({ rule }) => rule ?? '');
  const pieces = [
    ...[...outcome.failed, ...outcome.warned].map((rule) => {
      const plain = expected.has(rule) || strangers.has(rule) ? rule : `(${rule})`;
      return { plain, shown: strangers.has(rule) ? paint.red(plain) : expected.has(rule) ? plain : paint.dim(plain) };
    }),
    ...missed.map((rule) => ({ plain: `${rule}: missed`, shown: paint.red(`${rule}: missed`) })),
  ];
  const again = { plain: `(try ${outcome.tries})`, shown: paint.dim(`(try ${outcome.tries})`) };
  const none = [{ plain: 'nothing', shown: paint.dim('nothing') }];
  const told = pieces.length === 0 ? none : pieces;
  const lines = flow(outcome.tries > 1 ? [...told, again] : told, '  ', Math.max(width - column - 6, 30));
  const [first = '', ...rest] = lines;
  return [
    `  ${symbol} ${outcome.name.padEnd(column)}  ${first}`,
    ...rest.map((line) => `${' '.repeat(column + 6)}${line}`),
    ...outcome.wrongs.flatMap((wrong) => wrongLines(wrong, look)),
  ];
}

function wrongLines({ kind, rule, told }: Wrong, { paint, width }: Look): readonly string[] {
  const head = rule === null ? WRONGS[kind] : `${rule} ${WRONGS[kind]}`;
  return [`      ${paint.red(head)}`, ...told.flatMap((line) => hanging('        ', forTerminal(line), width))];
}

/** What the whole matrix comes to. `idle`: scenarios that raised no alarm; null: not everything was tried, so nobody knows. */
export function totals(
  outcomes: readonly TriedOutcome[],
  { idle, durationMs, wanted }: { idle: readonly string[] | null; durationMs: number; wanted: number },
  { paint, width }: Look,
): readonly string[] {
  const sentences: string[] = [];
  const tried = (kinds: readonly TrialKind[]) => outcomes.filter(({ kind }) => kinds.includes(kind));
  const right = (some: readonly Outcome[]) => some.filter(({ wrongs }) => wrongs.length === 0).length;
  const correct = tried(['correct', 'habit']);
  const defects = tried(['defect']);
  const several = tried(['several']);
  if (correct.length > 0) {
    const accused = correct.filter(({ wrongs }) => wrongs.some(({ kind }) => kind === 'unrelated')).length;
    sentences.push(
      `${plural(correct.length, 'correct operator')}: ${right(correct)} judged rightly, ${accused} accused.`,
    );
  }
  if (defects.length > 0) sentences.push(`${plural(defects.length, 'defect')}: ${countsOf(defects, right(defects))}.`);
  if (several.length > 0)
    sentences.push(`${several.length} times several defects at once: ${countsOf(several, right(several))}.`);
  if (idle !== null && idle.length > 0)
    sentences.push(
      `${plural(idle.length, 'scenario')} passed against every defect, and could as well not be there: ${idle.join(', ')}.`,
    );
  const again = outcomes.filter(({ tries, wrongs }) => tries > 1 && wrongs.length === 0);
  if (again.length > 0)
    sentences.push(
      `${again.length} of them only when tried again with more time: ${again.map(({ name }) => name).join(', ')}.`,
    );
  const all = right(outcomes) === outcomes.length && (idle ?? []).length === 0;
  const isCutShort = outcomes.length < wanted;
  const said = isCutShort
    ? `Interrupted: ${outcomes.length} of ${wanted} are over.`
    : all
      ? 'croupier judged all of them rightly.'
      : 'croupier was wrong about some of them.';
  const tone = !all ? paint.red : isCutShort ? paint.yellow : paint.green;
  return [
    '',
    tone(paint.bold(said)),
    ...sentences.flatMap((sentence) => hanging('  ', sentence, width)),
    `  ${plural(outcomes.length, 'run')} of the suite in ${duration(durationMs)}.`,
  ];
}

function countsOf(outcomes: readonly Outcome[], right: number): string {
  const count = (kind: Wrong['kind']) =>
    outcomes.filter(({ wrongs }) => wrongs.some((wrong) => wrong.kind === kind)).length;
  const strangers = outcomes.flatMap(({ wrongs }) => wrongs.filter(({ kind }) => kind === 'unrelated')).length;
  return `${right} judged rightly, ${count('missed')} with a rule missed, ${plural(strangers, 'unrelated rule')} reported`;
}
