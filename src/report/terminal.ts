import { type Conclusion, conclude } from '../journal/conclusion.ts';
import { VERDICTS } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import { forTerminal } from './escape.ts';
import { eachExchange, findEvidence } from './evidence.ts';
import { baselineFile } from './known-failures.ts';
import { duration, flow, hanging, plural, wrap } from './layout.ts';
import { mark, tint, verdictNoun } from './marks.ts';
import type { OpenJournal, ReportOptions } from './options.ts';
import { breaches, breachLines } from './terminal-breach.ts';
import { causeLines } from './terminal-causes.ts';
import { exchangeLines } from './terminal-exchange.ts';
import { knownLines } from './terminal-known.ts';
import { latencyLines } from './terminal-latency.ts';
import { leftBehind } from './terminal-left-behind.ts';
import { everyRule, leftOut, notes, reasons, warnings } from './terminal-rules.ts';

/** Wider lines are hard to read, narrower ones hold nothing. */
const WIDEST = 120;
const NARROWEST = 40;

/**
 * The report for a person: the verdict, what failed with all that is needed to see why, then every rule, what was not
 * tested, and what is left behind.
 */
export async function* terminalReport(fold: Fold, open: OpenJournal, given: ReportOptions): AsyncGenerator<string> {
  const options = { ...given, width: Math.min(Math.max(given.width, NARROWEST), WIDEST) };
  const conclusion = conclude(fold);
  yield text(headLines(fold, conclusion, options));

  const failing = breaches(fold);
  if (failing.length > 0) {
    yield* titled(fold.causes.length === 1 ? 'Likely cause' : 'Likely causes', causeLines(fold, options), options);
    const evidence = await findEvidence(
      open,
      failing.flatMap(({ shown }) => shown),
      fold.races,
    );
    yield section('What failed', options);
    for (const [index, breach] of failing.entries()) {
      if (index > 0) yield '\n';
      yield text(breachLines(breach, fold, evidence, options));
    }
  }
  yield* titled(`Known failures (${forTerminal(baselineFile(fold) ?? '')})`, knownLines(fold, options), options);
  yield* titled('What could not be decided', reasons(fold, ['inconclusive'], options), options);
  yield* titled('Warnings', warnings(fold, options), options);
  yield* titled(fold.run.whole ? 'Every rule' : 'The rules that were tried', everyRule(fold, options), options);
  yield* titled('Notes: where the contract leaves it open', notes(fold, options), options);
  const rest = leftOut(fold, options);
  const untested = reasons(fold, ['skip', 'untested'], options);
  yield* titled('What was not tested, and why', rest === undefined ? untested : [...untested, rest], options);
  yield* titled('How quick the replies were', latencyLines(fold, options), options);
  yield* titled('What is left behind', leftBehind(fold, options), options);
  yield* titled('Worth knowing', worthKnowing(fold, options), options);
  if (options.verbose) yield* allExchanges(open, options);
  yield text(['', ...closing(conclusion, options)]);
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function section(title: string, { paint, unicode, width }: ReportOptions): string {
  const rule = (unicode ? '─' : '-').repeat(Math.max(width - title.length - 4, 3));
  const edge = unicode ? '──' : '--';
  return `\n${paint.dim(edge)} ${paint.bold(title)} ${paint.dim(rule)}\n\n`;
}

function* titled(title: string, lines: readonly string[], options: ReportOptions): Generator<string> {
  if (lines.length === 0) return;
  yield section(title, options);
  yield text(lines);
}

function toned(conclusion: Conclusion, { paint }: ReportOptions): (line: string) => string {
  switch (conclusion.verdict) {
    case 'conforming':
      return (line) => paint.bold(paint.green(line));
    case 'nonconforming':
      return (line) => paint.bold(paint.red(line));
    case 'undecided':
      return (line) => paint.bold(paint.yellow(line));
  }
}

function headLines(fold: Fold, conclusion: Conclusion, options: ReportOptions): readonly string[] {
  const { run, ended } = fold;
  const facts = [
    `contract ${run.contract}`,
    run.whole ? 'the whole suite' : `selected: ${run.selection.length === 0 ? 'a part' : run.selection.join(' ')}`,
    ...(run.settings.strict ? ['strict'] : []),
    `seed ${run.seed}`,
  ];
  const played = fold.scenarios.filter(({ state }) => state !== 'not-started').length;
  const all = fold.scenarios.length;
  const amounts = [
    played === all ? plural(all, 'scenario') : `${played} of ${plural(all, 'scenario')}`,
    plural(fold.exchanges.sent, 'call'),
    ended === null ? 'cut off' : duration(ended.durationMs),
    `begun ${moment(run.startedAt)}`,
  ];
  return [
    // The first line is never broken: what greps for it must find it whole.
    toned(conclusion, options)(forTerminal(conclusion.firstLine)),
    '',
    ...wrap(forTerminal(`${run.client.extCID} at ${run.client.integratorBaseUrl}`), options.width - 2).map(indent),
    ...wrap(forTerminal(facts.join(', ')), options.width - 2).map(indent),
    ...wrap(forTerminal(amounts.join(', ')), options.width - 2).map(indent),
    ...counts(fold, options).map(indent),
    ...(ended?.detail ? ['', ...hanging('  ', forTerminal(ended.detail), options.width)] : []),
  ];
}

/** `2026-11-20 09:30:00 UTC`; what is no ISO time stays as it is. */
function moment(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');
}

const indent = (line: string): string => `  ${line}`;

function counts(fold: Fold, { paint, unicode, width }: ReportOptions): readonly string[] {
  const pieces = VERDICTS.flatMap((verdict) => {
    const count = fold.rules.filter((result) => result.verdict === verdict).length;
    if (count === 0) return [];
    const known = verdict === 'fail' ? fold.rules.filter(({ isKnown }) => isKnown).length : 0;
    const apart = known === 0 ? '' : known === count ? ', as known' : `, ${known} of them as known`;
    const plain = `${mark(verdict, unicode)} ${count} ${verdictNoun(verdict, count)}${apart}`;
    return [{ plain, shown: tint(verdict, paint)(plain) }];
  });
  return flow(pieces, '   ', width - 2);
}

function worthKnowing(fold: Fold, { width }: ReportOptions): readonly string[] {
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

function closing(conclusion: Conclusion, options: ReportOptions): readonly string[] {
  const { exitCode } = conclusion;
  const meaning = {
    0: 'conforming',
    1: 'not conforming',
    3: 'undecided',
    70: 'a bug of croupier',
    130: 'interrupted',
    143: 'interrupted',
  }[exitCode];
  const lines = [toned(conclusion, options)(`Exit status ${exitCode}: ${meaning}.`)];
  if (options.journal !== null) {
    const journal = forTerminal(options.journal);
    lines.push(options.paint.dim(`Journal: ${journal}`));
  }
  return lines;
}
