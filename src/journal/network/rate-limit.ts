import type { CallName } from '../../contract/call-name.ts';
import { type HeaderList, header } from '../exchange.ts';

const TOO_MANY_REQUESTS = 429;

/** True for the status with which an operator limits the rate of calls. */
export function isTooMany(status: number): boolean {
  return status === TOO_MANY_REQUESTS;
}

/** The replies with which an operator limits the rate of calls. */
export interface RateLimitSummary {
  /** Number of replies with the status 429. */
  readonly refused: number;
  readonly replies: number;
  /**
   * The number of calls per second that the operator accepts, as a value for the setting `rate`. Null if the operator refused no
   * balance call, or if it refused too few calls to compute this number.
   */
  readonly perSecond: number | null;
}

/** Length of the periods in which replies are counted, in ms, and the number of periods that are kept. */
const PERIOD_MS = 100;
const MAX_PERIODS = 1200;
/**
 * The time in ms for which most operators count calls before they refuse one. A longer `Retry-After` shows that the operator counts
 * over a longer time.
 */
const WINDOW_MS = 1000;
/** Number of estimates from which the result is computed. */
const MAX_SAMPLES = 51;
/** croupier uses only this share of the estimated limit, so that calls are not refused again. */
const SAFE_SHARE = 0.9;
/**
 * This number of refusals in a window shows a limit of the rate. A smaller number does not, because an operator may refuse single
 * calls at random.
 */
const ENOUGH_REFUSALS = 3;

/** Limits of the time between two times of refusals from which the number of accepted calls per second is computed, in ms. */
const MIN_BETWEEN_MS = 500;
const MAX_BETWEEN_MS = 5000;

/**
 * If the operator refused no balance call in this time, in ms, the number of accepted calls in this time shows what it accepts for
 * long. A shorter time does not, because an operator may let some calls save up (a token bucket).
 */
const STEADY_MS = 5000;
/** Time in ms whose calls are counted, after such a time without refusals. */
const COUNTED_MS = 3000;
/** Time between two measurements of the steadily accepted calls, in ms. */
const MEASURE_MS = 500;
/**
 * If the operator refuses calls again and again for at least this time in ms, the calls that it accepts in this time show its limit, even
 * if it counts calls in windows of some seconds.
 */
const SATURATED_MS = 20_000;
/** Minimum number of times at which the operator must have refused calls in this time. */
const MIN_RESUMPTIONS = 3;
/** Maximum number of moments that are kept, and the minimum and maximum time between two of them in ms. */
const RESUMPTIONS = { max: 100, minMs: 500, maxMs: 12_000 } as const;
/** The operator may accept a little more than it did, because croupier made pauses. */
const MARGIN = 1.1;

/** The parts of a reply from which a limit of the rate is computed. */
export interface LimitedReply {
  readonly atMs: number;
  readonly call: CallName;
  readonly status: number;
  readonly headers: HeaderList;
}

/**
 * Finds out from replies how many calls per second the operator accepts. Only a refused balance call shows a limit of the rate. An
 * operator may answer 429 to other calls for a different reason, for example because it never accepts a repeated call.
 */
export class RateLimit {
  readonly #accepted = new Map<number, number>();
  readonly #refusedIn = new Map<number, number>();
  readonly #samples: number[] = [];
  #replies = 0;
  #refused = 0;
  #startMs = Number.POSITIVE_INFINITY;
  #isReadRefused = false;
  /** The end of the last pause that the operator asked for, or the time of the first reply. */
  #sinceMs: number | undefined;
  #sampledMs = Number.NEGATIVE_INFINITY;
  #acceptedMs: number | undefined;
  /** The time of the last refusal of any call. */
  #refusedMs = Number.NEGATIVE_INFINITY;
  /** The time of the last refused balance call, and of the last one before a time in which the operator accepted calls. */
  #limitedMs = Number.NEGATIVE_INFINITY;
  #limitedBeforeMs = Number.NEGATIVE_INFINITY;
  /** The highest number of calls per second that the operator accepted in a time without refusals, after its first refusal. */
  #steady = 0;
  #measuredMs = Number.NEGATIVE_INFINITY;
  /** The moments at which the operator accepted calls again, and the number of calls that it had accepted by then. */
  readonly #resumptions: { readonly atMs: number; readonly accepted: number }[] = [];
  /** The highest number of calls per second that the operator accepted while it refused calls again and again. */
  #saturated = 0;
  #isRefusing = false;
  #totalAccepted = 0;
  #isSure = false;

  /** Records a reply. @returns true if the reply shows that calls are sent too fast */
  note({ atMs, call, status, headers }: LimitedReply): boolean {
    this.#replies += 1;
    this.#sinceMs ??= atMs;
    this.#startMs = Math.min(this.#startMs, atMs);
    if (!isTooMany(status)) {
      this.#noteEndOfLongWindow(atMs);
      this.#acceptedMs = atMs;
      count(this.#accepted, atMs);
      this.#totalAccepted += 1;
      this.#resume(atMs);
      this.#measure(atMs);
      return false;
    }
    this.#refused += 1;
    this.#refusedMs = atMs;
    count(this.#refusedIn, atMs);
    if (call === 'balance') {
      this.#isReadRefused = true;
      if (atMs - this.#limitedMs >= MIN_BETWEEN_MS) this.#limitedBeforeMs = this.#limitedMs;
      this.#limitedMs = atMs;
      this.#isRefusing = true;
    }
    // The operator asked for this pause in an earlier reply. So a refusal during the pause gives no new information.
    if (atMs < this.#sinceMs) return call === 'balance';
    const retryMs = retryAfterMs(headers) ?? 0;
    const isLong = retryMs > WINDOW_MS;
    const passedMs = Math.max(0, atMs - this.#sinceMs);
    const windowMs = isLong ? passedMs + retryMs : WINDOW_MS;
    const accepted = sum(this.#accepted, atMs, isLong ? passedMs : WINDOW_MS);
    const refused = sum(this.#refusedIn, atMs, WINDOW_MS);
    if (isLong) this.#sinceMs = atMs + retryMs;
    const isStill = this.#acceptedMs !== undefined && this.#sampledMs > this.#acceptedMs;
    const isLimit =
      call === 'balance' && (isLong || isStill || refused >= ENOUGH_REFUSALS || (refused > 1 && refused >= accepted));
    // All refusals of one window show the same limit.
    if (isLimit && accepted > 0 && atMs - this.#sampledMs >= WINDOW_MS) {
      this.#sampledMs = atMs;
      const quietSinceMs = this.#samples.length === 0 ? this.#startMs : this.#limitedBeforeMs;
      this.#isSure ||= isLong || atMs - quietSinceMs >= STEADY_MS;
      const isFirst = !isLong && this.#samples.length === 0;
      // Before the first calls, an operator may have saved up calls for one window (a token bucket).
      const countedMs = isFirst && passedMs < WINDOW_MS / 2 ? windowMs + passedMs : windowMs;
      this.#samples.push(Math.min((accepted / countedMs) * 1000, this.#betweenRefusals(atMs)));
      if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    }
    return isLimit;
  }

  /**
   * Notes that the operator accepts calls again. At two such moments, it has just renewed its limit. So it accepted exactly as many calls
   * between them as its limit allows.
   */
  #resume(atMs: number): void {
    if (!this.#isRefusing) return;
    this.#isRefusing = false;
    const last = this.#resumptions.at(-1);
    if (last && atMs - last.atMs < RESUMPTIONS.minMs) return;
    if (last && atMs - last.atMs > RESUMPTIONS.maxMs) this.#resumptions.length = 0;
    this.#resumptions.push({ atMs, accepted: this.#totalAccepted });
    if (this.#resumptions.length > RESUMPTIONS.max) this.#resumptions.shift();
    for (const earlier of this.#resumptions.slice(0, -MIN_RESUMPTIONS)) {
      const passedMs = atMs - earlier.atMs;
      if (passedMs < SATURATED_MS) break;
      this.#saturated = Math.max(this.#saturated, ((this.#totalAccepted - earlier.accepted) / passedMs) * 1000);
    }
  }

  /** Measures how many calls the operator accepts for long. */
  #measure(atMs: number): void {
    const isSteady = this.#samples.length > 0 && atMs - this.#limitedMs > STEADY_MS;
    if (!isSteady || atMs - this.#measuredMs < MEASURE_MS) return;
    this.#measuredMs = atMs;
    this.#steady = Math.max(this.#steady, (sum(this.#accepted, atMs, COUNTED_MS) / COUNTED_MS) * 1000);
  }

  /**
   * True if the operator refused a call after a long time without refusals. Otherwise the estimate may be much too low, because it
   * was made after a burst of calls.
   */
  get isSure(): boolean {
    return this.#isSure;
  }

  /**
   * Returns how many calls per second the operator accepted between its last two times of refusals. An operator that lets calls
   * save up (a token bucket) accepts more calls in the second after a pause, but not in the pause and this second together. Infinite
   * if there was no such time, or if it was too short or too long.
   */
  #betweenRefusals(atMs: number): number {
    const passedMs = atMs - this.#limitedBeforeMs;
    if (passedMs < MIN_BETWEEN_MS || passedMs > MAX_BETWEEN_MS) return Number.POSITIVE_INFINITY;
    return (sum(this.#accepted, atMs, passedMs) / passedMs) * 1000;
  }

  /**
   * If the operator refused every call for longer than one window, it counts calls over a longer time than the window. Then this
   * method replaces the last estimate by a new estimate: the number of accepted calls, divided by this longer time.
   */
  #noteEndOfLongWindow(atMs: number): void {
    const sinceMs = this.#sinceMs ?? atMs;
    const acceptedMs = this.#acceptedMs ?? sinceMs;
    // Without refused calls, croupier itself has made the pause, as the operator asked for it in `Retry-After`.
    const isLong =
      sinceMs <= acceptedMs && atMs - acceptedMs > WINDOW_MS && this.#refusedMs - acceptedMs > WINDOW_MS / 2;
    if (!isLong || this.#sampledMs < acceptedMs) return;
    const accepted = sum(this.#accepted, atMs, atMs - sinceMs);
    this.#sinceMs = atMs;
    // Without an accepted call in this time, the pauses of croupier were long, and not the window of the operator.
    if (accepted === 0) return;
    this.#samples.pop();
    this.#samples.push((accepted / (atMs - sinceMs)) * 1000);
  }

  get summary(): RateLimitSummary {
    return { refused: this.#refused, replies: this.#replies, perSecond: this.perSecond };
  }

  /** See {@link RateLimitSummary.perSecond}. */
  get perSecond(): number | null {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    // Some operators accept more calls at the beginning than later. Then the estimates from the first windows are too high, so the
    // lower values are nearer to the limit.
    const low = sorted[Math.floor((sorted.length - 1) / 4)];
    if (low === undefined || !this.#isReadRefused) return null;
    const highest = this.#saturated > 0 ? this.#saturated * MARGIN : Number.POSITIVE_INFINITY;
    const rate = Math.min(Math.max(low, this.#steady), highest) * SAFE_SHARE;
    return rate >= 10 ? Math.floor(rate) : Math.max(Math.floor(rate * 10) / 10, 0.1);
  }
}

/**
 * Returns the time that a reply names in `Retry-After`, in milliseconds (RFC 9110, 10.2.3). Undefined if there is none.
 */
export function retryAfterMs(headers: HeaderList): number | undefined {
  const text = header(headers, 'retry-after')?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  // A date is compared with the `Date` header of the same reply, because the clock of the server may differ from the clock of this
  // machine.
  const [until, now] = [Date.parse(text), Date.parse(header(headers, 'date') ?? '')];
  return until > now ? until - now : undefined;
}

/** Says how many calls were refused, and which setting helps. Null if the operator does not limit the rate. */
export function rateLimitText({ refused, replies, perSecond }: RateLimitSummary): string | null {
  if (perSecond === null) return null;
  return `${grouped(refused)} of ${grouped(replies)} replies were 429: set \`rate: ${perSecond}\``;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

function count(periods: Map<number, number>, atMs: number): void {
  const period = Math.floor(atMs / PERIOD_MS);
  periods.set(period, (periods.get(period) ?? 0) + 1);
  if (periods.size <= MAX_PERIODS) return;
  const [oldest] = periods.keys();
  if (oldest !== undefined) periods.delete(oldest);
}

/** Returns the number of replies in the time before `atMs`. */
function sum(periods: ReadonlyMap<number, number>, atMs: number, windowMs: number): number {
  const last = Math.floor(atMs / PERIOD_MS);
  const first = Math.floor((atMs - windowMs) / PERIOD_MS) + 1;
  let total = 0;
  for (const [period, number] of periods) if (period >= first && period <= last) total += number;
  return total;
}
