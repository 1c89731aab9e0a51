import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AlikeCallLines } from '../../../src/traffic/read/alike-lines.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { readEntries } from '../../../src/traffic/read/read-entries.ts';
import { recordedCall } from '../../../src/traffic/recorded-call.ts';
import { inPieces } from './entries-in.ts';

const LOGS = path.join(import.meta.dirname, '../../../fixtures/logs');

/** The facts of a call by which two ways of reading it are compared. */
type Facts = readonly unknown[];

/** Reads each line by itself. Returns the facts of each call by its line. */
async function oneByOne(text: string): Promise<ReadonlyMap<number, Facts>> {
  const found = new Map<number, Facts>();
  const source = { file: 'f', side: null, form: logForm() };
  for await (const entry of readEntries(inPieces(text, 65_536), source)) {
    const call = entry.kind === 'exchange' ? recordedCall(entry.exchange) : null;
    if (entry.kind !== 'exchange' || !call) continue;
    const { time, tookMs, answer, side, place } = entry.exchange;
    const said = answer.kind === 'reply' && answer.status === 200 ? answer.body?.data : undefined;
    const balance = said === undefined ? null : String((JSON.parse(said) as { balance: unknown }).balance);
    found.set(place.line, [
      [call.call, side, answer.kind === 'reply' && answer.status, time, tookMs],
      [call.sessionID, call.player, call.txID, call.roundID, call.amount, balance],
    ]);
  }
  return found;
}

/** Reads the lines that are like an earlier one. Returns the facts of each call by its line. */
async function alike(text: string): Promise<ReadonlyMap<number, Facts>> {
  const found = new Map<number, Facts>();
  const form = logForm();
  const lines = new AlikeCallLines(form, new Map(), {
    isExample: () => true,
    take: ({ template, time, tookMs, sessionID, player, txID, roundID, amount, balance }, line) => {
      const { answer, side } = template.example;
      found.set(line, [
        [template.call, side, answer.kind === 'reply' && answer.status, time, tookMs],
        [sessionID, player, txID, roundID, amount, balance].map((text) => text?.toString() ?? null),
      ]);
    },
  });
  for await (const entry of readEntries(inPieces(text, 65_536), { file: 'f', side: null, form, alike: lines }))
    expect(entry.kind).not.toBe('skipped');
  return found;
}

function logs(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    return statSync(file).isDirectory() ? logs(file) : [file];
  });
}

describe('a line that is like an earlier one', () => {
  it('says the same as if it were read by itself, in each log of the fixtures', async () => {
    let count = 0;
    for (const file of logs(LOGS)) {
      // Twice the same lines, so that each line is like an earlier one.
      const once = readFileSync(file, 'utf8');
      const text = `${once.trimEnd()}\n${once}`;
      const found = await alike(text);
      if (found.size === 0) continue;
      const expected = await oneByOne(text);
      for (const [line, facts] of found) expect(facts, `${file}:${line}`).toEqual(expected.get(line));
      count += found.size;
    }
    expect(count).toBeGreaterThan(10);
  });

  it.each([
    ['a masked id', { tx: '[Redacted]' }],
    ['an id in words for masks', { tx: 'redacted' }],
    ['a masked id in capitals', { tx: 'XXXXXXXXXXXXXXXX' }],
    ['an amount that is no decimal', { amount: '1e3' }],
    ['an amount with a zero before it', { amount: '05.00' }],
    ['an amount that ends with a point', { amount: '5.' }],
    ['an id in another script', { tx: 'ë-1' }],
    ['a cut body', { tx: 't-…' }],
    ['an error in the body of a 200', { reply: '{"code":"general_error","message":"no"}' }],
    ['another status', { status: 500 }],
    ['another call', { url: '/eu/win' }],
    ['a field more', { more: 'event' }],
  ])('is read by itself if it has %s', async (_what, change: Change) => {
    expect((await alike(`${lineOf({})}\n${lineOf({})}\n${lineOf({ tx: 't-9' })}\n`)).size).toBe(1);
    expect((await alike(`${lineOf({})}\n${lineOf({})}\n${lineOf(change)}\n`)).size).toBe(0);
  });
});

describe('a field without a meaning', () => {
  it('may have any text without escapes', async () => {
    const line = (agent: string): string => lineOf({ agent });
    expect((await alike(`${line('a')}\n${line('a')}\n${line('')}\n${line('Zoë 😀')}\n`)).size).toBe(2);
    expect((await alike(`${line('a')}\n${line('a')}\n${line('b')}\n${line('{')}\n${line('"')}\n`)).size).toBe(1);
  });
});

interface Change {
  readonly agent?: string;
  readonly tx?: string;
  readonly amount?: string;
  readonly reply?: string;
  readonly status?: number;
  readonly url?: string;
  readonly more?: string;
}

function lineOf({ agent, tx = 't-1', amount = '5.00', reply, status = 200, url = '/eu/bet', more }: Change): string {
  const requestBody = JSON.stringify({ amount, roundID: 'r-1', sessionID: 's-1', txID: tx, type: 'regular' });
  const responseBody = reply ?? '{"balance":"95.00","txID":"w-1"}';
  return JSON.stringify({
    time: '2026-11-23T13:03:07.123Z',
    method: 'POST',
    url,
    requestBody,
    status,
    responseBody,
    ...(more !== undefined && { [more]: 'bet' }),
    ...(agent !== undefined && { agent }),
  });
}
