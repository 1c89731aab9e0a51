import { describe, expect, it } from 'vitest';
import { Requests } from '../../src/load/requests.ts';
import { buildRequest } from '../../src/wire/request.ts';
import { headText, wholeRequest } from '../../src/wire/request-bytes.ts';

const endpoint = {
  integratorBaseUrl: 'https://wallet.example:8443/eu/',
  integrationApiKey: 'a key',
  paths: { refund: 'rollback' },
  headers: { 'X-Gateway': 'Content-Length: 0', Accept: 'application/json, */*' },
};
const sessionID = 'session "é" /1';
const ids = { txID: '0b0f5d0e-1111-4222-8333-444455556666', roundID: '7d0fb24e-1111-4222-8333-444455556666' };
const FIELDS = { sessionID, ...ids, amount: '1.37' };

function expected(
  call: 'balance' | 'bet' | 'win' | 'refund',
  fields: Readonly<Record<string, string>>,
  contract?: '1.2.11',
) {
  const { integratorBaseUrl: baseUrl, integrationApiKey: key, paths, headers } = endpoint;
  const request = buildRequest({ call, target: { baseUrl, paths, headers, contract }, key, fields });
  return wholeRequest(headText(request, 'wallet.example:8443'), request.body).toString('latin1');
}

describe('the bytes of a load test', () => {
  const requests = new Requests(endpoint);

  it('are those of every other command, for each call', () => {
    expect(requests.read(sessionID)).toBe(expected('balance', { sessionID }));
    for (const call of ['bet', 'win'] as const) {
      expect(requests.transaction({ call, ...FIELDS })).toBe(expected(call, { ...FIELDS, type: 'regular' }));
      const frID = 'campaign é';
      const free = requests.transaction({ call, ...FIELDS, frID });
      expect(free).toBe(expected(call, { ...FIELDS, type: 'free', frID }));
    }
    const refund = { ...FIELDS, origTxID: ids.txID };
    expect(requests.transaction({ call: 'refund', ...refund })).toBe(expected('refund', refund));
  });

  it('leave out the round of a refund before the version that added it', () => {
    const old = new Requests({ ...endpoint, contract: '1.2.11' });
    const refund = { ...FIELDS, origTxID: ids.txID };
    expect(old.transaction({ call: 'refund', ...refund })).toBe(expected('refund', refund, '1.2.11'));
  });
});
