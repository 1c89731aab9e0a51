import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { Board } from '../../../src/fleet/board/board.ts';
import { boardRoutes } from '../../../src/fleet/board/routes.ts';
import { historyFile, openExistingHistory, openHistory } from '../../../src/history/history.ts';
import { routeTable } from '../../../src/listen/routes.ts';
import { listen } from '../../../src/listen/server.ts';
import { pageOrigins } from '../../../src/pages/guard.ts';
import { EVIL } from '../../service/page-service.ts';
import { createFleetStore, nameOf } from '../fleet-store.ts';
import { operatorChecked } from '../operators.ts';

const TOKEN = 'a-token-of-the-tests';

/**
 * Serves the board of a fleet with this number of operators until the test is over. The first operator has markup in every text
 * that comes from outside, one operator was never judged, and one is late.
 *
 * @returns the address of the page
 */
export async function startBoard(pagesDir: string, operators: number): Promise<string> {
  const dir = mkdtempSync(path.join(tmpdir(), 'croupier-board-'));
  const lastNight = new Date('2026-11-26');
  await createFleetStore(dir, { operators, nights: 35, lastNight });
  await makeHostile(dir);
  const names = [...Array.from({ length: operators }, (_, at) => nameOf(at)), 'never-judged'];
  const board = new Board({
    operators: names.map((name, at) => operatorChecked(name, at === 1 ? '0 3 * * *' : '0 1 * * *')),
    dir,
    openHistory: () => openExistingHistory({ dir, database: undefined }),
    now: () => new Date('2026-11-26T09:00:00Z'),
  });
  let origins: readonly string[] = [];
  const routes = boardRoutes({
    board,
    token: TOKEN,
    origins: () => origins,
    readPage: (name) => readFileSync(path.join(pagesDir, name)),
    reportOf: async (run) => ({
      html: `<!doctype html><title>report of run ${run}</title>`,
      policy: "default-src 'none'",
    }),
  });
  const server = await listen(routeTable(routes), { onFault: () => {} });
  origins = pageOrigins(server.url);
  onTestFinished(async () => {
    await server.close(0);
    await board.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return `${server.url}/board/?token=${TOKEN}`;
}

/** Puts markup into the texts of the latest run of the first operator, and breaks all its rules. */
async function makeHostile(dir: string): Promise<void> {
  const history = await openHistory(historyFile(dir));
  const { number } = await history
    .selectFrom('run')
    .select('number')
    .where('ext_cid', '=', nameOf(0))
    .where('kind', '=', 'run')
    .orderBy('started_at', 'desc')
    .executeTakeFirstOrThrow();
  await history
    .updateTable('run')
    .set({
      build: EVIL,
      first_line: `NOT CONFORMING: ${EVIL}`,
      operator: EVIL,
      verdict: 'nonconforming',
      contract: EVIL,
    })
    .where('number', '=', number)
    .execute();
  await history.updateTable('rule_result').set({ verdict: 'fail', reason: EVIL }).where('run', '=', number).execute();
  const evil = { run: number, rule: `expectation in ${EVIL}`, verdict: 'fail', flaky: 0, reason: EVIL, failing: '[]' };
  await history.insertInto('rule_result').values(evil).execute();
  await history.destroy();
}
