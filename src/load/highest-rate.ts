import { plural } from '../contract/plural.ts';
import type { LoadResult } from '../journal/load/result.ts';

/** One step of a search for the highest rate. */
type SearchStep = NonNullable<LoadResult['search']>['steps'][number];

/** The result of a search for the highest rate. */
export interface RateSearch {
  readonly search: NonNullable<LoadResult['search']>;
  /**
   * The result that counts. First choice: the step with a fault or an interruption. Second choice: the step with the highest rate
   * that kept the limits. Third choice: the last step.
   */
  readonly result: LoadResult;
}

const FIRST_RATE = 10;
/**
 * The search ends when the lowest rate that is too high, divided by the highest rate that kept the limits, is at most this number.
 */
const PRECISION = 1.1;
/** The operator is fast enough if it gets at least this share of the calls that the rate requires. */
const KEPT_UP = 0.95;

/**
 * Searches for the highest rate that keeps all limits. Doubles the rate until a step misses a limit. After that, tries the
 * middle between the highest rate that kept the limits and the lowest rate that missed a limit. If croupier was too slow in a step,
 * something else may have kept the machine busy, so the step is repeated once.
 *
 * @param play runs one step at a rate, in calls per second
 * @param maxRate the highest rate for which there are enough players
 */
export async function findHighestRate(
  play: (rate: number) => Promise<LoadResult>,
  maxRate: number,
): Promise<RateSearch> {
  const steps: SearchStep[] = [];
  let held: { readonly rate: number; readonly result: LoadResult } | undefined;
  let tooHigh: number | undefined;
  let slowAt: number | undefined;
  for (let rate = Math.min(FIRST_RATE, maxRate); ; ) {
    const result = await play(rate);
    const step = stepOf(rate, result);
    steps.push(step);
    const end = (limitedBy: NonNullable<LoadResult['search']>['limitedBy']): RateSearch => ({
      search: { highest: held?.rate ?? null, limitedBy, steps },
      result: limitedBy === 'fault' || limitedBy === 'interrupted' ? result : (held?.result ?? result),
    });
    if (result.load.interrupted !== null) return end('interrupted');
    if (hasFault(result)) return end('fault');
    if (step.isHeld) held = { rate, result };
    else if (result.croupierItself.isBottleneck || isOwnDelay(result)) {
      if (slowAt === rate) return end('croupier');
      slowAt = rate;
      continue;
    } else tooHigh = rate;
    if (tooHigh === undefined && rate >= maxRate) return end('players');
    if (tooHigh !== undefined && (held ? tooHigh / held.rate <= PRECISION : tooHigh <= 1)) return end('operator');
    rate = nextRate(held?.rate, tooHigh, maxRate);
  }
}

function nextRate(held: number | undefined, tooHigh: number | undefined, maxRate: number): number {
  if (tooHigh === undefined) return Math.min(maxRate, (held ?? FIRST_RATE) * 2);
  return held === undefined ? tooHigh / 2 : Math.round(((held + tooHigh) / 2) * 10) / 10;
}

function stepOf(rate: number, { limits, rate: { got }, croupierItself, reasons }: LoadResult): SearchStep {
  const missed = limits.find(({ isHeld }) => isHeld !== true);
  const why =
    croupierItself.isBottleneck || isOwnDelay({ limits })
      ? 'croupier was too slow'
      : missed
        ? `${missed.limit}, but it is ${missed.actual ?? 'unknown'}${missed.unit}`
        : got < rate * KEPT_UP
          ? `the operator kept up with ${plural(got, 'call')} per second only`
          : (reasons[0] ?? null);
  return { rate, isHeld: why === null, why };
}

/** True if a delay of croupier itself may be the reason for every missed limit. */
function isOwnDelay({ limits }: Pick<LoadResult, 'limits'>): boolean {
  const unsure = limits.some(({ isHeld, actual }) => isHeld === null && actual !== null);
  return unsure && !limits.some(({ isHeld }) => isHeld === false);
}

/** True if a step has shown a fault, or could not decide whether there is one. */
function hasFault({ money, findings, sessionsEnded }: LoadResult): boolean {
  return (
    money.problemCount > 0 ||
    money.players === 0 ||
    money.owed.length > 0 ||
    money.unread.length > 0 ||
    sessionsEnded.length > 0 ||
    findings.some(({ verdict }) => verdict === 'fail')
  );
}
