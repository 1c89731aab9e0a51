import { describe, expect, it } from 'vitest';
import { headerOf, jsonReply, type ListenRequest } from '../../src/listen/message.ts';
import { routeTable } from '../../src/listen/routes.ts';

const request = (method: string, path: string): ListenRequest => ({
  method,
  path,
  query: '',
  headers: [],
  body: new Uint8Array(),
});

describe('routeTable', () => {
  const answer = routeTable([
    { method: 'GET', path: '/a/balance', handler: () => jsonReply(200, { at: 'a' }) },
    { method: 'PUT', path: '/a/balance', handler: () => jsonReply(200, { at: 'put' }) },
    { method: 'GET', path: '/b/balance', handler: () => jsonReply(200, { at: 'b' }) },
  ]);

  it('finds a handler by method and path', async () => {
    expect((await answer(request('GET', '/b/balance'))).body).toBe('{"at":"b"}');
    expect((await answer(request('PUT', '/a/balance'))).body).toBe('{"at":"put"}');
  });

  it('answers an unknown path with 404 and a message', async () => {
    const reply = await answer(request('GET', '/a/balance/'));
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.body as string)).toEqual({ message: 'There is nothing at /a/balance/.' });
  });

  it('answers another method of a known path with 405 and the allowed methods', async () => {
    const reply = await answer(request('POST', '/a/balance'));
    expect(reply.status).toBe(405);
    expect(headerOf(reply.headers, 'allow')).toBe('GET, PUT');
  });

  it('refuses two handlers for the same method and path', () => {
    const route = { method: 'GET', path: '/x', handler: () => jsonReply(200, {}) };
    expect(() => routeTable([route, route])).toThrow('two handlers for GET /x');
  });
});

describe('headerOf', () => {
  it('finds a header in any letter case, and the first of several', () => {
    const headers = [
      ['x-request-SIGN', 'one'],
      ['X-Request-Sign', 'two'],
    ] as const;
    expect(headerOf(headers, 'X-REQUEST-SIGN')).toBe('one');
    expect(headerOf(headers, 'X-REQUEST-SIG')).toBeUndefined();
  });
});
