import { isKnownBreach, type KnownResult, staleEntries } from './baseline.ts';
import type { Fold } from './fold.ts';
import type { RuleResult } from './rule-result.ts';

/** What a run says about the operator as a whole. */
export interface Conclusion {
  readonly verdict: 'conforming' | 'nonconforming' | 'undecided';
  /** 0 conforming; 1 not conforming; 3 undecided; 70 a bug of croupier; 130 and 143 interrupted. */
  readonly exitCode: 0 | 1 | 3 | 70 | 130 | 143;
  /** The first line of every report. Names from outside in it are not yet escaped. */
  readonly firstLine: string;
}

/**
 * The one place that turns what was found into a verdict, an exit status and the sentence that says so. Status 2, for
 * usage and configuration errors, never comes from a run: nothing was sent then.
 */
export function conclude(fold: Fold): Conclusion {
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
      firstLine: `UNDECIDED: croupier itself failed while it judged ${name}.`,
    };
  }
  const breach = broken ? sentenceOfBreach(fold, failed, missed.length) : '';
  const stale = staleEntries(fold.baseline);
  if (how === 'interrupted') {
    const exitCode = fold.ended?.signal === 'SIGTERM' ? 143 : 130;
    return broken
      ? { verdict: 'nonconforming', exitCode, firstLine: `NOT CONFORMING: ${breach}, and the run was interrupted.` }
      : { verdict: 'undecided', exitCode, firstLine: `UNDECIDED: the run against ${name} was interrupted.` };
  }
  if (broken) {
    const cut = how === null ? ', and the run was cut off' : '';
    const list = stale.length === 0 ? '' : `. ${staleSentence(fold, stale)}`;
    return { verdict: 'nonconforming', exitCode: 1, firstLine: `NOT CONFORMING: ${breach}${cut}${list}.` };
  }
  if (stale.length > 0) {
    const firstLine = `NOT CONFORMING TO THE BASELINE: ${staleSentence(fold, stale)}.`;
    return { verdict: 'nonconforming', exitCode: 1, firstLine };
  }
  if (doubt !== null) return { verdict: 'undecided', exitCode: 3, firstLine: `UNDECIDED: ${doubt}.` };
  return { verdict: 'conforming', exitCode: 0, firstLine: `CONFORMING: ${sentenceOfPraise(fold)}.` };
}

/** True for a rule that was decided by this run, one way or the other. */
function isJudged(result: RuleResult): boolean {
  return result.verdict === 'pass' || result.verdict === 'warn' || result.verdict === 'fail';
}

function judgedRules(fold: Fold): number {
  return fold.rules.filter((result) => result.rule.level !== 'NOTE' && isJudged(result)).length;
}

function whyUndecided(fold: Fold): string | null {
  const name = fold.run.client.extCID;
  if (fold.ended === null) return `the run against ${name} was cut off`;
  if (fold.ended.how === 'unreachable') return `${name} could not be reached`;
  const open = fold.rules.filter((result) => isOpen(result, fold.baseline)).length;
  if (judgedRules(fold) === 0) return `nothing about ${name} was judged`;
  if (open > 0) {
    return open === 1
      ? `one rule that ${name} must keep was tried and could not be decided`
      : `${open} rules that ${name} must keep were tried and could not be decided`;
  }
  if (fold.expectations.some((finding) => finding.verdict === 'inconclusive')) {
    return `what a scenario expects of ${name} could not be decided`;
  }
  // Stopping early is for failures. When these turned out to have another cause, much is simply not known.
  if (fold.ended.how === 'bail') return `the run against ${name} stopped before everything was played`;
  return null;
}

/** A MUST that was left open. One that may fail may be open too, and so may what a known failure keeps from being decided. */
function isOpen({ rule, verdict, because }: RuleResult, baseline: Fold['baseline']): boolean {
  if (rule.level !== 'MUST' || verdict !== 'inconclusive') return false;
  return !baseline.some(
    ({ known, state }) =>
      (state === 'failing' && known.rule === because) || (state === 'undecided' && known.rule === rule.id),
  );
}

/** `2 known failures of acme are mended and must leave the list, 1 has expired (baseline.yaml)`. */
function staleSentence({ run }: Fold, stale: readonly KnownResult[]): string {
  const count = (wanted: KnownResult['state']): number => stale.filter(({ state }) => state === wanted).length;
  const mended = count('mended');
  const expired = count('expired');
  const of = `of ${run.client.extCID}`;
  const list = run.baseline === undefined ? '' : ` (${run.baseline.file})`;
  const left = mended === 1 ? 'is mended and must leave the list' : 'are mended and must leave the list';
  const over = expired === 1 ? 'has expired' : 'have expired';
  if (mended === 0) return `${plural(expired, 'known failure')} ${of} ${over}${list}`;
  const rest = expired === 0 ? '' : `, ${expired} ${over}`;
  return `${plural(mended, 'known failure')} ${of} ${left}${rest}${list}`;
}

/** How many rules fail as the baseline says. */
function knownFailing({ rules }: Fold): number {
  return rules.filter(({ isKnown }) => isKnown).length;
}

function sentenceOfBreach(fold: Fold, failed: readonly RuleResult[], missed: number): string {
  const money = failed.filter((result) => result.rule.money).length;
  const parts: string[] = [];
  if (failed.length > 0) {
    const known = knownFailing(fold);
    const beyond = known === 0 ? '' : ` beyond ${plural(known, 'known failure')}`;
    const rules = `breaks ${failed.length} of ${plural(judgedRules(fold), 'rule')} judged${beyond}`;
    parts.push(money === 0 ? rules : `${rules}, ${moneyPart(failed.length, money)}`);
  }
  if (missed > 0) parts.push(`misses ${plural(missed, 'expectation')} of its scenarios`);
  const { scenarios, expectations, run } = fold;
  // What shows only now and then is said to, for who looks into it would else not see it.
  const always =
    failed.some(({ flaky }) => !flaky) || expectations.some(({ verdict, flaky }) => verdict === 'fail' && !flaky);
  const flaky = scenarios.filter((scenario) => scenario.flaky).length;
  const passed = always ? '' : `, though ${plural(flaky, 'scenario')} passed when played again (flaky)`;
  return `${run.client.extCID} ${parts.join(', and ')}${passed}`;
}

function moneyPart(failed: number, money: number): string {
  if (failed === 1) return 'and it is about money';
  return money === failed ? 'all of them about money' : `${money} of them about money`;
}

function sentenceOfPraise(fold: Fold): string {
  const judged = judgedRules(fold);
  const warned = fold.rules.filter((result) => result.verdict === 'warn').length;
  const scope = fold.run.whole ? '' : ', in the part of the suite that was selected';
  const known = knownFailing(fold);
  const beyond = known === 0 ? '' : ` beyond ${plural(known, 'known failure')}`;
  const kept = `${fold.run.client.extCID} breaks none of ${plural(judged, 'rule')} judged${beyond}${scope}`;
  const flaky = fold.scenarios.filter((scenario) => scenario.flaky).length;
  const besides = [
    ...(warned === 0 ? [] : [plural(warned, 'warning')]),
    ...(flaky === 0 ? [] : [`${plural(flaky, 'scenario')} that passed only when played again (flaky)`]),
  ];
  return besides.length === 0 ? kept : `${kept}, with ${besides.join(' and ')}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
