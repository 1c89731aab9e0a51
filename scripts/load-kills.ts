import { killLoads } from '../test/cli/commands/load/killing.ts';

// Kills `croupier load` many times at random moments, settles each load test, and checks every balance of the operator.
// Usage: node scripts/load-kills.ts [KILLS [SEED]]
const [kills = '100', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
console.log(`${kills} kills, seed ${seed}`);
const { beforeBets, owing, bets, refunded, wins } = await killLoads(Number(kills), Number(seed), (line) =>
  console.log(line),
);
console.log(
  `settled: ${bets} bets, ${refunded} of them refunded, ${wins} wins; ${owing} load tests owed something, ${beforeBets} were killed before their first bet. Every balance is right`,
);
