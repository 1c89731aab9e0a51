import type { KnownFailure, RunEnded, RunStarted } from './event.ts';
import { isAboutRaces, type RulePlace } from './judged-outcome.ts';
import { currencyAbove, type MoneySums } from './money-sums.ts';

/**
 * The states of a known failure after a run. `failing` means that it still fails. `passed` means that it was tested and
 * did not fail, but that the entry stays: the failure occurs only now and then, or in another scenario of the entry. `mended`
 * means that it was tested and no longer fails, so the user must remove it from the baseline. `expired` means that its last valid day is over. `undecided` means that it was not tested enough. `mended`
 * and `expired` entries fail the run.
 */
export const KNOWN_STATES = ['failing', 'passed', 'mended', 'expired', 'undecided'] as const;

type KnownState = (typeof KNOWN_STATES)[number];

export interface KnownResult {
  readonly known: KnownFailure;
  readonly state: KnownState;
  /** Number of checks at the place of the entry that failed, or warned. */
  readonly failed: number;
  /** Number of checks at the place of the entry that gave a decision. */
  readonly checks: number;
}

/** The place of a breach, and whether it moved money. */
type Breach = Pick<RulePlace, 'rule' | 'endpoint' | 'scenario'> & {
  readonly noMoney?: boolean | undefined;
  /** The sums by which the breach made balances wrong. Undefined if they are not compared. */
  readonly wrongSums?: MoneySums | undefined;
};

/** The parts of a run that decide the state of a known failure. */
interface RunResults {
  readonly run: RunStarted;
  readonly ended: RunEnded | null;
  /** The results of each rule at each place, after attribution. */
  readonly places: readonly RulePlace[];
}

/** Finds the state of each known failure of the run's baseline. */
export function judgeBaseline(results: RunResults): readonly KnownResult[] {
  return judgeKnown(results.run.baseline?.known ?? [], results);
}

/** Finds the state of known failures. They may come from another baseline than the baseline of the run. */
export function judgeKnown(known: readonly KnownFailure[], results: RunResults): readonly KnownResult[] {
  const alone = known.map((one) => judgeAlone(one, results));
  // An entry can name several scenarios. If one of them still fails, another scenario may have passed only by chance.
  return alone.map((result) => {
    const isMended = alone.every((other) => other.known.line !== result.known.line || other.state === 'mended');
    return result.state === 'mended' && !isMended ? { ...result, state: 'passed' } : result;
  });
}

function judgeAlone(known: KnownFailure, { run, ended, places }: RunResults): KnownResult {
  const own = places.filter((place) => isAt(known, place));
  const failed = own.reduce((sum, place) => sum + place.failed + place.warned, 0);
  const checks = own.reduce((sum, place) => sum + place.checks, 0);
  const result = (state: KnownState): KnownResult => ({ known, state, failed, checks });
  // ISO dates can be compared as texts.
  const isExpired = run.startedAt.slice(0, 10) > known.expires;
  // A warning is also a failure here, because the breach of a SHOULD rule gives only a warning.
  if (failed > 0) return result(isExpired ? 'expired' : 'failing');
  if (known.intermittent && !isExpired) return result(checks > 0 ? 'passed' : 'undecided');
  const isOpen = own.some((place) => place.isOpen);
  // A rule that passes in one shard (one part of a divided run) may fail in another shard. A single shard can therefore
  // not show that a failure is fixed.
  const isTried = ended?.how === 'complete' && run.shard === undefined && (run.whole || known.tried);
  if (isTried && !known.intermittent && !isOpen && checks > 0) return result('mended');
  return result(isExpired ? 'expired' : 'undecided');
}

/** True if the entry is about the rule, the endpoint and the scenario of the breach. */
function isAt({ rule, endpoint, scenario }: KnownFailure, breach: Breach): boolean {
  return (
    rule === breach.rule &&
    (endpoint === null || endpoint === breach.endpoint) &&
    (scenario === null || scenario === breach.scenario || scenario === breach.scenario.split('#')[0])
  );
}

/**
 * True if the entry allows the breach. An entry for breaches that move no money does not allow a breach that moves money. An
 * entry with sums does not allow higher sums.
 */
export function allows(known: KnownFailure, breach: Breach): boolean {
  return isAt(known, breach) && (known.noMoney !== true || breach.noMoney === true) && !isAboveSums(known, breach);
}

/** It is chance how often a failure occurs that occurs only now and then, so its sums are not compared. */
function isAboveSums({ maxSums, intermittent }: KnownFailure, { wrongSums }: Breach): boolean {
  if (!maxSums || !wrongSums || intermittent) return false;
  return currencyAbove(wrongSums, maxSums) !== undefined;
}

/** True for a breach that the baseline lists as a known failure and whose entry has not expired. */
export function isKnownBreach(results: readonly KnownResult[], breach: Breach): boolean {
  return results.some(({ known, state }) => state === 'failing' && allows(known, breach));
}

/** Returns the breach of a place, for a comparison with the entries of a baseline. */
export function breachAt({ rule, endpoint, scenario, movesMoney, wrongSums }: RulePlace): Breach {
  return { rule, endpoint, scenario, noMoney: !movesMoney, wrongSums: isAboutRaces(rule) ? undefined : wrongSums };
}

/** Returns the places at which a rule fails and no entry of the baseline allows it. */
export function newPlaces(results: readonly KnownResult[], places: readonly RulePlace[]): readonly RulePlace[] {
  return places.filter((place) => place.failed > 0 && !isKnownBreach(results, breachAt(place)));
}

/** The known failures of one entry of the baseline that have the same state. */
export interface KnownGroup extends KnownResult {
  /** The scenarios of these known failures; empty if the entry is valid for all scenarios. */
  readonly scenarios: readonly string[];
}

/** Joins the known failures of one entry that have the same state. An entry can name several scenarios. */
export function knownGroups(results: readonly KnownResult[]): readonly KnownGroup[] {
  return [...Map.groupBy(results, ({ known, state }) => `${known.line} ${state}`).values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const sum = (of: (result: KnownResult) => number): number => own.reduce((all, result) => all + of(result), 0);
    return {
      ...first,
      failed: sum(({ failed }) => failed),
      checks: sum(({ checks }) => checks),
      scenarios: own.flatMap(({ known }) => known.scenario ?? []),
    };
  });
}

/** Returns the entries of the baseline that fail the run, because the failure is fixed or the entry has expired. */
export function staleEntries(results: readonly KnownResult[]): readonly KnownGroup[] {
  return knownGroups(results).filter(({ state }) => state === 'mended' || state === 'expired');
}
