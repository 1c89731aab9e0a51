import { RULES } from '../../../contract/catalogue.ts';
import { plural } from '../../../contract/plural.ts';
import type { RuleInRun, RuleTrend } from '../../../history/rule-trend.ts';
import type { ListedRun, PastRun } from '../../../history/runs.ts';
import type { RunVerdict } from '../../../history/tables.ts';
import type { Comparison } from '../../../report/comparison/comparison.ts';
import { forTerminal } from '../../../report/escape.ts';
import { mark, tint, verdictNoun } from '../../../report/marks.ts';
import type { Look } from '../../../report/options.ts';
import { hanging, padEnd, padStart } from '../../../report/terminal/layout.ts';

/** The verdicts of one rule for one client with one operator. */
export interface ShownTrend {
  readonly rule: string;
  readonly client: string;
  readonly operator: string;
  readonly trend: RuleTrend;
}

const VERDICT_WORDS: Readonly<Record<RunVerdict, string>> = {
  conforming: 'CONFORMING',
  nonconforming: 'NOT CONFORMING',
  undecided: 'UNDECIDED',
  reconciled: 'RECONCILED',
  'not-reconciled': 'NOT RECONCILED',
};

/** Writes the list of runs as text. */
export function runsText(
  runs: readonly ListedRun[],
  { total, client }: { readonly total: number; readonly client: string | undefined },
  look: Look,
): string {
  if (runs.length === 0) {
    const of = client === undefined ? '' : ` of ${forTerminal(client)}`;
    return `The history of this folder has no run${of}. croupier run and croupier load add runs to the history, except with --reference.\n`;
  }
  const width = Math.max(...runs.map(({ run }) => String(run.number).length));
  const lines = runs.flatMap((listed) => runLines(listed, width, look));
  const more = total > runs.length ? `${runs.length} of ${plural(total, 'run')}. ` : '';
  return `${lines.join('\n')}\n\n${more}Report of a run: croupier history open NUMBER. Rules over time: croupier history rule\n`;
}

function runLines({ run, before }: ListedRun, numberWidth: number, { paint, width }: Look): readonly string[] {
  const number = padStart(String(run.number), numberWidth);
  const verdict = verdictText(run.verdict, paint);
  const build = run.build === null ? '' : `  build ${run.build}`;
  const load = run.kind === 'load' ? '  load test' : '';
  const pinned = run.pinned === 1 ? '  pinned' : '';
  const indent = ' '.repeat(numberWidth + 2);
  const about = [suiteText(run), `croupier ${run.croupier}`, `contract ${run.contract}`].filter(Boolean).join(', ');
  return [
    `${paint.bold(number)}  ${moment(run.started_at)}  ${verdict}  ${forTerminal(`${run.ext_cid}${build}${load}${pinned}`)}`,
    ...hanging(indent, forTerminal(about), width).map((line) => paint.dim(line)),
    ...hanging(indent, forTerminal(changesText(run, before)), width),
  ];
}

/** Returns the words for the verdict of a run, in its colour. */
export function verdictText(verdict: RunVerdict, paint: Look['paint']): string {
  return paint.bold(verdictPaint(verdict, paint)(padEnd(VERDICT_WORDS[verdict], 14)));
}

function verdictPaint(verdict: RunVerdict, paint: Look['paint']): (text: string) => string {
  if (verdict === 'conforming' || verdict === 'reconciled') return paint.green;
  return verdict === 'undecided' ? paint.yellow : paint.red;
}

/** Names the scenarios of a run, and the digest of their contents. */
function suiteText({ kind, whole, selection, suite_digest }: PastRun): string {
  if (kind === 'load') return '';
  const words = JSON.parse(selection) as readonly string[];
  const name = whole === 1 ? 'whole suite' : words.length === 0 ? 'all scenarios' : `scenarios ${words.join(' ')}`;
  return suite_digest === null ? name : `${name} (${suite_digest.slice(0, 8)})`;
}

function changesText({ first_line }: PastRun, before: ListedRun['before']): string {
  if (before === null) return `The first run of its kind. ${first_line}`;
  if (before.comparison === null) return first_line;
  const changes = changeParts(before.comparison);
  const since = `Since run ${before.number}`;
  return changes.length === 0 ? `${since}: no change.` : `${since}: ${changes.join('; ')}.`;
}

const MAX_NAMES = 6;

function changeParts(comparison: Comparison): readonly string[] {
  const { broken, worse, fixed, mayBeHidden, notTriedAgain, warned, cleared, added, gone, leftUndecided } = comparison;
  const { slower, differences } = comparison;
  const named = (what: string, ids: readonly string[]): readonly string[] => {
    if (ids.length === 0) return [];
    const more = ids.length > MAX_NAMES ? ` and ${ids.length - MAX_NAMES} more` : '';
    return [`${what} ${ids.slice(0, MAX_NAMES).join(', ')}${more}`];
  };
  const ids = (changes: Comparison['broken']): readonly string[] => changes.map(({ id }) => id);
  return [
    ...named('broken', ids(broken)),
    ...named('worse', ids(worse)),
    ...named('fixed', ids(fixed)),
    ...named('not known whether fixed', ids([...mayBeHidden, ...notTriedAgain])),
    ...named('warning now', ids(warned)),
    ...named('no longer a warning', ids(cleared)),
    ...(added.length > 0 ? [`${plural(added.length, 'rule')} judged for the first time`] : []),
    ...(gone.length > 0 ? [`${plural(gone.length, 'rule')} no longer judged`] : []),
    ...named('left undecided by known failures', ids(leftUndecided)),
    ...named(
      'slower',
      slower.map(({ call }) => call),
    ),
    ...differences,
  ];
}

/** Writes the verdicts of one rule over time, for each client. */
export function ruleText(
  trends: readonly ShownTrend[],
  {
    rule = '',
    client,
    limit,
  }: { readonly rule: string | undefined; readonly client: string | undefined; readonly limit: number },
  look: Look,
): string {
  if (trends.length === 0) {
    const of = client === undefined ? '' : ` of ${client}`;
    return `${forTerminal(`No run${of} in the history has a result for ${rule}.`)}\n`;
  }
  return trends
    .map((one) => `${[...headLines(one, look), '', ...tableLines(one, limit, look)].join('\n')}\n`)
    .join('\n');
}

/** Writes the rules that are broken or flaky. The broken rules come first. */
export function rulesText(
  trends: readonly ShownTrend[],
  { client }: { readonly client: string | undefined },
  look: Look,
): string {
  if (trends.length === 0) {
    const of = client === undefined ? '' : ` of ${forTerminal(client)}`;
    return `No rule${of} is broken or flaky in the history.\n`;
  }
  const order = ['broken', 'flaky', 'unclear'];
  const sorted = trends.toSorted((a, b) => order.indexOf(a.trend.state) - order.indexOf(b.trend.state));
  return `${sorted.map((one) => `${headLines(one, look).join('\n')}\n`).join('\n')}\nOne rule over time: croupier history rule RULE\n`;
}

function headLines({ rule, client, operator, trend }: ShownTrend, { paint, width }: Look): readonly string[] {
  const known = RULES.find(({ id }) => id === rule);
  const level = known ? `  ${known.level}${known.money ? '  $ money is at stake' : ''}` : '';
  const colour = trend.state === 'broken' ? paint.red : trend.state === 'passing' ? paint.green : paint.yellow;
  const words = `${colour(paint.bold(trend.state.toUpperCase()))} `;
  return [
    `${paint.bold(forTerminal(rule))}${level}  ${forTerminal(`${client} at ${operator}`)}`,
    ...hanging('  ', `${words}${forTerminal(sentences(trend).join(' '))}`, width),
  ];
}

/** Says in sentences since when a rule is broken, what changed then, and how often its verdict depends on chance. */
function sentences(trend: RuleTrend): readonly string[] {
  const { since, lastGood, differences, compared, changed, unexplained, firstChange, state } = trend;
  const failing =
    since === null
      ? []
      : lastGood === null
        ? [`since ${runName(since)}, the first run that decided it.`]
        : [
            `since ${runName(since)}. ${state === 'warning' ? 'It had no warning' : 'It was not broken'} in ${runName(lastGood)}.`,
            differences.length === 0
              ? 'Nothing that croupier knows of changed between them.'
              : `Changed between them: ${differences.join(', ')}.`,
          ];
  const chance =
    compared === 0
      ? []
      : changed === 0
        ? [`Its verdict never changed in ${plural(compared, 'repeated run')} (with the same inputs as an earlier run).`]
        : [
            `Its verdict changed in ${changed} of ${plural(compared, 'repeated run')} (with the same inputs as an earlier run): flakiness ${Math.round((100 * changed) / compared)} %.`,
          ];
  const first = firstChange
    ? [`Among the runs with the same inputs as the latest run, its verdict first changed in ${runName(firstChange)}.`]
    : [];
  const unknown =
    unexplained === 0 || (since !== null && unexplained === 1)
      ? []
      : [
          `Its verdict changed ${plural(unexplained, 'time')} between runs of the same scenarios that name no build, so it is unknown whether the wallet changed. Name the build with --label build=…`,
        ];
  const start =
    state === 'passing' ? ['in the latest run that decided it.'] : state === 'undecided' ? ['in every run.'] : [];
  return [...(since === null ? start : failing), ...chance, ...first, ...unknown];
}

function runName({ number, started_at, build }: RuleInRun): string {
  return `run ${number} (${moment(started_at)}${build === null ? '' : `, build ${build}`})`;
}

function tableLines({ trend }: ShownTrend, limit: number, { paint, unicode }: Look): readonly string[] {
  const shown = trend.runs.slice(0, limit);
  const numberWidth = Math.max(...shown.map(({ number }) => String(number).length));
  const lines = shown.map(({ number, started_at, verdict, flaky, build, croupier, kind, ended }) => {
    const sign = tint(verdict, paint)(`${mark(verdict, unicode)} ${padEnd(verdictNoun(verdict, 1), 9)}`);
    const facts = [
      build === null ? '' : `build ${build}`,
      `croupier ${croupier}`,
      flaky ? 'passed on retry' : '',
      kind === 'load' ? 'load test' : '',
      ended === 'complete' ? '' : `run ended early${ended === null ? '' : `: ${ended}`}`,
    ];
    const text = facts.filter((fact) => fact !== '').join(', ');
    return `  ${padStart(String(number), numberWidth)}  ${moment(started_at)}  ${sign}  ${forTerminal(text)}`;
  });
  const more = trend.runs.length - shown.length;
  return more > 0 ? [...lines, `  and ${plural(more, 'earlier run')} (--limit)`] : lines;
}

/** Formats an ISO time as `2026-11-20 09:30 UTC`. */
function moment(iso: string): string {
  return forTerminal(`${iso.slice(0, 16).replace('T', ' ')} UTC`);
}
