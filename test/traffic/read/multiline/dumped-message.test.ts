import { describe, expect, it } from 'vitest';
import { logForm } from '../../../../src/traffic/read/logs/log-form.ts';
import { exchangesIn } from '../entries-in.ts';

const AT = '2026/11/24 19:42:0';
const SENT = '{"amount":"5.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
const request = `POST /bet HTTP/1.1\r\nHost: h\r\nContent-Length: ${SENT.length}\r\n\r\n${SENT}`;
const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 19\r\nDate: Tue, 24 Nov 2026 18:42:01 GMT\r\n\r\n{"balance":"95.00"}';

describe('a message that a program of Go has dumped into its log', () => {
  it.each([
    ['as it is', request, reply],
    ['as a quoted text', JSON.stringify(request), JSON.stringify(reply)],
  ])('is read with the time of the program, and joined with its reply: %s', async (_what, sent, answer) => {
    const log = `${AT}1 client.go:41: ${sent}\n${AT}2 client.go:47: ${answer}\n${AT}3 client.go:41: ${sent}\n`;
    const all = await exchangesIn(log, logForm({ zone: 'Europe/Berlin' }));
    expect(all.map(({ answer: { kind } }) => kind)).toEqual(['reply', 'unknown']);
    expect(all.map(({ time }) => time?.ms)).toEqual([1, 3].map((second) => Date.UTC(2026, 10, 24, 18, 42, second)));
    expect(all[0]).toMatchObject({
      request: { method: 'POST', url: 'http://h/bet', body: { data: SENT } },
      answer: { status: 200, body: { data: '{"balance":"95.00"}' } },
    });
  });

  it('ends with its quoted text, so a later line is not a part of its body', async () => {
    const open = JSON.stringify('POST /bet HTTP/1.1\r\nHost: h\r\n\r\n{"a":1}');
    const [first] = await exchangesIn(`${AT}1 ${open}\n{"b":2}\n`);
    expect(first?.request.body).toMatchObject({ data: '{"a":1}' });
  });
});
