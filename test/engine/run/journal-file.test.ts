import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJournalFile, reopenJournalFile, UnwritableJournal } from '../../../src/engine/run/journal-file.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const same = (text: string) => text;

it('an appended event is in the file at once', () => {
  const file = path.join(dir, 'a', 'b', 'run.ndjson');
  const journal = createJournalFile(file, same);
  journal.append({ event: 'notice', text: 'é\n' });
  expect(readFileSync(file, 'utf8')).toBe('{"event":"notice","text":"é\\n"}\n');
  journal.append({ event: 'notice', text: '2' });
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3);
  journal.close();
  journal.close();
});

const event = (text: string) => ({ event: 'notice', text }) as const;
const line = (text: string) => `${JSON.stringify(event(text))}\n`;

it('an event that may come soon is written with the next event, in its order', () => {
  const file = path.join(dir, 'run.ndjson');
  const journal = createJournalFile(file, same);
  journal.appendSoon(event('1'));
  expect(readFileSync(file, 'utf8')).toBe('');
  journal.append(event('2'));
  expect(readFileSync(file, 'utf8')).toBe(line('1') + line('2'));
  journal.appendSoon(event('3'));
  journal.appendLines('4\n');
  expect(readFileSync(file, 'utf8')).toBe(`${line('1') + line('2') + line('3')}4\n`);
  journal.close();
});

it('an event that may come soon is written in this turn of the event loop, at a flush and at the end', async () => {
  const file = path.join(dir, 'run.ndjson');
  const journal = createJournalFile(file, same);
  journal.appendSoon(event('1'));
  journal.appendSoon(event('2'));
  await setImmediate();
  expect(readFileSync(file, 'utf8')).toBe(line('1') + line('2'));
  journal.appendSoon(event('3'));
  journal.flush();
  expect(readFileSync(file, 'utf8')).toBe(line('1') + line('2') + line('3'));
  journal.appendSoon(event('4'));
  journal.close();
  expect(readFileSync(file, 'utf8')).toBe(line('1') + line('2') + line('3') + line('4'));
  await setImmediate();
  expect(() => journal.appendSoon(event('5'))).toThrow('is closed');
});

it('lines of any length and with any characters follow each other without a gap', () => {
  const file = path.join(dir, 'run.ndjson');
  const journal = createJournalFile(file, same);
  const texts = [20_000, 1, 21_800, 30_000, 0].flatMap((length) =>
    ['a', 'é', '漢', '😀'].map((one) => one.repeat(length)),
  );
  for (const text of texts) journal.append({ event: 'notice', text });
  journal.close();
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines.map((line) => (line === '' ? null : (JSON.parse(line) as { text: string }).text))).toEqual([
    ...texts,
    null,
  ]);
});

it('only the owner can read the journal', () => {
  const file = path.join(dir, 'made', 'run.ndjson');
  createJournalFile(file, same).close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
});

it.skipIf(!existsSync('/dev/full'))('a full disk is reported, and a closed journal accepts no event', () => {
  const journal = createJournalFile('/dev/full', same);
  expect(() => journal.append({ event: 'notice', text: '1' })).toThrow(UnwritableJournal);
  journal.close();
  expect(() => journal.append({ event: 'notice', text: '2' })).toThrow('is closed');
});

it.skipIf(!existsSync('/dev/full'))(
  'a disk that is full at a later write is reported by every call after it',
  async () => {
    const journal = createJournalFile('/dev/full', same);
    journal.appendSoon(event('1'));
    await setImmediate();
    expect(() => journal.appendSoon(event('2'))).toThrow(UnwritableJournal);
    expect(() => journal.append(event('2'))).toThrow(UnwritableJournal);
    expect(() => journal.close()).toThrow(UnwritableJournal);
  },
);

it('secrets are removed from every line', () => {
  const file = path.join(dir, 'run.ndjson');
  const journal = createJournalFile(file, (text) => text.replaceAll('secret', '***'));
  journal.append({ event: 'notice', text: 'a secret' });
  journal.close();
  expect(readFileSync(file, 'utf8')).toBe('{"event":"notice","text":"a ***"}\n');
});

it('an older file is overwritten', () => {
  const file = path.join(dir, 'run.ndjson');
  writeFileSync(file, 'older\n');
  createJournalFile(file, same).close();
  expect(readFileSync(file, 'utf8')).toBe('');
});

it.each([
  ['whole', '{"a":1}\n', '{"a":1}\n'],
  ['torn in its last line', '{"a":1}\n{"b":', '{"a":1}\n'],
  ['without its last line end', '{"a":1}\n{"b":2}', '{"a":1}\n{"b":2}\n'],
  ['torn in its only line', '{"a":', ''],
  ['torn in a line longer than a piece', `{"a":1}\n"${'é'.repeat(70_000)}`, '{"a":1}\n'],
])('a journal can be continued that is %s', (_how, before, kept) => {
  const file = path.join(dir, 'run.ndjson');
  writeFileSync(file, before);
  const journal = reopenJournalFile(file, same);
  journal.append({ event: 'notice', text: '2' });
  journal.close();
  expect(readFileSync(file, 'utf8')).toBe(`${kept}{"event":"notice","text":"2"}\n`);
});

it.runIf(process.platform === 'linux')('creating an impossible folder fails and does not hang', () => {
  expect(() => createJournalFile('/proc/nowhere/run.ndjson', same)).toThrow('ENOENT');
});

it('a long body of a reply is cut, and no beginning of a secret stays at the cut', () => {
  const secret = 'a-secret-of-24-characters';
  const file = path.join(dir, 'run.ndjson');
  const journal = createJournalFile(file, (text) => text.replaceAll(secret, '***'));
  const append = (data: string): void =>
    journal.append({
      event: 'received',
      id: 'x1',
      scenario: null,
      outcome: {
        kind: 'reply',
        reply: { status: 200, headers: [], body: { encoding: 'utf8', data, length: data.length, truncated: false } },
      },
      stamps: { start: 0, resolved: null, connected: null, secured: null, sent: null, firstByte: null, end: 1 },
      connection: null,
      model: null,
    });
  for (let before = 0; before < secret.length; before += 1) append(`${'x'.repeat(before)}${secret.repeat(40_000)}`);
  append('{"balance":"1.00"}');
  journal.close();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  for (const line of lines) expect(line.length).toBeLessThan(10_000);
  const bodies = lines.map((line) => JSON.parse(line).outcome.reply.body);
  expect(bodies.slice(0, -1).every(({ data, truncated }) => truncated && !data.includes('a-s'))).toBe(true);
  expect(bodies.at(-1)).toEqual({ encoding: 'utf8', data: '{"balance":"1.00"}', length: 18, truncated: false });
});
