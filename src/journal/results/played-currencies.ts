/** The currencies in which each scenario was played, by the id of the scenario, in the order of the alphabet. */
export type PlayedCurrencies = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the currencies in which each scenario was played. Returns undefined if the sessions have only one currency, because then
 * no result depends on the currency.
 *
 * @param scenarios the scenarios, each with the ids of its sessions
 * @param sessions all sessions of the run; an unknown currency is null
 */
export function playedCurrencies(
  scenarios: readonly { readonly id: string; readonly sessions: Readonly<Record<string, string>> }[],
  sessions: readonly { readonly sessionID?: string | undefined; readonly currency: string | null }[],
): PlayedCurrencies | undefined {
  if (new Set(sessions.map(({ currency }) => currency)).size < 2) return undefined;
  const codes = new Map(sessions.map(({ sessionID, currency }) => [sessionID, currency ?? '']));
  return Object.fromEntries(
    scenarios.map(({ id, sessions: used }) => {
      const own = new Set(Object.values(used).map((sessionID) => codes.get(sessionID) ?? ''));
      return [id, [...own].toSorted()];
    }),
  );
}
