import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { entriesIn } from './entries-in.ts';

const SESSION = 's-7731';
const BET = { amount: '5.00', roundID: 'r-1', sessionID: SESSION, txID: 't-1', type: 'regular' };
const line = (url: string, responseBody: object, requestBody?: object): string =>
  `${JSON.stringify({ time: '2026-11-23T13:03:07.123Z', method: requestBody ? 'POST' : 'GET', url, requestBody, status: 200, responseBody })}\n`;
const READ = line(`/eu/balance?sessionID=${SESSION}`, { balance: '100.00' });
const PLACED = line('/eu/bet', { balance: '95.00', txID: 'w-1' }, BET);

async function statusesIn(content: string | Uint8Array): Promise<readonly string[]> {
  const entries = await entriesIn(content);
  return entries.map((entry) => {
    if (entry.kind !== 'exchange') return entry.kind === 'unreadable' ? entry.why : entry.kind;
    const { request, answer } = entry.exchange;
    return `${request.url} ${answer.kind === 'reply' ? `${answer.status} ${answer.body?.data}` : answer.kind}`;
  });
}

describe('a zip file', () => {
  const zip = zipSync({ 'a.log': Buffer.from(READ), 'logs/b.log': Buffer.from(PLACED) });

  it('is read like its files, one after another', async () => {
    expect(await statusesIn(zip)).toEqual([
      '/eu/balance?sessionID=s-7731 200 {"balance":"100.00"}',
      '/eu/bet 200 {"balance":"95.00","txID":"w-1"}',
    ]);
  });

  it('is reported as damaged if it ends within a file', async () => {
    const large = zipSync({ 'a.log': Buffer.from(READ.repeat(2000)) }, { level: 0 });
    const found = await statusesIn(large.subarray(0, large.length / 2));
    expect(found.at(-1)).toBe('the zip file is cut off or damaged from here on');
  });
});

describe('the files of Postman', () => {
  const url = { protocol: 'https', host: ['wallet', 'example'], path: ['eu', 'bet'] };
  const request = { method: 'POST', url, header: [], body: { mode: 'raw', raw: JSON.stringify(BET) } };
  const expected = ['https://wallet.example/eu/bet 200 {"balance":"95.00","txID":"w-1"}'];
  const body = '{"balance":"95.00","txID":"w-1"}';

  it('are read if they are a report of newman', async () => {
    const response = { code: 200, responseTime: 23, stream: { type: 'Buffer', data: [...Buffer.from(body)] } };
    const report = { collection: { info: { name: 'wallet' } }, run: { executions: [{ request, response }] } };
    expect(await statusesIn(JSON.stringify(report))).toEqual(expected);
  });

  it('are read if they are a collection with saved replies, also in folders', async () => {
    const saved = { name: 'bet', request, response: [{ originalRequest: request, code: 200, body }] };
    const collection = { info: { name: 'wallet' }, item: [{ name: 'folder', item: [saved] }] };
    expect(await statusesIn(JSON.stringify(collection, null, 2))).toEqual(expected);
  });
});

describe('a JSON line with nested objects', () => {
  const call = {
    method: 'POST',
    path: '/eu/bet',
    requestBody: BET,
    status: 200,
    responseBody: JSON.parse('{"balance":"95.00"}') as object,
  };

  it.each([
    ['a group of slog', { time: '2026-11-23T13:03:07Z', level: 'INFO', msg: 'request', http: call }],
    [
      'an entry of Azure',
      { time: '2026-11-23T13:03:07Z', category: 'Console', resultDescription: JSON.stringify(call) },
    ],
    [
      'an event of Datadog',
      { id: 'A', type: 'log', attributes: { timestamp: '2026-11-23T13:03:07Z', status: 'info', attributes: call } },
    ],
  ])('is read: %s', async (_, object) => {
    expect(await statusesIn(JSON.stringify(object))).toEqual(['/eu/bet 200 {"balance":"95.00"}']);
  });
});
