import type { Variant } from '../variation.ts';

/**
 * Correct variants of launches: the backend uses a locale or a currency that croupier does not know. This is correct, because
 * the contract does not show its complete lists of locales and currencies.
 */
export const LAUNCHING_VARIANTS: readonly Variant[] = [
  {
    name: 'launch-rare-locale',
    description: 'Games are launched in the locale es_ar, which croupier does not know.',
    change: (right) => ({ launch: (game) => ({ ...right.launch(game), locale: 'es_ar' }) }),
  },
  {
    name: 'launch-rare-currency',
    description: 'Games are launched in the currency mDOGE, which croupier does not know.',
    change: (right) => ({ launch: (game) => ({ ...right.launch(game), currency: 'mDOGE' }) }),
  },
];
