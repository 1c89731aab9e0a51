/** Returns a scenario with this number of exchanges: half of them read the balance, and half bet the smallest unit. */
export function longScenario(exchanges: number): string {
  return `croupier: 1
title: ${exchanges} calls in a row
rules: [bet.debit]
steps:
  - balance:
    times: ${exchanges / 2}
  - bet: { amount: "\${unit}" }
    times: ${exchanges / 2}
`;
}
