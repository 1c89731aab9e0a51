/**
 * Returns a scenario with this number of exchanges. Half of them read the balance. A quarter bets the smallest unit, and a
 * quarter are the wins with which croupier completes these rounds.
 */
export function longScenario(exchanges: number): string {
  return `croupier: 1
title: ${exchanges} calls in a row
rules: [bet.debit]
steps:
  - balance:
    times: ${exchanges / 2}
  - bet: { amount: "\${unit}" }
    times: ${exchanges / 4}
`;
}
