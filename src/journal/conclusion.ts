import { CORE_RULES } from '../contract/catalogue.ts';
import { plural } from '../contract/plural.ts';
import { contractVersion, isThere } from '../contract/versions.ts';
import { isKnownBreach, type KnownGroup, staleEntries } from './baseline.ts';
import { STOP_STATUSES, type StopSignal } from './event.ts';
import type { Fold } from './fold.ts';
import { type BudgetResult, budgetResults, exceededBudgets, MIN_BUDGET_REPLIES } from './latency.ts';
import { sumText } from './money-sums.ts';
import { movedAloneReason } from './moved-alone.ts';
import { pauseText } from './network/pause-between-bets.ts';
import { rateLimitText } from './network/rate-limit.ts';
import { unknownPathReason } from './network/unknown-path.ts';
import { unknownSessionReason } from './network/unknown-session.ts';
import { type RequiredOutcome, unmetRequirements } from './required.ts';
import { isExcused, isHidden, isLeftByChance, isListedUndecided, isUndecided } from './results/excused.ts';
import { owedSentence } from './results/owed-sentence.ts';
import { countRules } from './results/rule-counts.ts';
import { exceededUndecided, exceededUndecidedShare } from './results/undecided-sums.ts';
import { unprovenSentence } from './results/unproven.ts';
import type { RuleResult } from './rule-result.ts';
import { percentText, shareDecimal } from './share.ts';

/** The verdict of the whole run. */
export interface Conclusion {
  readonly verdict: 'conforming' | 'nonconforming' | 'undecided';
  /**
   * The exit status: 0 conforming, 1 not conforming, 3 undecided, 70 a bug of croupier, or the status of the signal that
   * interrupted the run.
   */
  readonly exitCode: 0 | 1 | 3 | 70 | (typeof STOP_STATUSES)[StopSignal];
  /** The first line of every report. It contains names from other systems, which must be escaped before they are shown. */
  readonly firstLine: string;
}

/**
 * Decides the verdict, the exit status and the first line of a run. No other code decides these three things. Status 2 (usage and
 * configuration errors) is not possible here: such an error ends croupier before the run starts.
 */
export function conclude(fold: Fold): Conclusion {
  const conclusion = concluded(fold);
  const { refused, replies } = fold.rateLimit;
  const limit = rateLimitText(fold.rateLimit);
  // If the run is decided, a few calls that the rate limit refused do not change the result. So the first line of the report does
  // not mention them.
  const isNamed = conclusion.verdict === 'undecided' || refused >= replies * MIN_SHARE_OF_REFUSALS;
  // A bet that came too early was declined. So a pause between bets matters only if something was not tested.
  const pause = conclusion.exitCode === 3 && fold.pauseBetweenBets ? pauseText(fold.pauseBetweenBets) : null;
  const hints = [isNamed ? limit : null, pause].filter((hint) => hint !== null);
  return { ...conclusion, firstLine: [conclusion.firstLine, ...hints.map((hint) => `${hint}.`)].join(' ') };
}

/**
 * The rate limit refused some calls. If at least this share of the calls was refused, the first line mentions this even if the run
 * is decided.
 */
const MIN_SHARE_OF_REFUSALS = 0.01;

/** The sentence for a report that croupier wrote before it had sent what an interrupted run owed. */
const STOPPING =
  'When this report was written, croupier had not yet completed the open rounds and restored the balances';

function concluded(fold: Fold): Conclusion {
  const failed = fold.rules.filter((result) => result.verdict === 'fail' && !result.isKnown);
  const missed = fold.expectations.filter(
    (finding) => finding.verdict === 'fail' && !isKnownBreach(fold.baseline, finding),
  );
  const broken = failed.length > 0 || missed.length > 0;
  const doubt = whyUndecided(fold);
  const how = fold.ended?.how ?? null;
  const name = fold.run.client.extCID;

  if (how === 'bug') {
    return {
      verdict: 'undecided',
      exitCode: 70,
      firstLine: `UNDECIDED: croupier itself failed while it tested ${name}.`,
    };
  }
  const breach = broken ? breachSentence(fold, failed, missed.length) : '';
  const stale = staleEntries(fold.baseline);
  const slow = exceededBudgets(fold);
  // Nobody reads the middle of the report of a conforming or interrupted run. So the first line says that the players may lack money.
  const owed = owedSentence(fold);
  const debt = owed === null ? '' : ` ${owed}.`;
  if (how === 'interrupted' || fold.stopping !== undefined) {
    const exitCode = STOP_STATUSES[fold.stopping ?? fold.ended?.signal ?? 'SIGINT'];
    const rest = `${fold.stopping === undefined ? '' : ` ${STOPPING}.`}${debt}`;
    return broken
      ? {
          verdict: 'nonconforming',
          exitCode,
          firstLine: `NOT CONFORMING: ${breach}, and the run was interrupted.${rest}`,
        }
      : { verdict: 'undecided', exitCode, firstLine: `UNDECIDED: the run against ${name} was interrupted.${rest}` };
  }
  if (broken) {
    const silence = silenceClause(fold);
    const cut = how === null ? ', and the run was cut off' : silence === null ? '' : `, and it ${silence}`;
    const list = stale.length === 0 ? '' : `. ${staleSentence(fold, stale)}`;
    const late = slow.length === 0 ? '' : `. It is also ${budgetClause(slow)}`;
    const rest = how === null ? debt : '';
    return {
      verdict: 'nonconforming',
      exitCode: 1,
      firstLine: `NOT CONFORMING: ${breach}${cut}${list}${late}.${rest}`,
    };
  }
  if (stale.length > 0) {
    const firstLine = `NOT CONFORMING TO THE BASELINE: ${staleSentence(fold, stale)}.`;
    return { verdict: 'nonconforming', exitCode: 1, firstLine };
  }
  if (slow.length > 0) {
    const firstLine = `NOT CONFORMING TO THE BUDGET: ${name} is ${budgetClause(slow)}.`;
    return { verdict: 'nonconforming', exitCode: 1, firstLine };
  }
  if (doubt !== null) {
    const rest = `${listedSentence(fold)}${how === null ? debt : ''}`;
    return { verdict: 'undecided', exitCode: 3, firstLine: `UNDECIDED: ${doubt}.${rest}` };
  }
  const untested = untestedMoney(fold);
  const gap = untested.length === 0 ? '' : ` ${untestedMoneySentence(untested)}.`;
  const verdict = owed === null ? 'CONFORMING' : 'CONFORMING, BUT MONEY IS OWED';
  return { verdict: 'conforming', exitCode: 0, firstLine: `${verdict}: ${conformingSentence(fold)}.${gap}${debt}` };
}

/**
 * Returns the MUST rules about money whose scenarios were all left out. They were left out because something is missing in the
 * configuration, such as the currency of a session. The operator may break each of these rules, so the first line of the report
 * names them.
 */
function untestedMoney({ run, rules, scenarios }: Fold): readonly RuleResult[] {
  const version = contractVersion(run.contract);
  return rules.filter(({ rule, verdict }) => {
    if (verdict !== 'skip' || rule.level !== 'MUST' || !rule.money) return false;
    // Only one rule about signatures can lack a setting: a second client, which most operators do not have.
    if (rule.group === 'signature') return false;
    if (version !== undefined && !isThere(rule.since, version)) return false;
    const tests = scenarios.filter(({ planned }) => planned.rules.includes(rule.id));
    // A scenario that was started has a session, so it was not skipped for lack of a setting.
    return tests.length > 0 && tests.every(({ sessions }) => Object.keys(sessions).length === 0);
  });
}

function untestedMoneySentence(untested: readonly RuleResult[]): string {
  const rules =
    untested.length === 1 ? '1 MUST rule about money was' : `${untested.length} MUST rules about money were`;
  return `${rules} not tested: ${namesOf(untested)}`;
}

/**
 * Names the first undecided rule whose checks show balances that are wrong by more than the known failures explain. Null if there is
 * none.
 */
function grownSentence(open: readonly RuleResult[], fold: Fold): string | null {
  for (const result of open) {
    const exceeded = exceededUndecided(result, fold);
    const exceededShare = exceeded ? undefined : exceededUndecidedShare(result, fold);
    const file = fold.run.baseline?.file ?? 'the baseline';
    const start = `the known failures of ${fold.run.client.extCID} do not explain why ${result.rule.id} could not be decided: a balance is wrong by`;
    if (exceededShare) {
      const [share, limit] = [exceededShare.share, exceededShare.limit].map((one) => percentText(shareDecimal(one)));
      return `${start} ${share} of the amounts of the calls, but the known failures in ${file} explain ${limit}. ${UPDATE_ADVICE}`;
    }
    if (!exceeded) continue;
    const { sums, limits, currency, isListed } = exceeded;
    const limit = sumText(limits, currency);
    const allowed = isListed
      ? `the entry with \`undecided\` in ${file} allows only ${limit}`
      : `the known failures in ${file} explain at most ${limit}`;
    return `${start} ${sumText(sums, currency)}, but ${allowed}. ${UPDATE_ADVICE}`;
  }
  return null;
}

/** Chance decides which player plays a scenario, so an unchanged wallet may also make a balance wrong by more than before. */
const UPDATE_ADVICE =
  'Find out whether the wallet has a new failure. If it has none, update the baseline (docs/baseline.md#update-a-baseline)';

/** True for a rule that this run decided. */
function isJudged(result: RuleResult): boolean {
  return result.verdict === 'pass' || result.verdict === 'warn' || result.verdict === 'fail';
}

/**
 * True if the run decided at least one rule that an operator can break. An operator is not called conforming because of NOTE rules
 * alone.
 */
function isAnythingJudged({ rules }: Fold): boolean {
  return rules.some((result) => result.rule.level !== 'NOTE' && isJudged(result));
}

/** Returns a clause with the reason why all scenarios were skipped. Empty if there is no single reason. */
function skipClause({ scenarios }: Fold): string {
  const reasons = new Set(scenarios.map(({ verdict, reason }) => (verdict === 'skip' ? reason : null)));
  const [reason] = reasons;
  if (reasons.size !== 1 || reason == null) return '';
  return scenarios.length === 1 ? `: ${reason}` : `, because ${scenarios.length} scenarios were skipped: ${reason}`;
}

function whyUndecided(fold: Fold): string | null {
  const name = fold.run.client.extCID;
  if (fold.ended === null) return `the run against ${name} was cut off`;
  if (fold.ended.how === 'unreachable')
    return `${name} ${silenceClause(fold) ?? `could not be reached at ${fold.run.client.integratorBaseUrl}`}`;
  if (fold.ended.how === 'in-use') return `nothing was tested for ${name}, because ${fold.ended.detail}`;
  if (fold.ended.how === 'time') {
    const played = fold.scenarios.filter(({ state }) => state === 'ended').length;
    return `the time of the run against ${name} was over (--time) after ${played} of ${plural(fold.scenarios.length, 'scenario')}`;
  }
  if (fold.unknownPath !== null)
    return `nothing was tested for ${name}, because ${unknownPathReason(fold.unknownPath)}`;
  if (fold.unknownSessions?.knowsOthers === false)
    return `nothing was tested for ${name}, because ${unknownSessionReason(fold.unknownSessions)}. Compare the sessionID with the operator's, or open the session again there`;
  const moved = movedAloneSentence(fold);
  if (moved !== null) return fold.run.settings.noLock ? `${moved}. The run had no locks (--no-lock)` : moved;
  const unmeasured = budgetResults(fold).filter(({ fails, state }) => fails && state === 'unmeasured');
  if (isWholeSuite(fold) && unmeasured.length > 0) return unmeasuredSentence(name, unmeasured);
  const unmet = unmetRequirements(fold);
  if (unmet.length > 0) return `${unmetSentence(fold, unmet)}${unmetAdvice(unmet, fold)}`;
  const openRules = fold.rules.filter((result) => isOpen(result, fold));
  const open = openRules.length;
  const declined = fold.rules.filter(isDeclinedMust);
  if (!isAnythingJudged(fold)) return `no rule was judged for ${name}${skipClause(fold)}`;
  const grown = grownSentence(openRules, fold);
  if (grown !== null) return grown;
  const unproven = unprovenSentence(openRules);
  if (unproven !== null) return unproven;
  if (declined.length > open) return declinedSentence(name, declined);
  if (open > 0) return openSentence(name, openRules);
  if (declined.length > 0) return declinedSentence(name, declined);
  const untested = untestedCoreRules(fold);
  if (untested.length > 0) return coreSentence(name, untested);
  const hidden = hiddenRules(fold);
  if (hidden.length > 0) return hiddenSentence(fold, hidden);
  if (fold.expectations.some((finding) => finding.verdict === 'inconclusive')) {
    return `an expectation of a scenario was tested against ${name} and could not be decided`;
  }
  // A run may stop early because of failures. If another cause later explains all these failures, the run has no failure any more,
  // but it is still incomplete.
  if (fold.ended.how === 'bail') return `the run against ${name} stopped before all scenarios were played`;
  return null;
}

/** Says how many MUST rules the run could not decide, and names the first of them. */
function openSentence(name: string, open: readonly RuleResult[]): string {
  const rules = open.length === 1 ? '1 MUST rule was' : `${open.length} MUST rules were`;
  return `${rules} tested against ${name} and could not be decided: ${namesOf(open)}`;
}

/**
 * Names the rules that the run could not decide although the baseline lists them. Their entries allow only that these rules fail. Empty
 * if there is none.
 */
function listedSentence(fold: Fold): string {
  const untested = untestedCoreRules(fold);
  const listed = fold.rules.filter(
    (result) =>
      isListedUndecided(result.rule.id, fold.baseline) &&
      (isOpen(result, fold) || isDeclinedMust(result) || untested.includes(result)),
  );
  if (listed.length === 0) return '';
  const [fail, stay] = listed.length === 1 ? ['fails', 'it stays'] : ['fail', 'they stay'];
  return ` ${fold.run.baseline?.file ?? 'The baseline'} allows that ${namesOf(listed)} ${fail}, but not that ${stay} undecided.`;
}

/** Names the first rules, and counts the others, as in `bet.debit, bet.zero, win.credit, win.zero and 3 more`. */
function namesOf(results: readonly RuleResult[]): string {
  const ids = results.slice(0, MAX_NAMES).map(({ rule }) => rule.id);
  return `${ids.join(', ')}${results.length > ids.length ? ` and ${results.length - ids.length} more` : ''}`;
}

/**
 * True for an undecided MUST rule, with two exceptions: the baseline lists the rule as undecided, or the rule is undecided because
 * of a known failure.
 */
function isOpen(result: RuleResult, fold: Pick<Fold, 'rules' | 'baseline' | 'run'>): boolean {
  return result.rule.level === 'MUST' && result.verdict === 'inconclusive' && !isExcused(result, fold);
}

/** True for a MUST rule that no scenario could test, because the operator declined the calls for it. */
function isDeclinedMust({ rule, isDeclined }: RuleResult): boolean {
  return rule.level === 'MUST' && isDeclined;
}

/**
 * Returns the core rules that this run did not judge. A run of the whole suite or a quick run must judge them before it can be
 * conforming. Empty for a run of another part of the suite.
 */
function untestedCoreRules({ run, rules, scenarios, baseline }: Fold): readonly RuleResult[] {
  const version = contractVersion(run.contract);
  return rules.filter(
    (result) =>
      isWholeOrQuick({ run }) &&
      CORE_RULES.includes(result.rule.id) &&
      // In a suite that somebody has changed, the scenarios of a core rule may be missing. Then the run is undecided too.
      (run.suiteChanges !== undefined || scenarios.some(({ planned }) => planned.rules.includes(result.rule.id))) &&
      (version === undefined || isThere(result.rule.since, version)) &&
      !isJudged(result) &&
      !isExcused(result, { rules, baseline, run }),
  );
}

function coreSentence(name: string, untested: readonly RuleResult[]): string {
  const ids = untested.map(({ rule }) => rule.id).join(', ');
  const [first] = untested;
  const why = first?.reason == null ? '' : ` (${first.rule.id}: ${first.reason})`;
  const rules =
    untested.length === 1
      ? '1 rule that every operator must pass was'
      : `${untested.length} rules that every operator must pass were`;
  return `${rules} not tested against ${name}: ${ids}${why}`;
}

/**
 * Returns the rules that this run did not test because of known failures, and that the baseline does not list. A failure that occurs
 * only now and then prevents other checks in each run, so it is enough of a reason, except for a core rule. Empty for a run of a
 * part of the suite.
 */
function hiddenRules(fold: Fold): readonly RuleResult[] {
  if (!isWholeOrQuick(fold)) return [];
  return fold.rules.filter(
    (result) => isHidden(result, fold) && (CORE_RULES.includes(result.rule.id) || !isLeftByChance(result, fold)),
  );
}

/**
 * Names the rules that were not tested because of known failures, and says how to list them. Without this entry, a new bug in such a
 * rule would not be noticed.
 */
function hiddenSentence({ run }: Fold, hidden: readonly RuleResult[]): string {
  const were = hidden.length === 1 ? '1 MUST rule was' : `${hidden.length} MUST rules were`;
  const them = hidden.length === 1 ? 'it' : 'them';
  return `${were} not tested against ${run.client.extCID}, because known failures prevented every check: ${namesOf(hidden)}. Fix these failures, or list ${them} in ${run.baseline?.file ?? 'the baseline'} with \`undecided: true\``;
}

/** True for a run that tests every rule: a run of the whole suite, or a quick run. */
function isWholeOrQuick({ run }: Pick<Fold, 'run'>): boolean {
  return isWholeSuite({ run }) || run.quick !== undefined;
}

/** True for a run of the whole built-in suite, even if somebody has changed this suite. */
function isWholeSuite({ run }: Pick<Fold, 'run'>): boolean {
  return run.whole || (run.suiteChanges !== undefined && run.selection.length === 0);
}

/** Names the built-in suite, and the scenarios of the user that were added to it. */
export function wholeSuiteText({ run: { ownScenarios } }: Pick<Fold, 'run'>): string {
  return ownScenarios ? `the whole suite and ${plural(ownScenarios, 'own scenario')}` : 'the whole suite';
}

function budgetClause(slow: readonly BudgetResult[]): string {
  const calls = slow.map(
    ({ call, p95Ms, budgetMs }) =>
      `${call} (95 of 100 replies within ${milliseconds(p95Ms ?? 0)}, budget ${milliseconds(budgetMs)})`,
  );
  return `over the budget of ${calls.join(' and ')}`;
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function unmeasuredSentence(name: string, budgets: readonly BudgetResult[]): string {
  const calls = budgets.map(({ call, replies }) => `${call} (${plural(replies, 'reply', 'replies')})`);
  return `${name} gave too few replies to check the budget of ${calls.join(' and ')}: at least ${MIN_BUDGET_REPLIES} are needed`;
}

/**
 * Says how many rules were not tested. Names the declined call that left the most rules untested, and the number of these rules.
 */
function declinedSentence(name: string, declined: readonly RuleResult[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of declined) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  const rules = declined.length === 1 ? '1 MUST rule was' : `${declined.length} MUST rules were`;
  const times = most === undefined || declined.length === 1 ? '' : `${most[1]} of them: `;
  const said = most === undefined ? '' : ` (${times}${most[0]})`;
  return `${rules} not tested, because ${name} declined the calls${said}`;
}

/**
 * Says that a balance changed without a call of the run, and how many rules are undecided for this reason. Returns null if no balance
 * did.
 */
function movedAloneSentence({ movedAlone, rules, expectations }: Fold): string | null {
  if (movedAlone === null) return null;
  const reason = movedAloneReason(movedAlone);
  const open = rules.filter((result) => result.verdict === 'inconclusive' && result.reason?.startsWith(reason)).length;
  const unmet = expectations.filter(
    (finding) => finding.verdict === 'inconclusive' && finding.reason === reason,
  ).length;
  if (open + unmet === 0) return null;
  const what = [open > 0 && plural(open, 'rule'), unmet > 0 && plural(unmet, 'expectation')]
    .filter(Boolean)
    .join(' and ');
  return `${reason}. So ${what} could not be decided. Make sure that only this run uses the player, and run again`;
}

/**
 * Says when the operator stopped answering, and after which call. Returns null if the operator answered until the end, or if it
 * never answered.
 */
function silenceClause({ ended }: Fold): string | null {
  if (!ended?.lastReply) return null;
  const { exchange, call, scenario, afterMs } = ended.lastReply;
  const path = `${call === 'balance' ? 'GET' : 'POST'} /${call}`;
  const where = scenario === null ? '' : ` in ${scenario}`;
  return `stopped answering ${(afterMs / 1000).toFixed(1)} s after the start, after ${path}${where} (exchange ${exchange})`;
}

/** Maximum number of reasons in the first line, and maximum number of names for each reason. */
const MAX_REASONS = 2;
const MAX_NAMES = 4;

/**
 * Writes a clause such as `the selected rule refund.unknown was not tested against acme: REASON`. For several rules or scenarios,
 * names those with the most frequent reasons, and counts the others.
 */
function unmetSentence({ run }: Fold, unmet: readonly RequiredOutcome[]): string {
  const name = run.client.extCID;
  const isSelected = unmet.every(({ by }) => by === 'selection');
  const how = isSelected ? 'selected' : 'required';
  const [first] = unmet;
  if (first && unmet.length === 1) {
    const verb = first.verdict === 'inconclusive' ? 'could not be decided for' : 'was not tested against';
    return `the ${how} ${first.kind} ${first.id} ${verb} ${name}: ${first.reason}`;
  }
  const groups = [...Map.groupBy(unmet, ({ reason }) => reason).values()].toSorted((a, b) => b.length - a.length);
  const shown = groups.slice(0, MAX_REASONS).map((same) => {
    const ids = same.slice(0, MAX_NAMES).map(({ id }) => id);
    const more = same.length > ids.length ? ` and ${same.length - ids.length} more` : '';
    return `${ids.join(', ')}${more} (${same[0]?.reason})`;
  });
  const rest = groups.slice(MAX_REASONS).flat().length;
  const others = rest === 0 ? '' : `; ${rest} for other reasons`;
  const all = run.required?.filter(({ by }) => !isSelected || by === 'selection').length;
  return `${unmet.length} of ${all} ${how} ${kindOf(unmet)} were not decided for ${name}: ${shown.join('; ')}${others}`;
}

/**
 * Says what to do about required rules that were not tested. If known failures prevented the tests, the rules stay required, and the
 * baseline has to list them. The operator, or its configuration, may also give croupier no way to test a rule. For example, the operator
 * may decline all bets above a limit.
 */
function unmetAdvice(unmet: readonly RequiredOutcome[], fold: Fold): string {
  const hidden = fold.rules.filter(
    (result) => isHidden(result, fold) && unmet.some(({ kind, id }) => kind === 'rule' && id === result.rule.id),
  );
  if (hidden.length > 0)
    return `. Known failures prevented every check of ${namesOf(hidden)}: fix these failures, or list ${hidden.length === 1 ? 'the rule' : 'the rules'} in ${fold.run.baseline?.file ?? 'the baseline'} with \`undecided: true\``;
  return unmet.some(({ by, verdict }) => by === 'require' && verdict === 'skip')
    ? '. If a required rule cannot be tested here, remove it from the list (--require, CROUPIER_REQUIRE or croupier.yaml)'
    : '';
}

function kindOf(unmet: readonly RequiredOutcome[]): string {
  const kinds = new Set(unmet.map(({ kind }) => kind));
  return kinds.size > 1 ? 'rules and scenarios' : kinds.has('rule') ? 'rules' : 'scenarios';
}

/**
 * Writes a clause such as `2 known failures of acme no longer fail: remove their entries from baseline.yaml; 1 entry has expired`.
 */
function staleSentence({ run }: Fold, stale: readonly KnownGroup[]): string {
  const count = (wanted: KnownGroup['state']): number => stale.filter(({ state }) => state === wanted).length;
  const fixed = count('fixed');
  const expired = count('expired');
  const of = `of ${run.client.extCID}`;
  const over = expired === 1 ? 'has expired' : 'have expired';
  if (fixed === 0) {
    const list = run.baseline === undefined ? '' : ` (${run.baseline.file})`;
    return `${plural(expired, 'known failure')} ${of} ${over}${list}`;
  }
  const entries = fixed === 1 ? 'its entry' : 'their entries';
  const rest = expired === 0 ? '' : `; ${plural(expired, 'entry', 'entries')} ${over}`;
  return `${plural(fixed, 'known failure')} ${of} ${fixed === 1 ? 'no longer fails' : 'no longer fail'}: remove ${entries} from ${run.baseline?.file ?? 'the baseline'}${rest}`;
}

/** Returns the number of rules that are broken only in ways that the baseline allows. */
function knownFailureCount({ rules }: Fold): number {
  return rules.filter(({ isKnown }) => isKnown).length;
}

function breachSentence(fold: Fold, failed: readonly RuleResult[], missed: number): string {
  const money = failed.filter((result) => result.rule.money).length;
  const parts: string[] = [];
  if (failed.length > 0) {
    const known = knownFailureCount(fold);
    const beyond = known === 0 ? '' : `, not counting ${plural(known, 'known failure')}`;
    const worse = failed.filter(({ isWorse }) => isWorse).length;
    const grown = worse === 0 ? '' : `, ${worse} of them worse than the baseline allows`;
    const rules = `breaks ${failed.length} of ${plural(countRules(fold).judged, 'rule')} judged${beyond}${grown}`;
    parts.push(money === 0 ? rules : `${rules}, ${moneyPart(failed.length, money)}`);
  }
  if (missed > 0) parts.push(`does not meet ${plural(missed, 'expectation')} of the scenarios`);
  const warned = moneyWarnings(fold);
  const warnings = warned === 0 ? '' : `, with ${plural(warned, 'warning')} about money`;
  const { scenarios, expectations, run } = fold;
  // The line names flaky scenarios only if every failure is flaky. If at least one failure occurs every time, the line does not
  // name them.
  const always =
    failed.some(({ flaky }) => !flaky) || expectations.some(({ verdict, flaky }) => verdict === 'fail' && !flaky);
  const flaky = scenarios.filter((scenario) => scenario.flaky).length;
  const passed = always ? '' : `, but ${plural(flaky, 'scenario')} passed on retry (flaky)`;
  return `${run.client.extCID} ${parts.join(', and ')}${warnings}${passed}`;
}

function moneyPart(failed: number, money: number): string {
  if (failed === 1) return 'and it is about money';
  return money === failed ? 'all of them about money' : `${money} of them about money`;
}

function conformingSentence(fold: Fold): string {
  const { judged, byVerdict } = countRules(fold);
  const warned = byVerdict.warn;
  const { whole, quick } = fold.run;
  const part = quick ? 'the quick part of the suite' : 'the selected part of the suite';
  const inWhole = fold.run.ownScenarios ? `, in ${wholeSuiteText(fold)}` : '';
  const scope = whole ? inWhole : `, in ${isWholeSuite(fold) ? 'a suite that somebody has changed' : part}`;
  const known = knownFailureCount(fold);
  const open = fold.rules.filter(
    (result) =>
      result.rule.level === 'MUST' && isUndecided(result) && !isListedUndecided(result.rule.id, fold.baseline),
  ).length;
  // A new failure may hide behind a known one, so the first line says how many rules the run could not decide.
  const left = open === 0 ? '' : ` and ${plural(open, 'rule')} that ${known === 1 ? 'it' : 'they'} left undecided`;
  const beyond = known === 0 ? '' : `, not counting ${plural(known, 'known failure')}${left}`;
  const kept = `${fold.run.client.extCID} breaks none of ${plural(judged, 'rule')} judged${beyond}${scope}`;
  const flaky = fold.scenarios.filter((scenario) => scenario.flaky).length;
  const extras = [
    ...(warned === 0 ? [] : [warningsPart(warned, moneyWarnings(fold))]),
    ...(flaky === 0 ? [] : [`${plural(flaky, 'scenario')} that passed only on retry (flaky)`]),
  ];
  return extras.length === 0 ? kept : `${kept}, with ${extras.join(' and ')}`;
}

/** Returns the number of rules about money with a warning. */
function moneyWarnings({ rules }: Fold): number {
  return rules.filter(({ verdict, rule }) => verdict === 'warn' && rule.money).length;
}

function warningsPart(count: number, aboutMoney: number): string {
  if (aboutMoney === 0) return plural(count, 'warning');
  if (count === 1) return '1 warning, which is about money';
  return `${count} warnings, ${aboutMoney === count ? 'all of them' : `${aboutMoney} of them`} about money`;
}
