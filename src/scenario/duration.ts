import { DAY_MS } from '../contract/limits.ts';

const FACTORS = { ms: 1, s: 1000, m: 60_000 } as const;

/**
 * Converts a text such as `300ms`, `2s`, `1.5s` or `1m` to milliseconds. Returns undefined for any other text and for more than
 * a day.
 */
export function readDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text);
  if (!match) return undefined;
  const ms = Number(match[1]) * FACTORS[match[2] as keyof typeof FACTORS];
  return ms <= DAY_MS ? Math.round(ms) : undefined;
}
