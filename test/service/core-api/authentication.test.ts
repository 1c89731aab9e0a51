import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/contract/canonical.ts';
import { ASIA, EU, get, launch, send, signed, startCore } from './core-server.ts';

const CALLER = { cID: EU.cID, extCID: EU.extCID };

describe('the signature of a request to the Core API', () => {
  it('is valid over the canonical form, however the body is written', async () => {
    const { url } = await startCore();
    const raw = JSON.stringify(launch({ depositURL: 'é/€ 😀' }), null, 2).replaceAll('é', '\\u00e9');
    const { status } = await send(`${url}/create-new-game`, 'POST', launch({ depositURL: 'é/€ 😀' }), { raw });
    expect(status).toBe(200);
  });

  it('is valid over the query parameters, in any order and encoding', async () => {
    const { url } = await startCore();
    const fields = { ...CALLER, extID: 'a b+c/é&=' };
    const query = `extID=a%20b%2Bc%2F%C3%A9%26%3D&extCID=acme%2Deu&cID=${EU.cID}`;
    const { status } = await send(`${url}/free-rounds?${query}`, 'GET', fields);
    expect(status).toBe(404);
  });

  it.each([
    ['RFC 8785 (Node)', (text: string) => text],
    ['without line separators (PHP)', (text: string) => text.replaceAll('\u2028', '\\u2028')],
    [
      'without line separators and markup (Go)',
      (text: string) =>
        text
          .replaceAll('\u2028', '\\u2028')
          .replaceAll('&', '\\u0026')
          .replaceAll('<', '\\u003c')
          .replaceAll('>', '\\u003e'),
    ],
    [
      'in ASCII (Python)',
      (text: string) =>
        text.replaceAll('\u2028', '\\u2028').replaceAll('é', '\\u00e9').replaceAll('😀', '\\ud83d\\ude00'),
    ],
  ])('is accepted in the way in which the published clients write the canonical form: %s', async (_name, respelt) => {
    const { url } = await startCore();
    const fields = launch({ returnUrl: 'https://acme.example/?a=1&b=<2>\u2028é😀' });
    const signature = signed(respelt(canonicalJson(fields)));
    expect((await send(`${url}/create-new-game`, 'POST', fields, { signature })).status).toBe(200);
  });

  const text = canonicalJson(launch());
  it.each([
    ['missing', undefined, 'X-REQUEST-SIGN is missing or empty'],
    ['empty', '', 'X-REQUEST-SIGN is missing or empty'],
    ['garbage', 'garbage', 'You signed another text, or used another key.'],
    ["another client's", signed(text, ASIA.apiKey), 'You signed another text, or used another key.'],
    ['made with the other key', signed(text, EU.integrationApiKey), 'You signed with the Integration API key'],
    ['in upper case', signed(text).toUpperCase(), 'right, except that it is in upper case'],
    ['over JSON with a line break at its end', signed(`${text}\n`), 'a line break after it'],
    ['over JSON with blanks', signed(text.replace(/([,:])(?=["{])/g, '$1 ')), 'a blank after each comma and colon'],
    ['over what was sent', signed(JSON.stringify(launch())), 'You signed the text as you sent it'],
    ['cut off', signed(text).slice(0, 63), 'You signed another text'],
  ])('is refused with 401 when it is %s', async (_name, signature, message) => {
    const { url, context } = await startCore();
    const { status, body } = await send(`${url}/create-new-game`, 'POST', launch(), { signature });
    expect({ status, body }).toMatchObject({ status: 401, body: { message: expect.stringContaining(message) } });
    if (signature) expect(body.details).toBe(`the text to sign with the API key of acme-eu is: ${text}`);
    expect(body).not.toHaveProperty('code');
    expect(JSON.stringify(body)).not.toContain(EU.apiKey);
    expect(context.sessions.all()).toEqual([]);
  });

  it('of a query is refused with the text that must be signed', async () => {
    const { url } = await startCore();
    const { body } = await get(`${url}/games`, CALLER, { signature: signed('?') });
    expect(body.details).toContain(`: {"cID":"${EU.cID}","extCID":"acme-eu"}`);
  });
});

describe('the client of a request to the Core API', () => {
  it.each([
    [{ cID: 'nobody' }, 'No client has this cID'],
    [{ extCID: 'ACME-EU' }, 'No client of this cID has this extCID'],
    [{ extCID: 'blocked' }, 'No client of this cID has this extCID'],
  ])('is refused as unknown: %j', async (changes, message) => {
    const { url } = await startCore();
    const { status, body } = await send(`${url}/create-new-game`, 'POST', launch(changes));
    expect({ status, body }).toMatchObject({ status: 401, body: { message: expect.stringContaining(message) } });
  });

  it('must also be named once in a query', async () => {
    const { url } = await startCore();
    expect((await get(`${url}/games`, { cID: EU.cID })).body.details).toBe('extCID: required');
    const twice = await send(`${url}/games?cID=a&cID=b&extCID=c`, 'GET', { cID: ['a', 'b'], extCID: 'c' });
    expect(twice).toMatchObject({ status: 400, body: { details: 'cID: expected one string' } });
  });
});

describe('the body of a request to the Core API', () => {
  it.each([
    ['', 'body: there is no body'],
    ['{"cID":', 'body: Unexpected end of JSON input'],
    ['{"cID":"a","cID":"b"}', 'body: an object has the name "cID" twice'],
    ['[]', 'body: expected a JSON object, but it is another JSON value'],
    ['"text"', 'body: expected a JSON object, but it is another JSON value'],
    ['null', 'body: expected a JSON object, but it is another JSON value'],
    ['{"a":"\\ud800"}', 'an unpaired surrogate'],
    [`${'{"a":'.repeat(1500)}1${'}'.repeat(1500)}`, 'nested more than 1000 levels deep'],
    [Uint8Array.of(0x7b, 0xff, 0x7d), 'body: it is not text in UTF-8'],
  ])('that cannot be read is refused with 400: $1', async (raw, details) => {
    const { url, seen } = await startCore();
    for (const [method, path] of [
      ['POST', 'create-new-game'],
      ['POST', 'free-rounds'],
      ['DELETE', 'free-rounds'],
    ] as const) {
      const { status, body } = await send(`${url}/${path}`, method, {}, { raw });
      expect({ status, body }).toMatchObject({ status: 400, body: { details: expect.stringContaining(details) } });
    }
    expect(seen).toHaveLength(3);
    expect(seen.every((one) => !('fields' in one) && one.status === 400)).toBe(true);
  });

  it('that cannot be read is first refused because its signature is missing', async () => {
    const { url } = await startCore();
    const { status } = await send(`${url}/create-new-game`, 'POST', {}, { raw: '{', signature: undefined });
    expect(status).toBe(401);
  });

  it.each([
    ['text/plain', 400],
    ['application/x-www-form-urlencoded', 400],
    ['application/json-seq', 400],
    ['Application/JSON;charset=utf-8', 200],
    ['application/vnd.acme+json', 200],
  ])('with the content type %s is answered %i', async (type, expected) => {
    const { url } = await startCore();
    const headers = { 'Content-Type': type };
    const { status, body } = await send(`${url}/create-new-game`, 'POST', launch(), { headers });
    expect(status).toBe(expected);
    if (expected === 400) expect(body).toMatchObject({ details: `Content-Type is ${type}` });
  });

  it('is refused with 413 when it is too large, and the next one is answered', async () => {
    const { url } = await startCore();
    const large = await send(`${url}/create-new-game`, 'POST', launch({ pad: 'x'.repeat(1_100_000) }));
    expect(large).toMatchObject({ status: 413, body: { message: expect.any(String) } });
    expect((await send(`${url}/create-new-game`, 'POST', launch())).status).toBe(200);
  });

  it('can’t change Object.prototype, because its members are unknown fields', async () => {
    const { url, context } = await startCore();
    const raw = JSON.stringify(launch()).replace(/}$/, ',"__proto__":{"demo":true},"constructor":1}');
    const fields = JSON.parse(raw);
    const { status, body } = await send(`${url}/create-new-game`, 'POST', fields, { raw });
    expect(status).toBe(200);
    expect(context.sessions.byId(body.gsID)?.demo).toBe(false);
  });
});

describe('a request to the Core API', () => {
  it('is answered in JSON if its path or method does not exist', async () => {
    const { url } = await startCore();
    expect((await get(`${url}/nothing`, CALLER)).status).toBe(404);
    const wrong = await send(`${url}/create-new-game`, 'DELETE', launch());
    expect({ status: wrong.status, allow: wrong.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
  });
});
