import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/journal/event.ts';
import { eventProblem } from '../../src/journal/event-schema.ts';
import { readJournal } from '../../src/journal/read.ts';
import { JOURNALS, journalText } from '../report/journals.ts';
import { planned, runEnded, runStarted, started } from './events.ts';

const head = JSON.stringify(runStarted([planned('bet/debit', ['bet.debit'])]));
const tail = JSON.stringify(runEnded());

async function read(chunks: Iterable<string>, check?: (value: unknown) => string | null): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  for await (const event of readJournal(chunks, check)) events.push(event);
  return events;
}

describe('reading a journal', () => {
  it.each([1, 7, 100, 100_000])('does not depend on the size of the pieces (%i characters)', async (size) => {
    const text = `${head}\n${JSON.stringify(started('é→🎲'))}\n${tail}\n`;
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    const events = await read(chunks);
    expect(events.map(({ event }) => event)).toEqual(['run-started', 'scenario-started', 'run-ended']);
    expect(events[1]).toMatchObject({ scenario: 'é→🎲' });
  });

  it('reads a journal that a kill cut at any point', async () => {
    const text = `${head}\n${JSON.stringify(started('bet/debit'))}\n${tail}`;
    for (let cut = head.length; cut < text.length; cut += 1) {
      const events = await read([text.slice(0, cut)]);
      expect(events[0]?.event).toBe('run-started');
    }
    expect(await read([text])).toHaveLength(3);
  });

  it.each(JOURNALS)('accepts every event of fixtures/journals/%s.ndjson', async (name) => {
    expect((await read([journalText(name)], eventProblem)).length).toBeGreaterThan(3);
  });

  it.each([
    ['', 'the journal is empty, because the run ended before it wrote an event'],
    ['PNG\u0000', 'line 1: this is not a journal of croupier, which begins with a run-started event'],
    [`${tail}\n`, 'line 1: this is not a journal of croupier, which begins with a run-started event'],
    [
      head.replace('croupier-journal/1', 'croupier-journal/2'),
      'line 1: the journal is in the format croupier-journal/2 (croupier 0.1.0 wrote it); this croupier reads up to croupier-journal/1. Use a newer croupier.',
    ],
    [head.replace('croupier-journal/1', 'x'), 'line 1: the journal has the unknown format "\\"x\\""'],
    [`${head}\nhello\n${tail}\n`, 'line 2 of the journal is not JSON: "hello"'],
    [`${head}\n{"event":"notice"\n`, 'line 2 of the journal is not JSON: "{\\"event\\":\\"notice\\""'],
    [`${head}\n[]\n`, 'line 2 of the journal is not an event: "[]"'],
    [`${head}\n\n{"even":1}\n`, 'line 3 of the journal is not an event: "{\\"even\\":1}"'],
  ])('refuses the text %j', async (text, message) => {
    await expect(read([text])).rejects.toThrow(expect.objectContaining({ name: 'JournalError', message }) as Error);
  });

  it('names the line and the key of an event that does not fit the schema', async () => {
    const text = `${head}\n${tail.replace('"complete"', '"somehow"')}\n`;
    await expect(read([text], eventProblem)).rejects.toThrow(/^line 2 of the journal is not an event: how: /);
  });
});
