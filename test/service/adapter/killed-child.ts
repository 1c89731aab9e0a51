// A service in its own process, so that a test can kill it: node killed-child.ts FOLDER URL play|settle
// With play, it plays rounds with many players at the same time until it is killed, and prints a line for each finished round.
// With settle, it ends when nothing is owed.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Adapter } from '../../../src/service/adapter/adapter.ts';
import { ReverseCalls } from '../../../src/service/adapter/reverse-calls.ts';
import { RoundStore } from '../../../src/service/adapter/round-store.ts';
import { ExchangeLog } from '../../../src/service/exchange-log.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';
import { sleep } from '../../../src/service/sleep.ts';
import { PLAYERS } from './operator-front.ts';
import { clientAt, DEADLINE_MS, QUICK, sessionOf } from './sessions.ts';

const [, , folder = '', url = '', task = ''] = process.argv;
const say = (line: unknown): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

const log = new ExchangeLog({ secrets: [], clock: Date.now });
const calls = new ReverseCalls({ clients: [clientAt(url)], log, sleep, wire: { deadlineMs: DEADLINE_MS } });
const database = openServiceDatabase(folder);
// SQLite copies its log into the database every 20 pages, so that some kills happen during this copy.
database.run('PRAGMA wal_autocheckpoint = 20');
const adapter = new Adapter({
  store: new RoundStore(database),
  send: calls.send,
  uuid: randomUUID,
  clock: Date.now,
  sleep,
  random: Math.random,
  backoff: QUICK,
});
say('ready');

if (task === 'play') {
  await Promise.all(
    PLAYERS.map(async (player, index) => {
      for (let round = 0; ; round += 1) {
        const win = ['0', '0.50', '3.25'][(round + index) % 3] ?? '0';
        const played = await adapter.play(sessionOf(player), '1.00', { win });
        say({ roundID: played.roundID, prize: win, bet: played.bet.kind, win: played.win?.kind ?? null });
      }
    }),
  );
} else {
  while (adapter.owed().length > 0) await sleep(5);
  await adapter.close();
  await calls.close();
  database.close();
}
