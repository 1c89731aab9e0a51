import type { SeenExchange, Sighting } from '../seen.ts';
import { isFields, parsed } from './fields.ts';
import { isHarEntry, readHarEntry } from './har.ts';
import { readJsonLine } from './json-line.ts';
import type { LogForm } from './log-form.ts';
import { objectsOf } from './objects.ts';

/** The entries of a JSON document: of a HAR, or of what collectors export. */
export async function* fromDocument(
  chunks: AsyncIterable<Uint8Array>,
  list: string | null,
  source: { readonly file: string; readonly form: LogForm },
): AsyncGenerator<Sighting> {
  for await (const { line, text, why } of objectsOf(chunks, list)) {
    const place = { file: source.file, line };
    const value = text === null ? undefined : parsed(text);
    if (why === 'too big') yield { kind: 'unreadable', line, why: 'the entry is bigger than 64 MB' };
    else if (why === 'cut off')
      yield { kind: 'unreadable', line, why: 'the file ends within the entry that begins here' };
    else if (isHarEntry(value)) yield readHarEntry(value, place, 'service');
    else if (isFields(value))
      for (const each of streamed(value)) yield sightingOf(readJsonLine(each, source.form, place), line);
    else yield { kind: 'unreadable', line, why: 'the entry is not JSON' };
  }
}

/** The lines of a stream of Loki; any other object is one. */
function streamed(value: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { stream, values } = value;
  if (!isFields(stream) || !Array.isArray(values)) return [value];
  return values.map((pair: unknown) => {
    const [timestamp, line]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    return { ...stream, timestamp, line };
  });
}

function sightingOf(exchange: SeenExchange | undefined, line: number): Sighting {
  return exchange ? { kind: 'exchange', exchange } : { kind: 'other', line };
}
