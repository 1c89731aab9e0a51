import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LoggedExchange } from '../../../src/traffic/logged-exchange.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { readEntries } from '../../../src/traffic/read/read-entries.ts';
import { inPieces } from './entries-in.ts';

const FOLDER = 'fixtures/logs';
const COPIES = 16;
/** The formats whose lines are read one after another. */
const LINES = /\.(?:log|ndjson|clef)$/;

/** Repeats a log, each time with another session and other ids of transactions, rounds and requests. */
function repeated(text: string): string {
  return Array.from({ length: COPIES }, (_, copy) =>
    text
      .replaceAll('s-7731', `s-77${copy}`)
      .replaceAll('0c9e1d20-77aa', `0c9e${1000 + copy}-77aa`)
      .replaceAll('4bf92f3577b34da', `4bf9${1000 + copy}77b34da`)
      .replaceAll('req-', `req-${copy}-`),
  ).join('');
}

interface Reading {
  readonly calls: ReadonlyMap<number, LoggedExchange>;
  /** The first and the last line of each group, and the line of its call. */
  readonly groups: readonly (readonly [number, number, number])[];
}

async function reading(text: string, isNeeded?: (line: number) => boolean): Promise<Reading> {
  const groups: [number, number, number][] = [];
  const calls = new Map<number, LoggedExchange>();
  const source = { file: 'f', side: null, form: logForm(), isNeeded };
  const ofOneCall = (from: number, to: number, call: number): void => void groups.push([from, to, call]);
  for await (const entry of readEntries(inPieces(text, 1000), { ...source, ofOneCall }))
    if (entry.kind === 'exchange') calls.set(entry.exchange.place.line, entry.exchange);
  return { calls, groups };
}

describe('the lines of one call', () => {
  it('can be left out in each log of the fixtures, and all other calls are read as before', async () => {
    let logs = 0;
    for (const file of readdirSync(FOLDER).filter((name) => LINES.test(name))) {
      const text = repeated(`${readFileSync(`${FOLDER}/${file}`, 'utf8').trimEnd()}\n`);
      const all = await reading(text);
      if (all.groups.length > 0) logs += 1;
      for (const kept of [2, 5]) {
        const order = new Map([...all.calls.keys()].map((line, index) => [line, index]));
        const isKept = (call: number): boolean => (order.get(call) ?? 0) % kept === 0;
        const out = new Set(
          all.groups.flatMap(([from, to, call]) =>
            isKept(call) ? [] : Array.from({ length: to - from + 1 }, (_, line) => from + line),
          ),
        );
        const some = await reading(text, (line) => !out.has(line));
        const expected = [...all.calls].filter(([line]) => !out.has(line));
        expect([...some.calls], `${file}, one of ${kept} kept`).toEqual(expected);
      }
    }
    expect(logs).toBeGreaterThan(40);
  }, 60_000);
});
