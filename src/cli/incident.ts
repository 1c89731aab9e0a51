import { closeSync, createReadStream, createWriteStream, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { firstTime, type Gathering, gather, type Readable } from '../incident/gather.ts';
import { incidentJson } from '../incident/incident-json.ts';
import { LOG_FIELDS, type LogField, type LogForm, logForm } from '../incident/read/log-form.ts';
import { readTime, readZone } from '../incident/read/time.ts';
import type { Side } from '../incident/seen.ts';
import type { CallPaths } from '../incident/seen-call.ts';
import type { KeysOf } from '../incident/story/signature.ts';
import { type KnownSession, type Selection, type Story, tellStory } from '../incident/story/story.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { forTerminal } from '../report/escape.ts';
import { ANSI, PLAIN } from '../report/paint.ts';
import { nearest } from '../scenario/near.ts';
import { besideIn } from './beside.ts';
import { type Configuration, loadConfiguration, whyUnreadable } from './configuration.ts';
import { incidentText } from './incident-text.ts';
import { callPaths, knownSessions } from './known-calls.ts';
import { signingKeys } from './signing-keys.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface IncidentFlags {
  readonly player?: string;
  readonly session?: string;
  readonly round?: string;
  readonly tx?: string;
  readonly from?: string;
  readonly to?: string;
  readonly service?: readonly string[];
  readonly operator?: readonly string[];
  readonly zone?: string;
  readonly field?: readonly string[];
  readonly pattern?: string;
  readonly config?: string;
  readonly keyFile?: readonly string[];
  readonly json?: boolean;
}

/**
 * `croupier incident`: what happened, and whose money is where, from what others wrote down.
 *
 * @returns 0: nothing is wrong; 1: a rule was broken or something is owed; 3: it can't be known
 */
export async function incidentCommand(files: readonly string[], flags: IncidentFlags, stdio: Stdio): Promise<number> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { keysOf, secrets, remarks } = await signingKeys(flags, stdio);
  const reading = await readStory(files, flags, configuration, stdio, keysOf);
  const { story, gathering, files: read } = reading;
  const notes = [...reading.notes, ...remarks];
  const scrub = createScrubber([...configuration.secrets, ...secrets]);
  const text = flags.json
    ? `${JSON.stringify(incidentJson(story, gathering, read), null, 2)}\n`
    : incidentText(story, gathering, stdio.out.colour ? ANSI : PLAIN, notes);
  stdio.out.write(scrub(text));
  return story.status;
}

/** What was read of the calls that are asked for, and what they tell. */
export interface ReadStory {
  readonly story: Story;
  readonly gathering: Gathering;
  /** What was read, as it was named. */
  readonly files: readonly string[];
  /** What was taken for granted, for the reader. */
  readonly notes: readonly string[];
}

/** Reads files and tells of the calls that the flags ask for. @throws UsageError where there is none */
export async function readStory(
  files: readonly string[],
  flags: IncidentFlags,
  configuration: Configuration,
  stdio: Stdio,
  keysOf?: KeysOf,
): Promise<ReadStory> {
  const form = formOf(flags, configuration);
  const folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  try {
    const sources = await sourcesOf(files, flags, form, stdio, folder);
    const known = knownSessions(configuration);
    const zone = flags.zone ?? configuration.config.logs?.zone ?? 'UTC';
    const { selection, notes } = await selectionOf(flags, form, sources);
    const gathering = await readAll(sources, selection, known, callPaths(configuration));
    const story = tellStory(gathering.calls, selection, known, keysOf);
    if (story.calls.length === 0) throw new UsageError(forTerminal(nothingText(gathering, flags)));
    return {
      story,
      gathering,
      files: sources.map(({ file }) => file),
      notes: [...notes, ...zoneNotes(gathering, zone)],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function zoneNotes({ zoneless }: Gathering, zone: string): readonly string[] {
  if (zoneless === 0) return [];
  const times =
    zoneless === 1
      ? '1 time without a zone was taken for one'
      : `${zoneless} times without a zone were taken for those`;
  return [`${times} of ${zone} (--zone).`];
}

async function readAll(
  sources: readonly Readable[],
  selection: Selection,
  known: ReadonlyMap<string, KnownSession>,
  paths: CallPaths,
): Promise<Gathering> {
  try {
    return await gather(sources, selection, known, paths);
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      throw new UsageError(`What is to be read broke off: ${whyUnreadable(error)}.`, { cause: error });
    }
    throw error;
  }
}

/** Files are read twice where somebody is looked for, so standard input is kept in one for as long as it takes. */
async function sourcesOf(
  files: readonly string[],
  flags: IncidentFlags,
  form: LogForm,
  stdio: Stdio,
  folder: string,
): Promise<readonly Readable[]> {
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
): Promise<Readable> {
  if (file !== '-') {
    const whole = path.resolve(stdio.cwd, file);
    checkReadable(whole, file);
    return { file, side, form, beside: besideIn(path.dirname(whole)), open: () => createReadStream(whole) };
  }
  const copy = path.join(folder, 'stdin');
  await pipeline(process.stdin, createWriteStream(copy, { mode: 0o600 }));
  return { file: 'standard input', side, form, beside: besideIn(stdio.cwd), open: () => createReadStream(copy) };
}

function checkReadable(whole: string, shown: string): void {
  try {
    if (statSync(whole).isDirectory()) throw new UsageError(`${shown} is a folder; name the files in it.`);
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
    throw new UsageError(`--zone: there is no time zone ${zoneName}. Write one such as Europe/Berlin or +01:00.`);
  }
  const fields: Partial<Record<LogField, string | readonly string[]>> = { ...logs?.fields };
  for (const word of flags.field ?? []) {
    const [, name = '', where = ''] = /^([^=]*)=(.+)$/.exec(word) ?? [];
    const field = LOG_FIELDS.find((known) => known === name);
    if (field === undefined || where === '') throw new UsageError(fieldComplaint(word, name));
    fields[field] = where.split(',');
  }
  return logForm({ zone, side: logs?.side, fields, pattern: patternOf(flags.pattern ?? logs?.pattern) });
}

function fieldComplaint(word: string, name: string): string {
  const meant = nearest(name, LOG_FIELDS);
  const hint = meant === undefined ? `There are: ${LOG_FIELDS.join(', ')}.` : `Did you mean ${meant}?`;
  return `--field ${word}: write it as FIELD=PATH, such as session=user.session. ${hint}`;
}

function patternOf(text: string | undefined): RegExp | undefined {
  if (text === undefined) return undefined;
  try {
    return new RegExp(text);
  } catch (error) {
    throw new UsageError(
      `--pattern is no regular expression: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

/** A time of day is one of the day on which what was read begins. */
async function selectionOf(
  { player, session, round, tx, from, to }: IncidentFlags,
  form: LogForm,
  sources: readonly Readable[],
): Promise<{ readonly selection: Selection; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const clock = /^\d\d:\d\d(:\d\d)?$/;
  const needsDay = [from, to].some((text) => text !== undefined && clock.test(text));
  const first = needsDay ? await firstTime(sources) : null;
  if (needsDay && first === null)
    throw new UsageError('A time of day needs a date, and nothing that was read has one: write 2026-11-21T14:03.');
  const day = new Date(first?.ms ?? 0).toISOString().slice(0, 10);
  const read = (flag: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const time = readTime(clock.test(text) ? `${day} ${text}` : text, form.zone);
    if (!time)
      throw new UsageError(
        `${flag} ${text}: write a time such as 14:03, 2026-11-21T14:03 or 2026-11-21T14:03:07+01:00.`,
      );
    // Until 14:10 means until that minute is over.
    return flag === '--to' ? time.ms + time.precisionMs - 1 : time.ms;
  };
  const fromMs = read('--from', from);
  const toMs = read('--to', to);
  if (needsDay) notes.push(`Times of day were taken for ${day}, on which what was read begins.`);
  return { selection: { player, session, round, tx, fromMs, toMs }, notes };
}

function nothingText(
  { seen, unreadableCount, unreadable, others, namesPlayers, nameless }: Gathering,
  flags: IncidentFlags,
): string {
  if (seen === 0) {
    const [first] = unreadable;
    const why =
      first === undefined
        ? ''
        : ` The first of ${unreadableCount} that can't be read: ${first.place.file}:${first.place.line}: ${first.why}.`;
    return `There is no call of the service in what was read (${others} other entries).${why} Where the fields of JSON lines have other names, --field says which (--field session=user.sid); lines of text are read with --pattern '… (?<session>\\S+) …' (croupier incident --help).`;
  }
  if (nameless === seen) {
    return `None of the ${seen} calls says whose it is or which transaction: a log needs the bodies, or fields of its own (--field session=…).`;
  }
  const hint =
    flags.player !== undefined && !namesPlayers
      ? ' Nothing that was read names a player: use --session, or give the players of your sessions in croupier.yaml.'
      : '';
  return `None of the ${seen} calls is the one that is asked for.${hint}`;
}
