import type { LogForm } from '../../src/incident/read/log-form.ts';
import { logForm } from '../../src/incident/read/log-form.ts';
import { readSightings } from '../../src/incident/read/read.ts';
import type { SeenExchange, Sighting } from '../../src/incident/seen.ts';

/** Reads bytes as if they came from a file, in pieces of an awkward size. */
export async function sightingsIn(
  content: string | Uint8Array,
  form: LogForm = logForm(),
): Promise<readonly Sighting[]> {
  const bytes = Buffer.from(content);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 97) yield bytes.subarray(at, at + 97);
  }
  const found: Sighting[] = [];
  for await (const sighting of readSightings(pieces(), { file: 'f', side: null, form })) found.push(sighting);
  return found;
}

/** The exchanges among what was read. */
export async function exchangesIn(content: string | Uint8Array, form?: LogForm): Promise<readonly SeenExchange[]> {
  const all = await sightingsIn(content, form);
  return all.flatMap((sighting) => (sighting.kind === 'exchange' ? [sighting.exchange] : []));
}
