import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { LoadResult } from '../journal/load/result.ts';
import type { Outcome, Wrong } from './outcome.ts';
import type { Trial } from './trials.ts';

/** One breach that a load test has found. */
interface Breach {
  readonly rule: RuleId;
  readonly isWarning: boolean;
  /** The transaction and what happened to it; null if the report names no transaction. */
  readonly named: string | null;
  readonly what: string;
}

/**
 * Compares the result of a load test with the expectations of the trial.
 *
 * - A defect is found if one of its rules was reported together with a transaction.
 * - Further rules may be reported for a defect, because under load a wrong balance can have several causes.
 * - For a correct operator, no rule may be reported.
 *
 * @param faults errors that the operator itself threw
 */
export function outcomeOfLoad(
  trial: Trial,
  result: LoadResult,
  faults: readonly string[],
  durationMs: number,
): Outcome {
  const breaches = breachesIn(result);
  const rulesOf = (isWarning: boolean): readonly RuleId[] => [
    ...new Set(breaches.filter((one) => one.isWarning === isWarning).map(({ rule }) => rule)),
  ];
  const expected = trial.breaks.flat();
  const found = breaches.find(({ rule, named }) => named !== null && expected.includes(rule));
  const { exitCode, reasons } = result;
  const mayEnd = trial.mustFail ? [1] : [0, ...(trial.mayBeUndecided ? [3] : [])];
  const wrongs: Wrong[] = [
    ...(expected.length > 0 && !found
      ? [{ kind: 'missed', rule: expected[0] ?? null, details: breaches.map(({ what }) => what) } as const]
      : []),
    ...(trial.mustFail ? [] : unrelated(trial, breaches)),
    ...(mayEnd.includes(exitCode)
      ? []
      : [
          { kind: 'status', rule: null, details: [`the load test ended with status ${exitCode}`, ...reasons] } as const,
        ]),
    ...[...new Set(faults)].map((fault): Wrong => ({ kind: 'fault', rule: null, details: [fault] })),
  ];
  const failed = rulesOf(false);
  return {
    name: trial.name,
    kind: trial.kind,
    expected: expected.filter((rule) => failed.includes(rule)),
    failed,
    warned: rulesOf(true).filter((rule) => !failed.includes(rule)),
    undecided: [],
    wrongs,
    alarmed: [],
    named: found?.named ?? null,
    exitCode,
    durationMs,
  };
}

function unrelated({ mayBreak }: Trial, breaches: readonly Breach[]): readonly Wrong[] {
  const wrong = breaches.filter(({ rule, isWarning }) => !isWarning || !mayBreak.includes(rule));
  return [...Map.groupBy(wrong, ({ rule }) => rule)].map(([rule, all]) => ({
    kind: 'unrelated',
    rule,
    details: all.map(({ what }) => what),
  }));
}

function breachesIn({ money, findings }: LoadResult): readonly Breach[] {
  const balances = money.problems.map(({ rule, player, expected, shown, transactions }): Breach => {
    const [first] = transactions;
    const named = first ? `${first.call} ${first.txID} of ${first.amount} ${first.what}` : null;
    const what = `the balance of ${player} is ${shown}, expected ${expected}${named === null ? '' : `: ${named}`}`;
    return { rule: ruleById(rule as RuleId).id, isWarning: false, named, what };
  });
  const replies = findings
    .filter(({ verdict }) => verdict !== 'note')
    .map(({ rule, verdict, call, txID, expected, actual }): Breach => {
      const named = txID === null ? null : `${call} ${txID}: ${actual}`;
      return {
        rule: ruleById(rule as RuleId).id,
        isWarning: verdict === 'warn',
        named,
        what: `${named ?? `${call}: ${actual}`}, expected: ${expected}`,
      };
    });
  return [...balances, ...replies];
}
