import { closeSync, createWriteStream, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Configuration, loadConfiguration } from '../../../app/config/configuration.ts';
import { callPaths, knownSessions, signingKeys } from '../../../app/config/recorded-calls.ts';
import { UndecidedError, UsageError } from '../../../app/exit-status.ts';
import { fileChunks } from '../../../app/file-chunks.ts';
import { bodyFilesIn, whyUnreadable } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { plural } from '../../../contract/plural.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { forTerminal } from '../../../report/escape.ts';
import { ANSI, PLAIN } from '../../../report/paint.ts';
import { nearest } from '../../../scenario/near.ts';
import type { CallSelection } from '../../../traffic/call-selection.ts';
import type { KeysOf } from '../../../traffic/calls/signature.ts';
import type { Side } from '../../../traffic/logged-exchange.ts';
import {
  firstTime,
  type GatheredCalls,
  gatherCalls,
  isLarge,
  MAX_OTHER_CALLS,
  type ReopenableSource,
} from '../../../traffic/read/gather.ts';
import { LOG_FIELDS, type LogField, type LogForm, logForm } from '../../../traffic/read/logs/log-form.ts';
import { readTime, readZone } from '../../../traffic/read/logs/time.ts';
import { namedIDs } from '../../../traffic/read/named-ids.ts';
import { unreadClauses } from '../../../traffic/read/unread.ts';
import type { CallPaths } from '../../../traffic/recorded-call.ts';
import { buildTimeline, type IncidentTimeline } from '../../../traffic/timeline/timeline.ts';
import { timelineByWallet } from '../../../traffic/timeline/timeline-by-wallet.ts';
import type { IncidentFlags } from './flags.ts';
import { linePattern } from './line-pattern.ts';
import { whyNoneSelected } from './not-selected.ts';
import { incidentText } from './text.ts';

/**
 * `croupier incident`: reads logs and other records, and explains what happened and where the money is.
 *
 * @returns 0 if nothing is wrong, 1 if a rule was broken, something is owed or the service is at fault, 3 if undecided
 */
export async function incidentCommand(files: readonly string[], flags: IncidentFlags, stdio: Stdio): Promise<number> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { keysOf, secrets, remarks } = await signingKeys(flags, stdio);
  const reading = await readTimeline(files, flags, configuration, stdio, keysOf);
  const { timeline, gathered } = reading;
  const notes = [...reading.notes, ...remarks];
  const scrub = createScrubber([...configuration.secrets, ...secrets]);
  const text = flags.json
    ? await jsonText(reading, notes)
    : incidentText(timeline, gathered, stdio.out.colour ? ANSI : PLAIN, {
        notes,
        isVerbose: flags.verbose !== undefined,
      });
  stdio.out.write(scrub(text));
  return timeline.status;
}

/** Returns the output of `--json`. Its schema takes long to load, so it is loaded only if it is needed. */
async function jsonText({ timeline, gathered, files }: ReadTimeline, notes: readonly string[]): Promise<string> {
  const { incidentJson } = await import('../../../traffic/timeline/incident-json.ts');
  return `${JSON.stringify(incidentJson(timeline, gathered, files, notes), null, 2)}\n`;
}

/** The selected calls, and the timeline that was built from them. */
export interface ReadTimeline {
  readonly timeline: IncidentTimeline;
  readonly gathered: GatheredCalls;
  /** The paths of the files as the user wrote them. */
  readonly files: readonly string[];
  /** Sentences about assumptions, such as the time zone of times without one. */
  readonly notes: readonly string[];
}

/**
 * Reads files and builds the timeline of the calls that the flags select.
 *
 * @throws UsageError when the files have no call, or the flags select none
 * @throws UndecidedError when no call was found, but lines that can't be read may be calls
 */
export async function readTimeline(
  files: readonly string[],
  flags: IncidentFlags,
  configuration: Configuration,
  stdio: Stdio,
  keysOf?: KeysOf,
): Promise<ReadTimeline> {
  const form = formOf(flags, configuration);
  const folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  try {
    const sources = await sourcesOf(files, flags, form, stdio, folder);
    const known = knownSessions(configuration);
    const zone = flags.zone ?? configuration.config.logs?.zone ?? 'UTC';
    const { selection, notes } = await selectionOf(flags, form, sources);
    const paths = callPaths(configuration);
    const { gathered, timeline } = await reading(
      async () => await judged(sources, selection, known, keysOf, { paths, folder }),
    );
    if (timeline.calls.length === 0 && timeline.wallets.length === 0) {
      const isIdentified = gathered.total > 0 && gathered.nameless < gathered.total;
      const ids = isIdentified ? await reading(() => namedIDs(sources, known, paths)) : null;
      throw noCalls(gathered, ids === null ? null : whyNoneSelected(selection, ids));
    }
    return {
      timeline,
      gathered,
      files: sources.map(({ file }) => file),
      notes: [...notes, ...zoneNotes(gathered, zone), ...dateNotes(gathered), ...lostNotes(gathered)],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the calls and builds their timeline: wallet by wallet if there are more calls than fit in memory. */
async function judged(
  sources: readonly ReopenableSource[],
  selection: CallSelection,
  known: ReturnType<typeof knownSessions>,
  keysOf: KeysOf | undefined,
  { paths, folder }: { readonly paths: CallPaths; readonly folder: string },
): Promise<{ readonly gathered: GatheredCalls; readonly timeline: IncidentTimeline }> {
  const isAll = Object.values(selection).every((value) => value === undefined);
  const byWallet =
    isAll && isLarge(sources)
      ? await timelineByWallet(sources, known, keysOf, { paths, folder, mayGuess: true })
      : null;
  if (byWallet) return byWallet;
  const gathered = await gatherCalls(sources, selection, known, paths);
  const many = isAll && gathered.isCut ? await timelineByWallet(sources, known, keysOf, { paths, folder }) : null;
  if (many) return many;
  const { calls, judgements, usedElsewhere, otherCalls, lostOtherCalls } = gathered;
  const facts = { unread: unreadClauses(gathered), judgements, usedElsewhere, otherCalls, lostOtherCalls };
  return { gathered, timeline: buildTimeline(calls, selection, known, keysOf, facts) };
}

function zoneNotes({ zoneless }: GatheredCalls, zone: string): readonly string[] {
  if (zoneless === 0) return [];
  const entries =
    zoneless === 1 ? '1 log entry has a time without a zone' : `${zoneless} log entries have a time without a zone`;
  return [`${entries}. croupier assumes the zone ${zone} (--zone).`];
}

function dateNotes({ dateless }: GatheredCalls): readonly string[] {
  if (dateless === 0) return [];
  const entries = dateless === 1 ? '1 log entry has' : `${dateless} log entries have`;
  return [`${entries} a time of day without a date. croupier uses the order of the lines in the file instead.`];
}

function lostNotes({ lostOtherCalls }: GatheredCalls): readonly string[] {
  return lostOtherCalls.map(
    ({ first, count }) =>
      `${plural(count, 'call')} of other providers in ${first.file} ${count === 1 ? 'was' : 'were'} left out (the first is in line ${first.line}), because croupier keeps only ${MAX_OTHER_CALLS} such calls. Debts that such a call may explain are not known.`,
  );
}

/** Reads files. @throws UsageError when a file can't be read */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      throw new UsageError(`The files can't be read: ${whyUnreadable(error)}.`, { cause: error });
    }
    throw error;
  }
}

/** Opens the files. Standard input is copied to a temporary file, because a search for a player reads all input twice. */
async function sourcesOf(
  files: readonly string[],
  flags: IncidentFlags,
  form: LogForm,
  stdio: Stdio,
  folder: string,
): Promise<readonly ReopenableSource[]> {
  const named = [
    ...files.map((file) => ({ file, side: null })),
    ...(flags.service ?? []).map((file) => ({ file, side: 'service' as const })),
    ...(flags.operator ?? []).map((file) => ({ file, side: 'operator' as const })),
  ];
  if (named.length === 0) {
    if (stdio.stdinIsTty) throw new UsageError('Nothing to read: name a file, or - for standard input.');
    named.push({ file: '-', side: null });
  }
  if (named.filter(({ file }) => file === '-').length > 1)
    throw new UsageError('Standard input (-) can be read only once.');
  return Promise.all(named.map((each) => sourceOf(each, form, stdio, folder)));
}

async function sourceOf(
  { file, side }: { readonly file: string; readonly side: Side | null },
  form: LogForm,
  stdio: Stdio,
  folder: string,
): Promise<ReopenableSource> {
  if (file !== '-') {
    const whole = path.resolve(stdio.cwd, file);
    checkReadable(whole, file);
    const { size: bytes } = statSync(whole);
    return {
      file,
      side,
      form,
      bytes,
      beside: bodyFilesIn(path.dirname(whole)),
      open: () => fileChunks(whole),
    };
  }
  const copy = path.join(folder, 'stdin');
  await pipeline(process.stdin, createWriteStream(copy, { mode: 0o600 }));
  const { size: bytes } = statSync(copy);
  return {
    file: 'standard input',
    side,
    form,
    bytes,
    beside: bodyFilesIn(stdio.cwd),
    open: () => fileChunks(copy),
  };
}

function checkReadable(whole: string, shown: string): void {
  try {
    if (statSync(whole).isDirectory()) throw new UsageError(`${shown} is a folder. Name the files in it.`);
    closeSync(openSync(whole, 'r'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown} can't be read: ${whyUnreadable(error)}.`, { cause: error });
  }
}

function formOf(flags: IncidentFlags, { config }: Configuration): LogForm {
  const logs = config.logs;
  const zoneName = flags.zone ?? logs?.zone;
  const zone = zoneName === undefined ? undefined : readZone(zoneName);
  if (zoneName !== undefined && zone === undefined) {
    throw new UsageError(
      `--zone: there is no time zone ${zoneName}. Write a name like Europe/Berlin, or an offset like +01:00.`,
    );
  }
  const fields: Partial<Record<LogField, string | readonly string[]>> = { ...logs?.fields };
  for (const word of flags.field ?? []) {
    const [, name = '', where = ''] = /^([^=]*)=(.+)$/.exec(word) ?? [];
    const field = LOG_FIELDS.find((known) => known === name);
    if (field === undefined || where === '') throw new UsageError(fieldDiagnostic(word, name));
    fields[field] = where.split(',');
  }
  const pattern = flags.pattern ?? logs?.pattern;
  return logForm({ zone, side: logs?.side, fields, pattern: pattern === undefined ? undefined : linePattern(pattern) });
}

function fieldDiagnostic(word: string, name: string): string {
  const meant = nearest(name, LOG_FIELDS);
  const hint = meant === undefined ? `The fields are: ${LOG_FIELDS.join(', ')}.` : `Did you mean ${meant}?`;
  return `--field ${word}: write it as FIELD=PATH, such as session=user.session. ${hint}`;
}

/** Reads the flags that select calls. A time without a date belongs to the first day in the files. */
async function selectionOf(
  { player, session, round, tx, from, to }: IncidentFlags,
  form: LogForm,
  sources: readonly ReopenableSource[],
): Promise<{ readonly selection: CallSelection; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const clock = /^\d\d:\d\d(:\d\d)?$/;
  const needsDay = [from, to].some((text) => text !== undefined && clock.test(text));
  const first = needsDay ? await firstTime(sources) : null;
  if (needsDay && first === null)
    throw new UsageError(
      'The files contain no date, so a time of day is not enough. Write the date, too, as in 2026-11-21T14:03.',
    );
  const day = new Date(first?.ms ?? 0).toISOString().slice(0, 10);
  const read = (flag: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const time = readTime(clock.test(text) ? `${day} ${text}` : text, form.zone);
    if (!time)
      throw new UsageError(
        `${flag} ${text}: write a time such as 14:03, 2026-11-21T14:03 or 2026-11-21T14:03:07+01:00.`,
      );
    // A time range includes the whole last unit of its end: `--to 14:10` means up to 14:10:59.999.
    return flag === '--to' ? time.ms + time.precisionMs - 1 : time.ms;
  };
  const fromMs = read('--from', from);
  const toMs = read('--to', to);
  if (needsDay) notes.push(`croupier reads a time of day as a time on ${day}, the first day in the files.`);
  return { selection: { player, session, round, tx, fromMs, toMs }, notes };
}

const FIELDS_HINT =
  " If the fields of JSON lines have other names, give these names with --field (--field session=user.sid). Read lines of text with --pattern '… (?<session>\\S+) …' (croupier incident --help).";

/** @param why why the selection matches no call; null if that is not known */
function noCalls(gathered: GatheredCalls, why: string | null): Error {
  const text = forTerminal(noCallsText(gathered, why));
  const isUnread = gathered.total === 0 && gathered.unreadCalls.count > 0;
  return isUnread ? new UndecidedError(text) : new UsageError(text);
}

function noCallsText(
  { total, unreadableCount, unreadable, unreadCalls, others, nameless }: GatheredCalls,
  why: string | null,
): string {
  if (total === 0) {
    const [unread] = unreadCalls.first;
    if (unread) {
      const lines =
        unreadCalls.count === 1 ? '1 line that may be a call' : `${unreadCalls.count} lines that may be calls`;
      return `croupier found no call of the service in the files, but could not read ${lines}. The first one is ${unread.place.file}:${unread.place.line}: ${unread.why}.${unread.why.includes('looks like') ? '' : FIELDS_HINT}`;
    }
    const [first] = unreadable;
    if (first === undefined && others === 0)
      return 'The files are empty, so there is no call to read. Give the log of the service or of the operator.';
    const lines =
      first === undefined
        ? ''
        : ` Lines that can't be read: ${unreadableCount}. The first one is ${first.place.file}:${first.place.line}: ${first.why}.`;
    const hint = first !== undefined && others === 0 && unreadableCount === 1 && first.text === null ? '' : FIELDS_HINT;
    return `The files have no call of the service (${plural(others, 'other entry', 'other entries')}).${lines}${hint}`;
  }
  if (nameless === total) {
    return `${total === 1 ? 'The only call does not name' : `None of the ${total} calls names`} a session or a transaction. The log must contain the bodies of the calls, or have separate fields for the session and the transaction (--field session=…).`;
  }
  return `${total === 1 ? 'The only call is not' : `None of the ${total} calls is`} selected.${why === null ? '' : ` ${why}`}`;
}
