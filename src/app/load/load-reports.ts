import path from 'node:path';
import type { LoadResult } from '../../journal/load/result.ts';
import { loadHgrm } from '../../report/load/hgrm.ts';
import { loadHtml } from '../../report/load/html.ts';
import { nearest } from '../../scenario/near.ts';
import { EXIT, UsageError } from '../exit-status.ts';
import { whyUnreadable } from '../files.ts';
import { fileForClient, isRegular, writeWhole } from '../report-files.ts';
import type { Stdio } from '../stdio.ts';

const KINDS: Readonly<Record<string, (result: LoadResult) => string>> = {
  json: (result) => `${JSON.stringify(result, null, 2)}\n`,
  html: loadHtml,
  hgrm: loadHgrm,
};

/** One report that the user requested, such as `html=load.html`. */
export interface LoadReport {
  readonly kind: string;
  readonly write: (result: LoadResult) => string;
  /** The name of the file; `-` for stdout. */
  readonly file: string;
}

/**
 * Reads the values of the flag that requests reports of a load test.
 *
 * @param flag the name of the flag, for messages
 * @throws UsageError for an unknown kind, a missing file name, or two reports in one file
 */
export function readLoadReports(words: readonly string[], flag: '--report' | '--to'): readonly LoadReport[] {
  const reports = words.flatMap((word) => word.split(/,(?=[a-z-]+=)/)).map((text) => readLoadReport(text, flag));
  const files = reports.map(({ file }) => path.normalize(file));
  const twice = files.find((file, at) => files.indexOf(file) !== at);
  if (twice !== undefined)
    throw new UsageError(`${flag}: two reports would be written to ${twice}. Give each report its own file.`);
  return reports;
}

function readLoadReport(text: string, flag: string): LoadReport {
  const [kind = '', ...rest] = text.split('=');
  const file = rest.join('=');
  const write = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!write) {
    const near = nearest(kind, Object.keys(KINDS));
    const help = near === undefined ? `The kinds are ${Object.keys(KINDS).join(', ')}.` : `Did you mean ${near}?`;
    throw new UsageError(`${flag} ${text}: there is no report kind ${kind} of a load test. ${help}`);
  }
  if (file === '')
    throw new UsageError(`${flag} ${text}: the file name is missing. Write ${flag} ${kind}=load.${kind}`);
  return { kind, write, file };
}

/**
 * Writes the requested reports.
 *
 * @returns an exit status for each report that could not be written
 */
export async function writeLoadReports(
  reports: readonly LoadReport[],
  result: LoadResult,
  scrub: (text: string) => string,
  { cwd, out, err }: Stdio,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const { kind, write, file } of reports) {
    if (file === '-') {
      out.write(scrub(write(result)));
      continue;
    }
    const target = path.resolve(cwd, fileForClient(file, result.client.extCID));
    try {
      await writeWhole(target, [scrub(write(result))]);
    } catch (error) {
      err.write(`The ${kind} report can't be written: ${target}: ${whyUnreadable(error)}.\n`);
      statuses.push(EXIT.USAGE);
    }
  }
  return statuses;
}

/**
 * Writes the requested files of a load test that was interrupted and still completes its rounds. If the CI system kills croupier
 * before the end, these files stay. Otherwise, `writeLoadReports` replaces them.
 */
export async function writeLoadReportsSoFar(
  reports: readonly LoadReport[],
  result: LoadResult,
  scrub: (text: string) => string,
  cwd: string,
): Promise<void> {
  for (const { write, file } of reports) {
    const target = path.resolve(cwd, fileForClient(file, result.client.extCID));
    // A program that reads a pipe would get both reports.
    if (!isRegular(target)) continue;
    try {
      await writeWhole(target, [scrub(write(result))]);
    } catch {
      // `writeLoadReports` writes the same file again, and prints the reason if it can't.
    }
  }
}
