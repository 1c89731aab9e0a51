/**
 * Kinds of calls that only some scenarios have. A wallet may handle such calls wrongly for one player only, so croupier tries each kind with
 * each player if there are enough scenarios. Each kind has the words with which reports name it.
 */
export const CORE_CHECKS = {
  win: 'wins',
  refund: 'refunds',
  'decimal-bet': 'bets with decimals',
  'decimal-win': 'wins with decimals',
  'whole-balance': 'bets of the whole balance',
  'above-balance': 'bets above the balance',
  free: 'free rounds',
  'repeated-bet': 'repeated bets',
  'repeated-win': 'repeated wins',
  'repeated-refund': 'repeated refunds',
  'refunded-bet': 'repeated bets after their refund',
  'unknown-refund': 'refunds of unknown bets',
  race: 'bets and wins at the same moment',
} as const;

export type CoreCheck = keyof typeof CORE_CHECKS;

export const CORE_CHECK_IDS = Object.keys(CORE_CHECKS) as readonly CoreCheck[];
