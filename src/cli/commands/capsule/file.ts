import { createReadStream } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { readTextFile } from '../../../app/files.ts';
import { journalEvents } from '../../../app/journal-files.ts';
import { loadScenario } from '../../../scenario/load.ts';
import type { CapsulePass } from '../../../traffic/capsule/capsule.ts';
import { plainBytes } from '../../../traffic/read/file-bytes.ts';
import { csvColumns, isOpenRow, readCsvRow, tableColumns } from '../../../traffic/read/logs/csv.ts';

/** A file that the user wants to share. */
export interface CapsuleFile {
  /** The path as the user wrote it. */
  readonly shown: string;
  readonly path: string;
  /** `calls`: a log or a HAR. `own`: a journal, a report or a scenario of croupier. */
  readonly kind: 'calls' | 'own';
  /** The name of the capsule in a folder. The capsule of a compressed file is not compressed. */
  readonly name: string;
  /**
   * Returns the rewritten text in pieces. Can be called several times, because the first pass only collects ids.
   * A piece is a line, a JSON value, or the whole file.
   */
  readonly pieces: (pass: CapsulePass) => AsyncIterable<string> | Iterable<string>;
}

const HEAD_LENGTH = 4096;
/**
 * Maximum number of characters of one row of a CSV. A row can have several lines, because a quoted field can contain line breaks.
 */
const MAX_ROW = 1024 * 1024;

/**
 * Recognises the kind of a file by its content, or by its name if it is a scenario.
 *
 * @throws UsageError when the file can't be read
 */
export async function capsuleFile(shown: string, cwd: string): Promise<CapsuleFile> {
  const file = path.resolve(cwd, shown);
  if (/\.ya?ml$/i.test(shown)) {
    const text = readTextFile(file, 'The scenario');
    return {
      shown,
      path: file,
      kind: 'own',
      name: path.basename(file),
      pieces: (pass) => [scenarioText(text, pass, shown)],
    };
  }
  if (/^\s*\{\s*"event"\s*:\s*"run-started"/.test(await headOf(file))) {
    return {
      shown,
      path: file,
      kind: 'own',
      name: path.basename(file),
      pieces: (pass) => eventLines(file, shown, pass),
    };
  }
  const unpacked = await unpackedText(file);
  const name = unpacked === null ? path.basename(file) : path.basename(file).replace(/\.(?:gz|zip)$/i, '');
  const text = unpacked ?? readTextFile(file, shown);
  const value = /^\s*[{[]/.test(text) ? parsed(text) : undefined;
  const kind = isDocument(value) && !isHar(value) ? 'own' : 'calls';
  if (isDocument(value)) return { shown, path: file, kind, name, pieces: (pass) => document(pass.document(value)) };
  // Other JSON is rewritten as text. If it were parsed and written again, amounts that are numbers could change.
  if (value !== undefined) return { shown, path: file, kind, name, pieces: (pass) => [pass.line(text)] };
  return { shown, path: file, kind, name, pieces: (pass) => lines(text, pass) };
}

/** Returns the text of a file that is compressed with gzip or zip, or null for any other file. */
async function unpackedText(file: string): Promise<string | null> {
  const head = await readBytes(file, 4);
  const isPacked = (head[0] === 0x1f && head[1] === 0x8b) || head.toString('latin1') === 'PK\u0003\u0004';
  if (!isPacked) return null;
  const { all, broken } = await plainBytes(createReadStream(file));
  const pieces: Uint8Array[] = [];
  for await (const piece of all) pieces.push(piece);
  const why = broken();
  if (why !== null) throw new UsageError(`${file}: ${why}.`);
  return Buffer.concat(pieces).toString('utf8');
}

async function readBytes(file: string, count: number): Promise<Buffer> {
  try {
    for await (const chunk of createReadStream(file, { end: count - 1 })) return chunk as Buffer;
  } catch {
    // The error is ignored here, because the caller reads the file again and reports the reason.
  }
  return Buffer.alloc(0);
}

async function headOf(file: string): Promise<string> {
  try {
    for await (const chunk of createReadStream(file, { end: HEAD_LENGTH })) return String(chunk);
  } catch {
    // The error is ignored here, because the caller reads the file again and reports the reason.
  }
  return '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isHar(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { log } = value as { readonly log?: { readonly entries?: unknown } };
  return Array.isArray(log?.entries);
}

/** True for a HAR, and for a JSON file that croupier wrote. */
function isDocument(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { schema } = value as { readonly schema?: unknown };
  return isHar(value) || (typeof schema === 'string' && schema.startsWith('croupier-'));
}

/**
 * Writes a JSON document as text. A HAR gets one entry per line, so that a message about an entry can name its line.
 */
function* document(value: unknown): Generator<string> {
  const { log, ...around } = value as { readonly log?: { readonly entries: readonly unknown[] } };
  if (!log) {
    yield `${JSON.stringify(value)}\n`;
    return;
  }
  const { entries, ...head } = log;
  yield `${JSON.stringify({ ...around, log: { ...head, entries: [] } }).slice(0, -'[]}}'.length)}[`;
  for (const [index, entry] of entries.entries()) yield `${index === 0 ? '' : ','}\n${JSON.stringify(entry)}`;
  yield '\n]}}\n';
}

async function* eventLines(file: string, shown: string, pass: CapsulePass): AsyncGenerator<string> {
  for await (const event of journalEvents(file, shown)) yield `${JSON.stringify(pass.document(event))}\n`;
}

function* lines(text: string, pass: CapsulePass): Generator<string> {
  const all = text.split(/(?<=\n)/);
  learnColumns(all, pass);
  for (const line of all) {
    // The text does not contain the line break. If a line ended inside a string, the line break would be escaped as a part of this
    // string.
    const text = line.replace(/\r?\n$/, '');
    yield `${pass.line(text)}${line.slice(text.length)}`;
  }
}

/** Learns the columns of a CSV from its first line, because the other lines contain no names of fields. */
function learnColumns([head = '', ...rows]: readonly string[], pass: CapsulePass): void {
  const header = csvColumns(head.trimEnd()) ?? tableColumns(head.trimEnd());
  if (!header) return;
  let row = '';
  for (const line of rows) {
    row += line;
    if (isOpenRow(row) && row.length < MAX_ROW) continue;
    for (const [name, value] of Object.entries(readCsvRow(row.trimEnd(), header) ?? {}))
      if (typeof value === 'string') pass.column(name, value);
    row = '';
  }
}

/** Rewrites a scenario. @throws UsageError when the result would not be a valid scenario */
function scenarioText(text: string, pass: CapsulePass, shown: string): string {
  const written = pass.scenario(text);
  const read = (yaml: string) => loadScenario(yaml, shown, { id: 'capsule', readFragment: () => undefined });
  if (read(text).scenario && !read(written).scenario) {
    throw new UsageError(
      `${shown}: the scenario would be invalid with aliases, because a player or a session has the same name as a word of the scenario language. Rename the player or session.`,
    );
  }
  return written;
}
