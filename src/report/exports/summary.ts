import { plural } from '../../contract/plural.ts';
import { staleEntries } from '../../journal/baseline.ts';
import type { Cause } from '../../journal/cause.ts';
import { conclude } from '../../journal/conclusion.ts';
import type { Verdict } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { owedItems, unknownDebts } from '../../journal/results/owed-items.ts';
import { baseUrlsText } from '../base-urls.ts';
import { forChat } from '../escape.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { differenceText, settleCommandLine } from '../owed.ts';
import { scopeText } from '../scope.ts';
import { breaches } from '../terminal/breach.ts';
import { duration } from '../terminal/layout.ts';
import { amounts } from '../terminal/terminal.ts';

/** Maximum number of lines of the text. A chat folds or cuts a longer message. */
const MAX_LINES = 20;
/** Maximum number of characters of a line. */
const MAX_LINE = 280;
const MAX_NAMES = 3;

/**
 * Writes the report for a message in a chat: the verdict, one line for each likely cause, and the calls and balances that are
 * still open. It has at most 20 lines. It contains no text of the operator, and cannot mention anybody or contain a link from
 * outside.
 */
export async function* summaryReport(fold: Fold, _open: OpenJournal, options: Options): AsyncGenerator<string> {
  const last = lastLines(fold, options);
  const first = firstLines(fold);
  const failures = failureLines(fold);
  const room = MAX_LINES - first.length - last.length;
  const shown = failures.length <= room ? failures : failures.slice(0, room - 1);
  const left = failures.length - shown.length;
  const more = left === 0 ? [] : [`and ${left} more, which the other reports show`];
  for (const line of [...first, ...shown, ...more, ...last]) yield `${cut(forChat(line))}\n`;
}

type Options = Pick<ReportOptions, 'journal' | 'endedAtOnce'>;

function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}

function firstLines(fold: Fold): readonly string[] {
  const { run } = fold;
  const facts = [`contract ${run.contract}`, scopeText(fold), amounts(fold)];
  return [conclude(fold).firstLine, `${baseUrlsText(run)}: ${facts.join(', ')}`];
}

/** Returns one line for each likely cause, each scenario with a missed expectation, and each outdated entry of the baseline. */
function failureLines(fold: Fold): readonly string[] {
  const missed = breaches(fold).find(({ id }) => id === 'expectation')?.shown ?? [];
  return [
    ...fold.causes.map((cause, at) => `${at + 1}. ${causeText(cause)}`),
    ...missed.map(({ scenario }) => `- an expectation of ${scenario} is not met`),
    ...staleEntries(fold.baseline).map(
      ({ known, state }) =>
        `- the entry of ${known.rule} at line ${known.line} of the baseline ${state === 'fixed' ? 'no longer fails' : 'has expired'}`,
    ),
  ];
}

function causeText({ result, explains, mainFinding, scenarios }: Cause): string {
  const { rule } = result;
  const money = rule.money ? ', money at stake' : '';
  const others = explains.length === 0 ? '' : ` Explains ${plural(explains.length, 'other rule')}.`;
  const seen = mainFinding?.scenario ?? scenarios[0];
  const place = seen === undefined ? '' : ` Seen in ${seen}.`;
  return `${rule.id} (${rule.level}${money}): ${rule.means ?? `${rule.sentence}.`}${place}${others}`;
}

function lastLines(fold: Fold, { journal, endedAtOnce }: Options): readonly string[] {
  const slow = fold.latency.filter(({ isOverBudget }) => isOverBudget);
  const balances = fold.owedBalances.length;
  const calls = owedItems(fold).length;
  const owed = [
    ...(calls > 0 ? [plural(calls, 'call')] : []),
    ...(balances > 0 ? [`${plural(balances, 'balance')} (${shownBalances(fold)})`] : []),
    ...(unknownDebts(fold) === null ? [] : ['more that is not known, because the run ended too early']),
  ];
  const settle = journal === null ? '' : `: ${settleCommandLine(journal)}`;
  return [
    ...rulesLine(fold, 'could not be decided', ['inconclusive']),
    ...rulesLine(fold, 'warned', ['warn']),
    ...rulesLine(fold, 'not tested', ['skip', 'untested']),
    ...(slow.length > 0
      ? [`Slower than the budget: ${slow.map(({ call, p95Ms }) => `${call} (p95 ${duration(p95Ms)})`).join(', ')}`]
      : []),
    ...(owed.length > 0 ? [`Owed: ${owed.join(' and ')}${settle}`] : []),
    `Exit status ${endedAtOnce ?? conclude(fold).exitCode}${journal === null ? '' : `, journal ${journal}`}`,
  ];
}

/** Names the first balances that are owed, with their sums. */
function shownBalances(fold: Fold): string {
  const { owedBalances, run } = fold;
  const shown = owedBalances.slice(0, MAX_NAMES).map((balance) => {
    const session = run.settings.sessions.find(({ sessionID }) => sessionID === balance.sessionID);
    return `${session?.player ?? balance.sessionID} ${differenceText(balance, fold) ?? 'by an unknown sum'}`;
  });
  return `${shown.join(', ')}${owedBalances.length > MAX_NAMES ? ', …' : ''}`;
}

function rulesLine(fold: Fold, what: string, verdicts: readonly Verdict[]): readonly string[] {
  const ids = fold.rules
    .filter(({ verdict, isKnown }) => verdicts.includes(verdict) && !isKnown)
    .map(({ rule }) => rule.id);
  if (ids.length === 0) return [];
  const more = ids.length > MAX_NAMES ? ', …' : '';
  return [`${plural(ids.length, 'rule')} ${what}: ${ids.slice(0, MAX_NAMES).join(', ')}${more}`];
}
