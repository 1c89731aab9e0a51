// A service in a process of its own that can be killed: node killed-child.ts FOLDER URL play|settle
// play: plays rounds with many players at once until it is killed. settle: ends once nothing is owed. Each finished round is a line.
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
// The log is written into the file every 20 pages, so that kills hit that too.
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
