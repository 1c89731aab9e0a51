import path from 'node:path';
import { jsonReport } from '../report/json.ts';
import type { ReportOptions } from '../report/options.ts';
import { ANSI, PLAIN } from '../report/paint.ts';
import { terminalReport } from '../report/terminal.ts';
import { tellFault } from './bug.ts';
import { shownPath, whyUnreadable } from './configuration.ts';
import { repositoryFile } from './github.ts';
import { readBytes } from './package-files.ts';
import { packageRoot } from './package-root.ts';
import type { Played } from './play.ts';
import { fileForClient, type ReportWish, writeWhole } from './report-flags.ts';
import { sourceLines } from './source-lines.ts';
import { type Sink, type Stdio, showsUnicode } from './stdio.ts';

const UNWRITTEN_STATUS = 2;
/** More of one scenario are seldom read, and a report must stay readable. */
const EXCHANGES_PER_SCENARIO = 200;

export interface Publication {
  readonly extCID: string;
  /** The JSON report on stdout instead of the one for people. */
  readonly json: boolean;
  readonly wishes: readonly ReportWish[];
  readonly scrub: (text: string) => string;
}

/** Prints the report, then writes those that were asked for. Gives statuses beside that of the run. */
export async function publish(
  played: Played,
  { extCID, json, wishes, scrub }: Publication,
  stdio: Stdio,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  const { fold, open } = played;
  const options = reportOptions(stdio.out, stdio, shownPath(played.journal, stdio.cwd));
  for await (const piece of (json ? jsonReport : terminalReport)(fold, open, options)) stdio.out.write(scrub(piece));
  for (const wish of wishes) {
    const file = path.resolve(stdio.cwd, fileForClient(wish.file, extCID));
    try {
      await writeWhole(file, scrubbed(wish.report(fold, open, { ...options, paint: PLAIN }), scrub));
    } catch (error) {
      stdio.err.write(
        `The ${wish.kind} report can't be written: ${file}: ${whyUnreadable(error)}. The journal has everything: ${played.journal}\n`,
      );
      statuses.push(UNWRITTEN_STATUS);
    }
  }
  if (played.failure !== undefined) statuses.push(tellFault(played.failure, stdio));
  return statuses;
}

async function* scrubbed(pieces: AsyncIterable<string>, scrub: (text: string) => string): AsyncGenerator<string> {
  for await (const piece of pieces) yield scrub(piece);
}

/** How reports are written for a stream. @param journal where it is, if that is worth saying */
export function reportOptions(sink: Sink, stdio: Stdio, journal: string | null): ReportOptions {
  return {
    paint: sink.colour ? ANSI : PLAIN,
    width: sink.columns,
    unicode: showsUnicode(stdio.env),
    verbose: false,
    readLine: sourceLines([stdio.cwd, packageRoot()]),
    repositoryFile: repositoryFile(stdio),
    journal,
    exchangesPerScenario: EXCHANGES_PER_SCENARIO,
    page: () => ({ style: pageText('report.css'), script: pageText('report.js') }),
  };
}

function pageText(name: string): string {
  return new TextDecoder().decode(readBytes(path.join(packageRoot(), 'dist', 'pages', name)));
}
