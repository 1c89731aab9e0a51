import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../folder/make-folder.ts';
import type { Fold } from '../journal/fold.ts';
import { REPORT_FORMS, REPORT_KINDS } from '../report/exports/kinds.ts';
import type { OpenJournal, Report, ReportOptions } from '../report/options.ts';
import { nearest } from '../scenario/near.ts';
import type { BaselineChange } from './baseline-changes.ts';
import { UsageError } from './exit-status.ts';
import { type InputKind, refuseInputFile } from './input-files.ts';
import { whileLocked } from './lock/file-lock.ts';

/** One report that the user requested on the command line, such as `junit=report.xml`. */
export interface ReportRequest {
  readonly kind: string;
  readonly report: Report;
  readonly file: string;
}

const CLIENT = '{client}';

/**
 * Reads the values of `--report` or `--to`. One value may request several reports, such as
 * `har=calls.har,curl=calls.sh`.
 *
 * @throws UsageError for an unknown kind, a missing file name, or two reports in one file
 */
export function readReportRequests(words: readonly string[], flag: string): readonly ReportRequest[] {
  const reports = words.flatMap((word) => word.split(/,(?=[a-z-]+=)/)).map((text) => readReportRequest(text, flag));
  const files = new Map<string, string>();
  for (const { kind, file } of reports) {
    const other = files.get(path.normalize(file));
    if (other !== undefined && file !== '-')
      throw new UsageError(
        `${flag}: ${other} and ${kind} would both be written to ${file}. Give each report its own file.`,
      );
    files.set(path.normalize(file), kind);
  }
  return reports;
}

function readReportRequest(text: string, flag: string): ReportRequest {
  const at = text.indexOf('=');
  const kind = at < 0 ? text : text.slice(0, at);
  const value = at < 0 ? '' : text.slice(at + 1);
  const usual = Object.hasOwn(REPORT_KINDS, kind) ? REPORT_KINDS[kind] : undefined;
  if (!usual) {
    const kinds = Object.keys(REPORT_KINDS);
    const near = nearest(kind, kinds);
    const help = near === undefined ? `The kinds are ${kinds.join(', ')}.` : `Did you mean ${near}?`;
    throw new UsageError(`${flag} ${text}: there is no report kind ${kind}. ${help}`);
  }
  const forms = REPORT_FORMS[kind];
  const [file, form] = forms ? withForm(value) : [value, undefined];
  const report = form === undefined ? usual : forms?.[form];
  if (!report)
    throw new UsageError(
      `${flag} ${text}: the report ${kind} has no option ${form}. Possible: ${Object.keys(forms ?? {}).join(', ')}.`,
    );
  if (file === '')
    throw new UsageError(`${flag} ${text}: the file name is missing. Write it as in ${flag} ${kind}=report.${kind}`);
  return { kind, report, file };
}

/** Separates the option from the file name, as in `report.xml,strict`. */
function withForm(value: string): readonly [file: string, form: string | undefined] {
  const at = value.lastIndexOf(',');
  return at < 0 ? [value, undefined] : [value.slice(0, at), value.slice(at + 1)];
}

/**
 * Replaces `{client}` in a file name by the ExtCID. Characters of the ExtCID that a file name can't contain become `_`.
 */
export function fileForClient(file: string, extCID: string): string {
  return file.replaceAll(CLIENT, extCID.replace(/[^A-Za-z0-9._-]/g, '_'));
}

/**
 * Refuses a file name that several clients would write to.
 *
 * @throws UsageError unless the name contains `{client}` or there is only one client
 */
export function refuseSharedFile(file: string, flag: string, clientCount: number): void {
  if (clientCount < 2 || file.includes(CLIENT)) return;
  const { dir, name, ext } = path.parse(file);
  const better = path.join(dir, `${name}-${CLIENT}${ext}`);
  throw new UsageError(
    `${flag}: ${clientCount} clients are judged, and each would overwrite ${file}. Write ${better}, or choose one with --client.`,
  );
}

/**
 * Refuses to overwrite the journal that a report is made from.
 *
 * @param flag the flag that named the file, for the message
 * @param kept the absolute paths of the journals
 * @throws UsageError when the file is one of the journals
 */
export function refuseOverwriting(file: string, flag: string, kept: readonly string[]): void {
  if (kept.includes(file))
    throw new UsageError(
      `${flag}: ${file} is the journal from which the report is made, so it must not be overwritten. Name another file.`,
    );
}

/**
 * Refuses a file in a missing folder outside the working directory, because such a path is probably mistyped. Inside the working
 * directory, croupier creates missing folders.
 *
 * @param flag the flag that named the file, for the message
 * @throws UsageError
 */
export function refuseMissingFolder(file: string, flag: string, cwd: string): void {
  const folder = path.dirname(path.resolve(cwd, file));
  const isInside = !path.relative(cwd, folder).startsWith('..') && !path.isAbsolute(path.relative(cwd, folder));
  if (isInside || statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new UsageError(
    `${flag}: there is no folder ${folder}, and outside the working directory croupier creates none. Create the folder, or name another file. Nothing was sent.`,
  );
}

/** Returns the kind of a report's file. Undefined if croupier does not read files of this kind. */
export function writtenKind({ kind }: Pick<ReportRequest, 'kind'>): InputKind | undefined {
  return kind === 'baseline' ? 'a baseline' : undefined;
}

/** Only the owner may read what croupier writes, because a report shows sessions, players and balances. */
const MODE = 0o600;

/**
 * Writes a report. If the file is a baseline and exists, brings this baseline up to date. Every other file is replaced. Two processes,
 * or two clients of one run, may update the same baseline. They do this one after the other.
 *
 * @param file the absolute path of the file to write
 * @param scrub removes secrets from the text
 * @returns the changes of a baseline that was brought up to date. Undefined for every other report
 * @throws UsageError if the file is to be a baseline and contains something else; the system's error when it can't be written
 */
export async function writeReport(
  request: ReportRequest,
  { fold, open }: { readonly fold: Fold; readonly open: OpenJournal },
  file: string,
  options: ReportOptions,
  scrub: (text: string) => string,
): Promise<readonly BaselineChange[] | undefined> {
  const { kind, report, file: shown } = request;
  const write = (pieces: AsyncIterable<string> | Iterable<string>) =>
    writeWhole(file, scrubbed(pieces, scrub), writtenKind(request));
  if (kind !== 'baseline' || !isRegular(file)) {
    await write(report(fold, open, options));
    return undefined;
  }
  return await whileLocked(file, async () => {
    if (!existsSync(file)) {
      await write(report(fold, open, options));
      return undefined;
    }
    const { mergeBaseline } = await import('./baseline-merge.ts');
    const { text, changes } = mergeBaseline(readFileSync(file, 'utf8'), shown, fold);
    await write([text]);
    return changes;
  });
}

async function* scrubbed(
  pieces: AsyncIterable<string> | Iterable<string>,
  scrub: (text: string) => string,
): AsyncGenerator<string> {
  for await (const piece of pieces) yield scrub(piece);
}

/**
 * Writes a file completely or not at all, so that only its owner can read it. If the path is a device or a pipe, writes each piece
 * as soon as it exists.
 *
 * @param written the kind of the file if it is one that croupier also reads, such as a scenario
 * @throws UsageError if there is a file of another kind that somebody wrote by hand; the system's error when the file can't be
 * written
 */
export async function writeWhole(
  file: string,
  pieces: AsyncIterable<string> | Iterable<string>,
  written?: InputKind,
): Promise<void> {
  refuseInputFile(file, written);
  makeFolder(path.dirname(file));
  // A rename would replace a device, a pipe or a link with a regular file. So croupier writes to such a file directly.
  if (!isRegular(file)) return writeInto(openSync(file, 'w', MODE), pieces);
  const draft = await draftWhole(file, pieces, written);
  draft.commit();
}

/** The finished content of a file. It is still in a temporary file, or in memory. */
export interface Draft {
  /** Puts the content in its place. @throws the system's error */
  commit(): void;
  discard(): void;
}

/**
 * Writes the content to a temporary file in the same folder. So several files can be written together or not at all. For a
 * device, a pipe or a link, keeps the content in memory.
 *
 * @param written the kind of the file if it is one that croupier also reads, such as a scenario
 * @throws UsageError if there is a file of another kind that somebody wrote by hand; the system's error when the content can't be
 * written
 */
export async function draftWhole(
  file: string,
  pieces: AsyncIterable<string> | Iterable<string>,
  written?: InputKind,
): Promise<Draft> {
  refuseInputFile(file, written);
  makeFolder(path.dirname(file));
  if (!isRegular(file)) {
    const held: string[] = [];
    for await (const piece of pieces) held.push(piece);
    return { commit: () => writeFileSync(file, held.join(''), { mode: MODE }), discard: () => {} };
  }
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(4).toString('hex')}`);
  const discard = (): void => rmSync(draft, { force: true });
  const descriptor = openSync(draft, 'wx', MODE);
  try {
    await writeInto(descriptor, pieces);
  } catch (error) {
    discard();
    throw error;
  }
  const commit = (): void => {
    try {
      renameSync(draft, file);
    } catch (error) {
      discard();
      throw error;
    }
  };
  return { commit, discard };
}

/** True if there is a regular file at the path, or nothing. */
export function isRegular(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() !== false;
}

async function writeInto(descriptor: number, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
  try {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    }
  } finally {
    closeSync(descriptor);
  }
}
