import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { readPort, readPublicUrl } from '../../../app/config/flag-values.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { packageRoot, readBytes, whyUnreadable } from '../../../app/files.ts';
import { pastVerdictsOf } from '../../../app/history/past-verdicts.ts';
import { databaseIn } from '../../../app/history/settings.ts';
import { openStoredRun } from '../../../app/history/stored-run.ts';
import { inFile, reportOptions } from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { Board } from '../../../fleet/board/board.ts';
import { boardRoutes, type ReportPage } from '../../../fleet/board/routes.ts';
import { checkFleet } from '../../../fleet/check-fleet.ts';
import { type History, openExistingHistory } from '../../../history/history.ts';
import { type PastRun, storedLoad } from '../../../history/runs.ts';
import { routeTable } from '../../../listen/routes.ts';
import { listen } from '../../../listen/server.ts';
import { isLoopback, pageOrigins } from '../../../pages/guard.ts';
import { forTerminal } from '../../../report/escape.ts';
import { forOthers } from '../../../report/for-others.ts';
import { htmlReport } from '../../../report/html/html-report.ts';
import { pagePolicy } from '../../../report/html/page-head.ts';
import { loadHtml } from '../../../report/load/html.ts';
import { LOAD_STYLE } from '../../../report/load/style.ts';
import type { ReportOptions } from '../../../report/options.ts';
import { listenForInterrupt, untilAborted } from '../../interrupt.ts';
import { withDatabase } from '../../options/database.ts';
import type { FleetBoardFlags } from './flags.ts';

const TOKEN_BYTES = 16;
/** Maximum time in milliseconds for open requests to finish after the stop signal. */
const GRACE_MS = 2000;

/**
 * `croupier fleet board`: serves a web page with the results of all operators, until a signal ends it.
 *
 * @returns 0
 * @throws UsageError for a mistake in the fleet, if the history can't be used, or if the port can't be opened
 */
export async function fleetBoardCommand(flags: FleetBoardFlags, given: Stdio): Promise<number> {
  const { file, host } = flags;
  const stdio = withDatabase(given, flags.database);
  const port = readPort(flags.port);
  const publicUrl = flags.publicUrl === undefined ? undefined : readPublicUrl(flags.publicUrl, '--public-url');
  const { operators, dir } = await checkFleet(file, stdio);
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const board = new Board({
    operators,
    dir,
    openHistory: () => openExistingHistory({ dir, database: databaseIn(stdio) }),
    now: () => new Date(),
  });
  let origins: readonly string[] = [];
  const stop = listenForInterrupt(stdio, 'Stopping.\n');
  try {
    await readFirst(board);
    const routes = boardRoutes({
      board,
      token,
      origins: () => origins,
      readPage: (name) => readBytes(path.join(packageRoot(), 'dist', 'pages', name)),
      reportOf: (number) =>
        board.withRun(number, (history, run) =>
          reportPage(history, run, { cwd: dir, env: stdio.env }, reportOptions(stdio.out, stdio, null)),
        ),
    });
    const onFault = (error: unknown): void => {
      stdio.err.write(`${forTerminal(`A request to the board failed: ${String(error)}`)}\n`);
    };
    const server = await opened(() => listen(routeTable(routes), { port, host, onFault }));
    try {
      origins = pageOrigins(server.url, host, publicUrl);
      const isPublic = !isLoopback(host);
      if (isPublic)
        stdio.err.write(
          `Other machines can reach the board, because it listens on ${forTerminal(host)}. They need the token in its address.\n`,
        );
      stdio.err.write('Open the board in a browser. Stop with Ctrl-C, or SIGTERM.\n');
      stdio.out.write(`board ${(isPublic ? publicUrl : undefined) ?? server.url}/board/?token=${token}\n`);
      await untilAborted(stop.signal);
    } finally {
      await server.close(GRACE_MS);
    }
  } finally {
    stop.dispose();
    await board.close();
  }
  return 0;
}

/** Reads the history once, so that a history that can't be used is reported before the page is opened. */
async function readFirst(board: Board): Promise<void> {
  try {
    await board.overview();
  } catch (error) {
    throw new UsageError(`The history can't be used: ${whyUnreadable(error)}`, { cause: error });
  }
}

async function opened<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new UsageError(`The board can't be started: ${whyUnreadable(error)}.`, { cause: error });
  }
}

/** Makes the report of a run or a load test; undefined if its journal is no longer stored. */
async function reportPage(
  history: History,
  run: PastRun,
  place: Pick<Stdio, 'cwd' | 'env'>,
  options: ReportOptions,
): Promise<ReportPage | undefined> {
  if (run.kind === 'load') {
    if (run.evidence === null) return undefined;
    return { html: loadHtml(await storedLoad(history, run.number)), policy: pagePolicy({ style: LOAD_STYLE }) };
  }
  const stored = await openStoredRun(history, run, place.cwd);
  if (!stored) return undefined;
  const { fold, open, journal } = stored;
  const past = await pastVerdictsOf(fold.run, place);
  let html = '';
  for await (const piece of forOthers(htmlReport)(fold, open, inFile({ ...options, journal, past }))) html += piece;
  return { html, policy: pagePolicy(options.page()) };
}
