import { describe, expect, it } from 'vitest';
import { exchangesIn } from '../entries-in.ts';

const URL = 'https://h/wallet/bet';
const SENT = { amount: '5.00', roundID: 'r-1', sessionID: 's-1', txID: 't-1', type: 'regular' };
const CONFIG = { method: 'post', url: URL, data: JSON.stringify(SENT) };

async function read(line: object) {
  const [exchange] = await exchangesIn(`${JSON.stringify({ level: 50, time: 1795545724000, ...line })}\n`);
  return exchange;
}

describe('a line of JSON with an error of an HTTP client', () => {
  it.each([
    [
      'axios',
      { message: 'timeout of 5000ms exceeded', name: 'AxiosError', code: 'ECONNABORTED', config: CONFIG, status: null },
      'too-late',
    ],
    [
      'axios in the field err',
      { err: { type: 'AxiosError', message: 'socket hang up', code: 'ECONNRESET', config: CONFIG }, msg: 'bet failed' },
      'reset',
    ],
    [
      'got in the field error',
      {
        error: {
          name: 'RequestError',
          code: 'ECONNREFUSED',
          message: 'connect',
          options: { method: 'POST', url: URL, json: SENT },
        },
      },
      'refused',
    ],
  ])('is read with its request, and with the reason why no reply came: %s', async (_what, line, reason) => {
    const exchange = await read(line);
    expect(exchange?.request).toMatchObject({ method: 'POST', url: URL, body: { data: JSON.stringify(SENT) } });
    expect(exchange?.answer).toMatchObject({ kind: 'none', reason });
  });

  it('is read with the reply, if there is one', async () => {
    const response = { status: 402, data: { code: 'insufficient_funds', message: 'no money' } };
    const exchange = await read({
      err: { message: 'failed with status code 402', code: 'ERR_BAD_REQUEST', config: CONFIG, response },
    });
    expect(exchange?.answer).toMatchObject({
      kind: 'reply',
      status: 402,
      body: { data: JSON.stringify(response.data) },
    });
  });
});
