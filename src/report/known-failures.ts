import type { RuleId } from '../contract/catalogue.ts';
import { plural } from '../contract/plural.ts';
import {
  allows,
  breachAt,
  exceededReply,
  exceededShare,
  exceededSum,
  failsEachTime,
  failsMoreOften,
  hasNewWrongReply,
  isOfOtherDirection,
  isOfOtherKind,
  isOfOtherPlayers,
  type KnownGroup,
  knownGroups,
  newPlaces,
  otherDirection,
  withoutLimits,
} from '../journal/baseline.ts';
import { EXPECTATION, type Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { RulePlace } from '../journal/judged-outcome.ts';
import { sumText } from '../journal/money-sums.ts';
import { countsText } from '../journal/results/failure-rate.ts';
import { percentText, shareDecimal } from '../journal/share.ts';

/**
 * For each state, the verdict that gives a known failure its mark and its colour in reports. The states that fail the run come
 * first in this list, and also in reports.
 */
const VERDICT_OF_STATE: Readonly<Record<KnownGroup['state'], Verdict>> = {
  fixed: 'fail',
  expired: 'fail',
  failing: 'note',
  passed: 'pass',
  undecided: 'inconclusive',
};

/** Maximum number of scenarios that the name of a known failure shows. */
const MAX_NAMES = 3;

/**
 * Returns the known failures of the run's baseline. `look` is the verdict that gives a failure its mark and its colour, and `sentence` is
 * {@link knownSentence}. Failures that fail the run come first.
 */
export function knownInOrder({ baseline, rules }: Pick<Fold, 'baseline' | 'rules'>): readonly {
  readonly result: KnownGroup;
  readonly look: Verdict;
  readonly sentence: string;
}[] {
  const groups = knownGroups(baseline);
  const failing = new Set<string>(rules.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule.id));
  return Object.entries(VERDICT_OF_STATE).flatMap(([state, look]) =>
    groups
      .filter((result) => result.state === state)
      .map((result) => {
        // The rule is among the failures of the report. So it must not look here as if it passed, or as if nobody could decide it.
        const { rule, undecided, line, ticket } = result.known;
        if (!undecided || state === 'expired' || !failing.has(rule))
          return { result, look, sentence: knownSentence(result) };
        const sentence = `fails in this run. The entry at line ${line} of the baseline allows only that the rule stays undecided (${ticket})`;
        return { result, look: 'fail', sentence };
      }),
  );
}

/** Returns the name of a known failure, as in `win.credit at win in bet/many`. */
export function knownName({ known: { rule, endpoint }, scenarios }: KnownGroup): string {
  return [
    rule,
    ...(endpoint === null ? [] : [`at ${endpoint}`]),
    ...(scenarios.length === 0 ? [] : [`in ${listed(scenarios)}`]),
  ].join(' ');
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}

/**
 * Describes the state of a known failure and what to do about it. The sentence contains text of the baseline file that is not yet
 * escaped.
 */
export function knownSentence(group: KnownGroup): string {
  const { known, state, failed, checks, mayBeHidden } = group;
  const { rule, reason, ticket, expires, line, intermittent } = known;
  if (known.undecided && state !== 'expired') return undecidedSentence(group);
  const rate = `in ${failed} of ${plural(checks, 'check')}`;
  switch (state) {
    case 'failing':
      return intermittent
        ? `failed ${rate}. The baseline allows until ${expires} that it fails now and then (${ticket}): ${reason}`
        : `still fails. The baseline allows this until ${expires} (${ticket}): ${reason}`;
    case 'passed':
      if (mayBeHidden)
        return `passed this time, but a new failure in the same scenario may hide it. Keep the entry at line ${line} of the baseline (${ticket}) until the new failure is fixed`;
      return intermittent
        ? `failed ${rate}. The baseline allows until ${expires} that it fails now and then (${ticket}). If it is fixed, remove the entry at line ${line} of the baseline`
        : `did not fail here in this run, but still fails in another scenario. Keep the entry at line ${line} of the baseline (${ticket})`;
    case 'fixed':
      return `${rule === EXPECTATION ? 'the expectation is now met' : 'the rule no longer fails'}: remove the entry at line ${line} of the baseline (${ticket})`;
    case 'expired':
      return `the entry at line ${line} of the baseline expired on ${expires} (${ticket}): fix the failure, or agree on a later date. ${reason}`;
    case 'undecided':
      return `could not be decided in this run. The baseline lists it until ${expires} (${ticket})`;
  }
}

/** Describes the state of an entry that only allows that a rule stays undecided. */
function undecidedSentence({ known: { line, expires, ticket, reason }, state }: KnownGroup): string {
  return state === 'passed'
    ? `is decided in this run. When every run decides the rule, remove the entry at line ${line} of the baseline, which allows that the rule stays undecided (${ticket})`
    : // The run is undecided all the same if a balance is wrong by more than the entry allows, so this does not say that the run is right.
      `could not be decided, because of other known failures. The baseline lists the rule as undecided until ${expires} (${ticket}): ${reason}`;
}

/**
 * For a rule that the baseline lists: says at which places the rule fails although no entry allows a failure there. Null if every
 * failure is allowed.
 */
export function worseSentence(id: RuleId, { rules, baseline }: Pick<Fold, 'rules' | 'baseline'>): string | null {
  const result = rules.find(({ rule }) => rule.id === id);
  if (!result?.isWorse) return null;
  const places = newPlaces(baseline, result.places);
  const allowedWithoutMoney = places.filter((place) =>
    baseline.some(
      ({ known, state }) =>
        state === 'failing' &&
        known.noMoney &&
        known.rule === id &&
        (known.scenario ?? place.scenario) === place.scenario,
    ),
  );
  if (allowedWithoutMoney.length > 0 && allowedWithoutMoney.length === places.length)
    return `the baseline lists this rule only for breaches that move no money, and this one moves money (in ${listed(scenariosOf(places))})`;
  const higher = places.flatMap((place) => higherSum(place, baseline) ?? []);
  if (higher.length === places.length && higher[0] !== undefined) return higher[0];
  const often =
    places[0] && baseline.find(({ known, state }) => state === 'failing' && known.rule === id && known.failedChecks);
  if (often?.known.failedChecks && places[0] && failsMoreOften(often.known, breachAt(places[0])))
    return `the baseline lists this rule as failing in ${countsText(often.known.failedChecks)} checks, but now it fails much more often, in ${countsText(places[0].ofRule)}`;
  const regular = places.filter((place) =>
    baseline.some(
      ({ known, state }) => state === 'failing' && known.rule === id && failsEachTime(known, breachAt(place)),
    ),
  );
  if (regular[0] && regular.length === places.length)
    return `the baseline allows that this rule fails now and then, but now it failed in each of ${regular[0].timesAgain} repetitions of ${regular[0].scenario}`;
  const replying = places.filter((place) =>
    baseline.some(
      ({ known, state }) =>
        state === 'failing' &&
        hasNewWrongReply(known, breachAt(place)) &&
        allows({ ...known, wrongReplies: true }, breachAt(place)),
    ),
  );
  if (replying.length > 0 && replying.length === places.length)
    return `the baseline lists this rule without \`wrongReplies: true\`, but the replies now have wrong balances: the next read shows another balance (in ${listed(scenariosOf(replying))})`;
  const turned = places.flatMap((place) => {
    const listing = baseline.find(
      ({ known, state }) => state === 'failing' && known.rule === id && isOfOtherDirection(known, breachAt(place)),
    );
    return listing?.known.balances ?? [];
  });
  if (turned.length === places.length && turned[0] !== undefined)
    return `the baseline lists this rule for balances that are ${turned[0]}, but now they are ${otherDirection(turned[0])} (in ${listed(scenariosOf(places))})`;
  const others = places.filter((place) =>
    baseline.some(
      ({ known, state }) => state === 'failing' && known.rule === id && isOfOtherKind(known, breachAt(place)),
    ),
  );
  if (others.length > 0 && others.length === places.length)
    return `the baseline lists this rule for wrong sums in ${listed(scenariosOf(others))}, but now it fails there in another way: no balance shows such a sum`;
  const forOthers = (place: RulePlace): Fold['baseline'] =>
    baseline.filter(
      ({ known, state }) => state === 'failing' && known.rule === id && isOfOtherPlayers(known, breachAt(place)),
    );
  if (places.length > 0 && places.every((place) => forOthers(place).length > 0)) {
    const allowed = [...new Set(places.flatMap(forOthers).flatMap(({ known }) => known.players ?? []))];
    const playing = [...new Set(places.flatMap(({ players }) => players))];
    return `the baseline lists this rule only for ${playerNames(allowed)}, but now it fails with ${playerNames(playing)} (in ${listed(scenariosOf(places))})`;
  }
  const endpoints = [...new Set(places.flatMap(({ endpoint }) => endpoint ?? []))];
  const at = endpoints.length === 0 ? '' : `at ${endpoints.join(', ')} `;
  return `the baseline lists this rule, but not for this failure: it fails ${at}in ${listed(scenariosOf(places))}`;
}

/**
 * Says by how much the failure at a place is above the sum or the share that the baseline allows. Null if neither is the reason why
 * the baseline does not allow the failure.
 */
function higherSum(place: RulePlace, baseline: Fold['baseline']): string | null {
  const breach = breachAt(place);
  for (const { known, state } of baseline) {
    if (state !== 'failing' || !allows(withoutLimits(known), breach)) continue;
    const share = exceededShare(known, breach);
    if (share && known.maxShare !== undefined)
      return `the baseline allows this rule to make balances wrong by ${percentText(known.maxShare)} of the amounts of the calls, but in ${place.scenario} it is now ${percentText(shareDecimal(share))}`;
    const reply = exceededReply(known, breach);
    if (reply)
      return `the baseline allows that replies are wrong by ${sumText(reply.limits, reply.currency)}, but in ${place.scenario} a reply is now wrong by ${sumText(reply.sums, reply.currency)}`;
    const { sums, limits, currency } = exceededSum(known, breach) ?? {};
    if (!sums || !limits || currency === undefined) continue;
    // The key `money` of an entry for all scenarios is the limit in each of them.
    const isOfScenario = known.scenario !== null || limits === known.maxSumsIn?.[place.scenario];
    const allowed = `the baseline allows this rule to make balances wrong by ${sumText(limits, currency)}`;
    return isOfScenario
      ? `${allowed} in ${place.scenario}, but now it is ${sumText(sums, currency)}`
      : `${allowed} in one scenario, but in ${place.scenario} it is now ${sumText(sums, currency)}`;
  }
  return null;
}

function playerNames(players: readonly string[]): string {
  return `the player${players.length === 1 ? '' : 's'} ${listed(players)}`;
}

function scenariosOf(places: readonly { readonly scenario: string }[]): readonly string[] {
  return [...new Set(places.map(({ scenario }) => scenario))];
}

/** Returns the path of the baseline, which is the file of known failures. Returns null if the run had no baseline. */
export function baselineFile({ run }: Fold): string | null {
  return run.baseline?.file ?? null;
}
