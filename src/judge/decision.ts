import type { RuleId } from '../contract/catalogue.ts';

/** The rule is broken: a fail, a warning or a note by its level. */
export interface Breach {
  readonly kind: 'breach';
  readonly expected: string;
  readonly actual: string;
  readonly causes?: readonly RuleId[];
}

/** The result of judging one rule by one call or read. */
export type Decision =
  | { readonly kind: 'pass' }
  | Breach
  /** The rule is broken in a way that only warns, at every level. */
  | { readonly kind: 'warn'; readonly expected: string; readonly actual: string }
  | { readonly kind: 'note'; readonly actual: string }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'undecided'; readonly reason: string };

export const PASS: Decision = { kind: 'pass' };

export function breach(expected: string, actual: string, causes: readonly RuleId[] = []): Breach {
  return { kind: 'breach', expected, actual, causes };
}
