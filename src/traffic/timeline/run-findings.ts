import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import type { Cause, Deviation } from '../books/deviation.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { Breach } from './breach.ts';
import type { Debt } from './debt.ts';
import type { RoundVerdict } from './round-verdict.ts';
import { isJudgedInRun } from './service-fault.ts';
import type { WalletVerdict } from './verdict.ts';

/**
 * Makes the verdict on a wallet agree with the findings of the runs whose journals contain its calls. A run knows more than the calls:
 * what each scenario tests, and what the operator may decline. So croupier blames the operator for nothing else than the run does:
 *
 * - If the run found a rule broken in the scenario of a debt, the debt names this rule.
 * - If the run found no rule broken there, it is not known whether the debt is one. If no money has to move, nothing is owed. Debts for
 *   calls that the run still has to send are kept.
 * - If the run only warns about the rules of all debts for wrong balances, and these errors cancel out, nothing is owed. The run shows
 *   the warnings.
 *
 * @param judged the breaches that the journals name
 * @param calls all calls of the logs
 */
export function agreeingWithRuns(
  verdict: WalletVerdict,
  judged: readonly Breach[],
  calls: readonly LoggedCall[],
): WalletVerdict {
  if (!verdict.calls.some(isJudgedInRun)) return verdict;
  const found = findingsOf(judged, calls);
  const kept: Debt[] = [];
  const doubtful: Debt[] = [];
  for (const debt of verdict.debts) {
    const agreed = agreeing(debt, found);
    if (agreed) kept.push(agreed);
    else if (debt.owedBy !== 'nobody') doubtful.push(debt);
  }
  const settled = withoutCancelled(kept, found, judged);
  const possibleDebts = verdict.possibleDebts.flatMap((debt) => agreeing(debt, found) ?? []);
  const agreed = (round: RoundVerdict): RoundVerdict => ({
    ...round,
    debts: round.debts.flatMap((debt) => agreeing(debt, found) ?? []),
  });
  if (doubtful.length === 0) return { ...verdict, debts: settled, possibleDebts, rounds: verdict.rounds.map(agreed) };
  return {
    ...verdict,
    debts: [],
    rounds: verdict.rounds.map((round) => (round.debts.length === 0 ? round : unknownRound(round))),
    possibleDebts: [...possibleDebts, ...settled],
    should: null,
    difference: null,
    unknowns: [...verdict.unknowns, doubtClause(doubtful)],
  };
}

function unknownRound(round: RoundVerdict): RoundVerdict {
  return { ...round, state: 'unknown', debts: [], should: null, booked: null, difference: null };
}

/** The rules that runs found broken, by scenario. The key `undefined` has the rules of all scenarios. */
type Findings = ReadonlyMap<string | undefined, ReadonlySet<RuleId>>;

function findingsOf(judged: readonly Breach[], calls: readonly LoggedCall[]): Findings {
  const found = new Map<string | undefined, Set<RuleId>>([[undefined, new Set()]]);
  const byNumber = new Map(calls.map((call) => [call.number, call]));
  for (const { call, rule } of judged) {
    for (const scenario of [undefined, byNumber.get(call)?.seen.exchange.scenario]) {
      const rules = found.get(scenario);
      if (rules) rules.add(rule);
      else found.set(scenario, new Set([rule]));
    }
  }
  return found;
}

/** The calls that a debt is about: its own, those of the errors that explain it, and the call whose balance is wrong. */
function involvedIn({ transaction, deviation }: Debt): readonly LoggedCall[] {
  const causes = deviation === null ? [] : [deviation.causes, ...deviation.otherCauses].flat();
  const attempts = [...(transaction?.attempts ?? []), ...causes.flatMap((cause) => cause.transaction.attempts)];
  return deviation ? [...attempts, deviation.call] : attempts;
}

/** Returns the rules that the runs found broken in the scenarios of the debt. */
function rulesOf(debt: Debt, found: Findings): ReadonlySet<RuleId> {
  return new Set(involvedIn(debt).flatMap(({ seen }) => [...(found.get(seen.exchange.scenario) ?? [])]));
}

/** Returns the debt with the rules that the runs found. Returns null if the runs found no rule that the debt can come from. */
function agreeing(debt: Debt, found: Findings): Debt | null {
  const { deviation, toAct, owedBy } = debt;
  if (!involvedIn(debt).every(isJudgedInRun)) return debt;
  const rules = rulesOf(debt, found);
  if (deviation !== null) return rules.size === 0 ? null : { ...debt, ...named(deviation, rules) };
  const isAccused = toAct === 'operator' && owedBy !== 'unknown';
  return isAccused && rules.size === 0 ? null : debt;
}

/**
 * Keeps the explanations that name only rules that the runs found. If there is none, `runRules` names the rules of the runs instead.
 */
function named(deviation: Deviation, rules: ReadonlySet<RuleId>): Pick<Debt, 'deviation' | 'runRules'> {
  const isFound = (causes: readonly Cause[]): boolean => causes.every(({ rule }) => rule === null || rules.has(rule));
  const [causes, ...otherCauses] = [deviation.causes, ...deviation.otherCauses].filter(isFound);
  return causes ? { deviation: { ...deviation, causes, otherCauses } } : { deviation, runRules: [...rules] };
}

/** Leaves out the debts for wrong balances if they cancel out, and if the runs only warn about their rules. */
function withoutCancelled(debts: readonly Debt[], found: Findings, judged: readonly Breach[]): readonly Debt[] {
  const failed = new Set(judged.flatMap(({ rule, verdict }) => (verdict === 'fail' ? [rule] : [])));
  const [wrong, others] = [debts.filter(({ deviation }) => deviation), debts.filter(({ deviation }) => !deviation)];
  const isOnlyWarned = wrong.every(
    (debt) => involvedIn(debt).every(isJudgedInRun) && [...rulesOf(debt, found)].every((rule) => !failed.has(rule)),
  );
  return isOnlyWarned && sumOwed(wrong).isZero() ? others : debts;
}

function sumOwed(debts: readonly Debt[]): Money {
  return debts.reduce(
    (total, { amount, owedBy }) => total.plus(owedBy === 'player' ? amount.negated() : amount),
    Money.zero,
  );
}

function doubtClause(debts: readonly Debt[]): string {
  const [first] = debts;
  const sum = sumOwed(debts);
  const number = first?.deviation?.call.number ?? first?.transaction?.attempts[0]?.number ?? 0;
  return `the calls show ${plural(debts.length, 'possible debt')} (${sum.absolute().format(2)} in all, the first at call ${number}), but croupier judged these calls in a run, and its findings do not explain this`;
}
