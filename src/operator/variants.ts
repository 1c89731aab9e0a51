import { BOOKS_VARIANTS } from './variants/bookkeeping.ts';
import { COIN_VARIANTS } from './variants/coins.ts';
import { DECLINING_VARIANTS } from './variants/declining.ts';
import { FAILING_VARIANTS } from './variants/failing.ts';
import { LAUNCHING_VARIANTS } from './variants/launching.ts';
import { LIMIT_VARIANTS } from './variants/limits.ts';
import { TIMING_VARIANTS } from './variants/timing.ts';
import { TRANSPORT_VARIANTS } from './variants/transport.ts';
import { WORDING_VARIANTS } from './variants/wording.ts';
import type { Variant } from './variation.ts';

/** All variants of the reference operator. */
export const VARIANTS: readonly Variant[] = [
  ...TRANSPORT_VARIANTS,
  ...WORDING_VARIANTS,
  ...DECLINING_VARIANTS,
  ...LIMIT_VARIANTS,
  ...COIN_VARIANTS,
  ...LAUNCHING_VARIANTS,
  ...FAILING_VARIANTS,
  ...BOOKS_VARIANTS,
  ...TIMING_VARIANTS,
];

const BY_NAME = new Map(VARIANTS.map((variant) => [variant.name, variant]));

export function variantByName(name: string): Variant | undefined {
  return BY_NAME.get(name);
}
