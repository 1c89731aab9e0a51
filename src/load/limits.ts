import { CALL_NAMES, type CallName } from '../contract/call-name.ts';

/** A limit that the measured times or errors must keep. */
export type Limit = {
  readonly text: string;
} /** A percentile of the response time. `percentile` 100 is the maximum. */ & (
  | { readonly kind: 'time'; readonly call: CallName | 'all'; readonly percentile: number; readonly belowMs: number }
  /** The share of calls that were not answered 200, in percent. Calls that croupier breaks on purpose do not count. */
  | { readonly kind: 'errors'; readonly belowPercent: number }
);

const TIME = /^(?:(balance|bet|win|refund)\s+)?(?:p(\d{1,2}(?:\.\d{1,3})?)|(max))\s*<\s*(\d+(?:\.\d+)?)\s*(ms|s)$/;
const ERRORS = /^errors\s*<\s*(\d+(?:\.\d+)?)\s*%$/;

/** Reads a limit such as `bet p99 < 300ms` or `errors < 0.1%`. Returns undefined for any other text. */
export function readLimit(given: string): Limit | undefined {
  const text = given.trim();
  const time = TIME.exec(text);
  if (time) {
    const call = CALL_NAMES.find((name) => name === time[1]) ?? 'all';
    const percentile = time[3] === undefined ? Number(time[2]) : 100;
    const belowMs = Number(time[4]) * (time[5] === 's' ? 1000 : 1);
    return percentile > 0 && belowMs > 0 ? { text, kind: 'time', call, percentile, belowMs } : undefined;
  }
  const errors = ERRORS.exec(text);
  return errors ? { text, kind: 'errors', belowPercent: Number(errors[1]) } : undefined;
}
