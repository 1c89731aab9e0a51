import { killRepeatedly } from '../test/service/adapter/killing.ts';

// Kills a service during play many times, and then checks that the operator's transactions match the service's rounds.
// Usage: node scripts/kill-service.ts [KILLS [SEED]]
const [kills = '200', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
console.log(`${kills} kills, seed ${seed}`);
const { bets, refunded, wins } = await killRepeatedly(Number(kills), Number(seed));
console.log(`reconciled: ${bets} bets, ${refunded} of them refunded, ${wins} wins; nothing owed, nothing doubled`);
