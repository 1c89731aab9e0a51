import { plural } from '../../contract/plural.ts';
import { checksText } from '../../journal/results/tried-checks.ts';
import { forTerminal } from '../escape.ts';
import { mark, tint, verdictNoun } from '../marks.ts';
import type { Paint } from '../paint.ts';
import { duration, hanging, wrap } from '../terminal/layout.ts';
import { type Comparison, isLessTested, newFailures } from './comparison.ts';
import type { RunSummary } from './run-summary.ts';

interface TextStyle {
  readonly paint: Paint;
  readonly width: number;
  readonly unicode: boolean;
}

type Change = Comparison['broken'][number];

/** Writes the changes between two runs as text for a person. */
export function comparisonText(before: RunSummary, now: RunSummary, change: Comparison, style: TextStyle): string {
  const { paint, width } = style;
  const { broken, worse, fixed, mayBeHidden, notTriedAgain, warned, cleared, added, gone, leftUndecided } = change;
  const { stillFailing, slower, differences } = change;
  const colour = newFailures(change).length > 0 || isLessTested(change) ? paint.red : paint.green;
  const lines = [
    paint.bold(colour(headline(change))),
    '',
    ...hanging('  before  ', forTerminal(`${before.startedAt}  ${before.firstLine}`), width),
    ...hanging('  now     ', forTerminal(`${now.startedAt}  ${now.firstLine}`), width),
    ...differences.map((text) => `  ${paint.yellow('!')} ${forTerminal(text)}`),
    ...section('Broken', broken, style),
    ...section('Worse: failed before, and now fails in a worse way', worse, style),
    ...section('Fixed', fixed, style),
    ...section('Not known whether fixed: a new failure may hide the failure', mayBeHidden, style),
    ...section('Not known whether fixed: not tried again with the player of the failure', notTriedAgain, style),
    ...section('Warning now, but not before', warned, style),
    ...section('No longer a warning', cleared, style),
    ...section('New: judged now, but not before', added, style),
    ...section('Gone: judged before, but not now', gone, style),
    ...lostLines(change, style),
    ...section('Left undecided by known failures: judged before, but not now', leftUndecided, style),
    ...section('Still failing', stillFailing, style),
  ];
  if (slower.length > 0) lines.push('', paint.bold('Slower'));
  for (const { call, beforeMs, nowMs } of slower) {
    const times = (nowMs / beforeMs).toFixed(1);
    lines.push(
      `  ${paint.yellow('!')} ${forTerminal(call)}: p95 ${duration(beforeMs)} before, ${duration(nowMs)} now (${times} times)`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const MAX_NAMES = 6;

/** Lists what the later run did not test. Whole rules are listed elsewhere. */
function lostLines(
  { goneEndpoints, goneScenarios, goneChecks, fewerSessions }: Comparison,
  { paint, width }: TextStyle,
): readonly string[] {
  const more = goneScenarios.length > MAX_NAMES ? ` and ${goneScenarios.length - MAX_NAMES} more` : '';
  const lines = [
    ...fewerSessions,
    ...(goneScenarios.length === 0
      ? []
      : [
          `${plural(goneScenarios.length, 'scenario')} not played now: ${goneScenarios.slice(0, MAX_NAMES).join(', ')}${more}`,
        ]),
    ...goneChecks
      .slice(0, MAX_NAMES)
      .map(({ player, checks }) => `no longer tried with ${player}: ${checksText(checks)}`),
    ...(goneChecks.length > MAX_NAMES
      ? [`some calls are no longer tried with ${plural(goneChecks.length - MAX_NAMES, 'more player')}`]
      : []),
    ...[...Map.groupBy(goneEndpoints, ({ id }) => id)].map(
      ([id, own]) => `${id} is no longer judged for ${own.map(({ endpoint }) => endpoint).join(', ')}`,
    ),
  ];
  if (lines.length === 0) return [];
  return [
    '',
    paint.bold('Less tested than before'),
    ...lines.flatMap((line) => hanging('  - ', forTerminal(line), width)),
  ];
}

function headline(change: Comparison): string {
  const { fixed, mayBeHidden, notTriedAgain, warned, cleared, added, gone, leftUndecided, slower, worse } = change;
  const grown = worse.filter(({ isKnown }) => !isKnown).length;
  const fresh = newFailures(change).length - grown;
  const parts = [
    fresh === 0 ? 'nothing broken' : `${plural(fresh, 'rule')} broken`,
    ...(grown > 0 ? [`${grown} worse`] : []),
    ...(fixed.length > 0 ? [`${fixed.length} fixed`] : []),
    ...(mayBeHidden.length > 0 ? [`${mayBeHidden.length} perhaps hidden`] : []),
    ...(notTriedAgain.length > 0 ? [`${notTriedAgain.length} not tried again`] : []),
    ...(warned.length > 0 ? [plural(warned.length, 'new warning')] : []),
    ...(cleared.length > 0 ? [`${plural(cleared.length, 'warning')} gone`] : []),
    ...(added.length > 0 ? [`${added.length} new`] : []),
    ...(gone.length > 0 ? [`${gone.length} gone`] : []),
    ...(leftUndecided.length > 0 ? [`${leftUndecided.length} left undecided`] : []),
    ...(gone.length === 0 && isLessTested(change) ? ['less tested'] : []),
    ...(slower.length > 0 ? [`${plural(slower.length, 'call')} slower`] : []),
  ].join(', ');
  return `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`;
}

function section(title: string, changes: readonly Change[], { paint, unicode, width }: TextStyle): readonly string[] {
  if (changes.length === 0) return [];
  const money = (one: Change): number => Number(one.money);
  return [
    '',
    paint.bold(title),
    ...changes
      .toSorted((a, b) => money(b) - money(a))
      .flatMap(({ id, level, money: isMoney, verdict, before, isKnown, reason, how, hiddenIn, player }) => {
        const sign = tint(verdict, paint)(mark(verdict, unicode));
        const was = verdict === before ? '' : `  ${verdictNoun(before, 1)} before`;
        return [
          `  ${sign} ${paint.bold(forTerminal(id))}  ${level}${isMoney ? ' $' : ''}${paint.dim(was)}${isKnown ? '  known' : ''}`,
          ...(how === undefined ? [] : wrap(`worse: ${forTerminal(how)}`, width - 6).map((line) => `      ${line}`)),
          ...(hiddenIn === undefined
            ? []
            : wrap(`passed this time, but a new failure in ${forTerminal(hiddenIn)} may hide it`, width - 6).map(
                (line) => `      ${line}`,
              )),
          ...(player === undefined
            ? []
            : wrap(
                `passed this time, but no scenario about this rule was played with ${forTerminal(player)}, whose calls failed before`,
                width - 6,
              ).map((line) => `      ${line}`)),
          ...(reason === null ? [] : wrap(forTerminal(reason), width - 6).map((line) => `      ${line}`)),
        ];
      }),
  ];
}
