/** The scenario that `init` writes: short, true to the contract, and explained. */
export const EXAMPLE_SCENARIO = `# A scenario is one story. Every reply in it is judged by the contract; what the contract
# already says need not be written. \`croupier lint\` checks this file, \`croupier run scenarios/example.yaml\` plays it.
croupier: 1
title: A round is played, won, and its repeated win pays once
rules: [win.credit, idempotency.win]

# What the session must hold; without it the scenario is skipped, with the reason.
needs: { balance: "\${stake}" }

steps:
  - bet: # takes the configured stake, with a round and an id of its own
  - win: { amount: "\${2 * stake}" } # in the round of that bet
    as: payout
  - resend: payout # the same bytes, the same id
    expect: { reply: same }
  - balance: # read, and compared with what croupier reckons
`;
