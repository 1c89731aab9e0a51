import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { CapsulePass } from '../incident/capsule/capsule.ts';
import { loadScenario } from '../scenario/load.ts';
import { readTextFile } from './configuration.ts';
import { journalEvents } from './journal-events.ts';
import { UsageError } from './usage-error.ts';

/** A file that is to be passed on. */
export interface CapsuleFile {
  /** As it was named. */
  readonly shown: string;
  readonly path: string;
  /** What is to be written in its place, as often as it is asked for. */
  readonly pieces: (pass: CapsulePass) => AsyncIterable<string> | Iterable<string>;
}

const HEAD_LENGTH = 4096;

/** Tells by what is in it, and of a scenario by its name, how it is to be rewritten. @throws UsageError when it can't be read */
export async function capsuleFile(shown: string, cwd: string): Promise<CapsuleFile> {
  const file = path.resolve(cwd, shown);
  if (/\.ya?ml$/i.test(shown)) {
    const text = readTextFile(file, 'the scenario');
    return { shown, path: file, pieces: (pass) => [scenarioText(text, pass, shown)] };
  }
  if (/^\s*\{\s*"event"\s*:\s*"run-started"/.test(await headOf(file))) {
    return { shown, path: file, pieces: (pass) => eventLines(file, shown, pass) };
  }
  const text = readTextFile(file, shown);
  const value = /^\s*[{[]/.test(text) ? parsed(text) : undefined;
  if (isDocument(value)) return { shown, path: file, pieces: (pass) => document(pass.document(value)) };
  // Other JSON may hold amounts that are written as numbers, which stay as they were written.
  if (value !== undefined) return { shown, path: file, pieces: (pass) => [pass.line(text)] };
  return { shown, path: file, pieces: (pass) => lines(text, pass) };
}

async function headOf(file: string): Promise<string> {
  try {
    for await (const chunk of createReadStream(file, { end: HEAD_LENGTH })) return String(chunk);
  } catch {
    // Whoever reads it next says why it can't be read.
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

/** A HAR, or what croupier itself writes. */
function isDocument(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { log, schema } = value as { readonly log?: { readonly entries?: unknown }; readonly schema?: unknown };
  return Array.isArray(log?.entries) || (typeof schema === 'string' && schema.startsWith('croupier-'));
}

/** A HAR with an entry on each line, so that what is told of one can name it. */
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
  for (const line of text.split(/(?<=\n)/)) yield pass.line(line);
}

/** @throws UsageError when what was a scenario would be none any more */
function scenarioText(text: string, pass: CapsulePass, shown: string): string {
  const written = pass.scenario(text);
  const read = (yaml: string) => loadScenario(yaml, shown, { id: 'capsule', readFragment: () => undefined });
  if (read(text).scenario && !read(written).scenario) {
    throw new UsageError(
      `${shown}: without the ids that are known it is no scenario any more: a player or a session has the name of something that the scenario is made of.`,
    );
  }
  return written;
}
