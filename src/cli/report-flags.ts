import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../engine/folder.ts';
import { REPORT_KINDS } from '../report/kinds.ts';
import type { Report } from '../report/options.ts';
import { nearest } from '../scenario/near.ts';
import { UsageError } from './usage-error.ts';

/** One `KIND=FILE` of the command line. */
export interface ReportWish {
  readonly kind: string;
  readonly report: Report;
  readonly file: string;
}

const CLIENT = '{client}';

/**
 * The reports that were asked for; one word may ask for several, as `har=calls.har,curl=calls.sh`.
 *
 * @throws UsageError that names the kinds, or the nearest one, and for two reports in one file
 */
export function readReportWishes(words: readonly string[], flag: string): readonly ReportWish[] {
  const wishes = words.flatMap((word) => word.split(/,(?=[a-z-]+=)/)).map((text) => readReportWish(text, flag));
  const files = new Map<string, string>();
  for (const { kind, file } of wishes) {
    const other = files.get(path.normalize(file));
    if (other !== undefined && file !== '-')
      throw new UsageError(
        `${flag}: ${other} and ${kind} would both be written to ${file}. Give each a file of its own.`,
      );
    files.set(path.normalize(file), kind);
  }
  return wishes;
}

function readReportWish(text: string, flag: string): ReportWish {
  const at = text.indexOf('=');
  const kind = at < 0 ? text : text.slice(0, at);
  const file = at < 0 ? '' : text.slice(at + 1);
  const report = Object.hasOwn(REPORT_KINDS, kind) ? REPORT_KINDS[kind] : undefined;
  if (!report) {
    const kinds = Object.keys(REPORT_KINDS);
    const near = nearest(kind, kinds);
    const help = near === undefined ? `The kinds are ${kinds.join(', ')}.` : `Did you mean ${near}?`;
    throw new UsageError(`${flag} ${text}: there is no report of the kind ${kind}. ${help}`);
  }
  if (file === '') throw new UsageError(`${flag} ${text}: name the file too, as in ${flag} ${kind}=report.${kind}`);
  return { kind, report, file };
}

/** The client's own file where the name holds `{client}`; letters that a file name can't have become `_`. */
export function fileForClient(file: string, extCID: string): string {
  return file.replaceAll(CLIENT, extCID.replace(/[^A-Za-z0-9._-]/g, '_'));
}

/** @throws UsageError when several clients would write one file */
export function refuseSharedFile(file: string, flag: string, clientCount: number): void {
  if (clientCount < 2 || file.includes(CLIENT)) return;
  const { dir, name, ext } = path.parse(file);
  const better = path.join(dir, `${name}-${CLIENT}${ext}`);
  throw new UsageError(
    `${flag}: ${clientCount} clients are judged, and each would overwrite ${file}. Write ${better}, or choose one with --client.`,
  );
}

/**
 * Nothing that a report is made from is written over.
 *
 * @param flag what named the file
 * @param kept absolute paths
 * @throws UsageError when the file is one of them
 */
export function refuseOverwriting(file: string, flag: string, kept: readonly string[]): void {
  if (kept.includes(file))
    throw new UsageError(`${flag}: ${file} is the journal that it is made from, and would be lost. Name another file.`);
}

/**
 * Writes a file so that it is there whole or not at all; into what is no file, such as a device, as far as it goes.
 *
 * @throws what the system says when it can't be written
 */
export async function writeWhole(file: string, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
  makeFolder(path.dirname(file));
  // A device, a pipe or a link is written to: a new file in its place would be the end of it.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return writeInto(openSync(file, 'w'), pieces);
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(4).toString('hex')}`);
  const descriptor = openSync(draft, 'wx');
  try {
    await writeInto(descriptor, pieces);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
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
