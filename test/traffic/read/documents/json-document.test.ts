import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FoundObject, objectsOf } from '../../../../src/traffic/read/documents/json-document.ts';
import { entriesIn, exchangesIn, inPieces } from '../entries-in.ts';

async function objects(
  text: string,
  within: string | null,
  size: number,
  maxBytes?: number,
): Promise<readonly FoundObject[]> {
  const found: FoundObject[] = [];
  for await (const object of objectsOf(inPieces(text, size), within, maxBytes)) found.push(object);
  return found;
}

describe.each([1, 2, 7, 1000])('objectsOf, in pieces of %i bytes', (size) => {
  it('finds the objects of the named list only, and ignores braces in strings', async () => {
    const text =
      '{"log":{"a":["{\\"","]"],"x":{"y":[{"no":1}]},\n"entries":[{"i":1,"s":"}\\\\\\"{"},\n{"i":{"j":[2]}}],"after":[{"no":2}]}}';
    const found = await objects(text, 'entries', size);
    expect(found.map(({ line, text: one }) => [line, JSON.parse(one ?? 'null')])).toEqual([
      [2, { i: 1, s: '}\\"{' }],
      [3, { i: { j: [2] } }],
    ]);
  });

  it('finds objects one after another, and reports those that are too large or cut off', async () => {
    const big = JSON.stringify({ x: 'y'.repeat(100) });
    const found = await objects(`{"i":1}\n${big}\n{"i":2}\n{"i":`, null, size, 50);
    expect(found.map(({ line, why }) => [line, why])).toEqual([
      [1, 'whole'],
      [2, 'too big'],
      [3, 'whole'],
      [4, 'cut off'],
    ]);
  });

  it('finds the objects of a document that is a list', async () => {
    expect(await objects('[{"a":[{"b":1}]},\n{"c":2}]', 'entries', size)).toHaveLength(2);
  });
});

describe('a collection of Postman', () => {
  it('is read with its saved replies, also in the form that the API of Postman exports', async () => {
    const text = readFileSync('fixtures/logs/postman.json', 'utf8');
    const plain = await exchangesIn(text);
    const wrapped = await exchangesIn(`{"collection":${text}}`);
    expect(plain).toHaveLength(4);
    expect(wrapped.map(({ request, answer }) => [request, answer])).toEqual(
      plain.map(({ request, answer }) => [request, answer]),
    );
  });
});

describe('a report of newman', () => {
  const reply = { code: 200, header: [], stream: { type: 'Buffer', data: [...Buffer.from('{"balance":"30.00"}')] } };
  const report = (...ends: readonly object[]): string =>
    JSON.stringify(
      {
        collection: { item: [{ name: 'bet', request: { url: { path: ['bet'] } }, response: [] }] },
        run: {
          executions: ends.map((end, position) => ({
            cursor: { position },
            request: { url: { host: ['h'], path: ['bet'] }, method: 'POST', body: { mode: 'raw', raw: '{"a":1}' } },
            ...end,
          })),
        },
      },
      null,
      2,
    );

  it.each([
    ['the deadline passed', { code: 'ESOCKETTIMEDOUT', connect: false }, 'too-late'],
    ['nobody listened', { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address: '::1' }, 'refused'],
    ['the connection broke', { errno: -104, code: 'ECONNRESET', syscall: 'read' }, 'reset'],
  ])('is read with the call that has no reply because %s', async (_what, requestError, reason) => {
    const [first, failed] = await exchangesIn(report({ response: reply }, { requestError }));
    expect(first?.answer).toMatchObject({ kind: 'reply', status: 200 });
    expect(failed?.answer).toMatchObject({ kind: 'none', reason });
    expect(failed?.request).toMatchObject({ method: 'POST', url: 'https://h/bet', body: { data: '{"a":1}' } });
  });

  it('is read with a call whose reply is missing without a reason', async () => {
    const all = await exchangesIn(report({ response: reply }, {}));
    expect(all.map(({ answer }) => answer.kind)).toEqual(['reply', 'unknown']);
  });
});

describe('logs of OTLP', () => {
  const text = readFileSync('fixtures/logs/otlp.ndjson', 'utf8');
  const all = text.trimEnd().split('\n');

  it('are read if one object has the records of several calls', async () => {
    const lists = all.map((line) => (JSON.parse(line) as { resourceLogs: readonly unknown[] }).resourceLogs);
    const one = `${JSON.stringify({ resourceLogs: lists.flat() })}\n`;
    expect((await exchangesIn(one)).map(({ answer }) => answer)).toEqual(
      (await exchangesIn(text)).map(({ answer }) => answer),
    );
  });

  it('are read if the text of the body is the log line', async () => {
    const line = readFileSync('fixtures/logs/python-status-first.log', 'utf8').split('\n')[1];
    const record = { observedTimeUnixNano: 1_795_438_987_165_000_000, body: { stringValue: line } };
    const [call] = await exchangesIn(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }));
    expect(call).toMatchObject({ request: { method: 'POST' }, answer: { status: 200 }, tookMs: 42 });
  });

  it('have an unreadable entry where a line is cut', async () => {
    const cut = [all[0], all[1]?.slice(0, 200), ...all.slice(2)].join('\n');
    const entries = await entriesIn(cut);
    expect(entries.map(({ kind }) => kind)).toContain('unreadable');
  });
});
