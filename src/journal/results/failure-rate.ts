/** Number of checks that failed, and number of checks that gave a decision. */
export interface CheckCounts {
  readonly failed: number;
  readonly checks: number;
}

/**
 * Minimum difference of two rates, in standard deviations of their difference if all checks were independent of each other. They are
 * not: the checks of one scenario often fail together, and each run gives the scenarios to other players. So this is more than the
 * three standard deviations that are usual.
 */
const MIN_DEVIATIONS = 5;
/** Minimum factor between the odds of two rates. With many checks, a small difference is already more than chance explains. */
const MIN_ODDS_RATIO = 3;

/**
 * True if the rate of failed checks is so much higher than in an earlier run that chance does not explain it. The difference of two rates is
 * compared after the transformation by the arcsine of the square root. Then the number of checks alone decides its standard deviation.
 */
export function isMuchMoreOften(now: CheckCounts, before: CheckCounts): boolean {
  if (now.checks === 0 || before.checks === 0) return false;
  const angle = ({ failed, checks }: CheckCounts): number => 2 * Math.asin(Math.sqrt(Math.min(1, failed / checks)));
  const deviation = Math.sqrt(1 / now.checks + 1 / before.checks);
  const isClear = angle(now) - angle(before) >= MIN_DEVIATIONS * deviation;
  const passed = ({ failed, checks }: CheckCounts): number => checks - failed;
  return isClear && now.failed * passed(before) >= MIN_ODDS_RATIO * before.failed * passed(now);
}

/** Reads counts that are written as `37 of 193`. Undefined if the text has another form. */
export function readCounts(text: string): CheckCounts | undefined {
  const [failed, checks, ...rest] = text
    .split(' of ')
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : undefined));
  return failed !== undefined && checks !== undefined && rest.length === 0 && failed <= checks && checks > 0
    ? { failed, checks }
    : undefined;
}

/** Writes counts as `37 of 193`. */
export function countsText({ failed, checks }: CheckCounts): string {
  return `${failed} of ${checks}`;
}
