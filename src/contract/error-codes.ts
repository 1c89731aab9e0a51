/** The error codes that earlier versions published. The contract itself shows only some of them. */
export const PUBLISHED_ERROR_CODES = [
  'game_not_found',
  'currency_not_supported',
  'locale_not_supported',
  'account_blocked',
  'bet_limit',
  'loss_limit',
  'time_limit',
  'insufficient_funds',
  'session_expired',
  'session_not_found',
  'client_connection_error',
] as const;
