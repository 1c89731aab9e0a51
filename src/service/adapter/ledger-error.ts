/** Why a ledger can't be used: for the person who starts the service. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
}
