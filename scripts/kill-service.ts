import { killRepeatedly } from '../test/service/adapter/killing.ts';

// node scripts/kill-service.ts [KILLS [SEED]]: kills a service under play many times and reconciles the operator's books with its rounds.
const [kills = '200', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
console.log(`${kills} kills, seed ${seed}`);
const { bets, refunded, wins } = await killRepeatedly(Number(kills), Number(seed));
console.log(`reconciled: ${bets} bets, ${refunded} of them refunded, ${wins} wins; nothing owed, nothing doubled`);
