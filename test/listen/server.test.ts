import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Handler, jsonReply, type ListenRequest } from '../../src/listen/message.ts';
import { type Limits, type Listening, listen } from '../../src/listen/server.ts';

const open: Listening[] = [];
const faults: unknown[] = [];

afterEach(async () => {
  faults.length = 0;
  await Promise.all(open.splice(0).map((listening) => listening.close(0)));
});

async function start(handler: Handler, limits: Partial<Limits> = {}): Promise<Listening> {
  const listening = await listen(handler, { limits, onFault: (error) => faults.push(error) });
  open.push(listening);
  return listening;
}

/** Writes the pieces one after the other, and reads until the server closes the connection. */
async function speak(url: string, ...pieces: string[]): Promise<string> {
  const socket = await connected(url);
  const heard = listenTo(socket);
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  return heard;
}

function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket)).setNoDelay(true);
    socket.once('error', reject);
  });
}

function listenTo(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
  });
}

function bodyOf(text: string): unknown {
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

describe('listen', () => {
  it('passes the request to the handler without decoding it', async () => {
    const seen: ListenRequest[] = [];
    const { url } = await start((request) => {
      seen.push(request);
      return jsonReply(200, {});
    });
    const body = Buffer.from([0xff, 0x00, 0x7b]);
    await fetch(`${url}/a%2Fb?x=%20+&y`, { method: 'POST', body, headers: { 'X-One': '1' } });
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/a%2Fb', query: 'x=%20+&y' });
    expect(Buffer.from(seen[0]?.body ?? [])).toEqual(body);
    expect(seen[0]?.headers).toContainEqual(['X-One', '1']);
  });

  it('sends status, headers and body, with the length in bytes', async () => {
    const { url } = await start(() => ({ status: 201, headers: [['X-Two', 'é'.normalize()]], body: 'é' }));
    const reply = await fetch(url);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('content-length')).toBe('2');
    expect(await reply.text()).toBe('é');
  });

  it('joins a body that arrives in pieces', async () => {
    const { url } = await start((request) => jsonReply(200, Buffer.from(request.body).toString()));
    const text = await speak(
      url,
      'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\n',
      'ab',
      'cd',
      'ef',
    );
    expect(bodyOf(text)).toBe('abcdef');
  });

  it('reads a chunked body', async () => {
    const { url } = await start((request) => jsonReply(200, Buffer.from(request.body).toString()));
    const text = await speak(
      url,
      'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
      '2\r\nab\r\n',
      '1\r\nc\r\n0\r\n\r\n',
    );
    expect(bodyOf(text)).toBe('abc');
  });

  it('understands the absolute form of a request target', async () => {
    const { url } = await start((request) => jsonReply(200, [request.path, request.query]));
    const text = await speak(
      url,
      `GET http://elsewhere/bet?a=1 HTTP/1.1\r\nHost: elsewhere\r\nConnection: close\r\n\r\n`,
    );
    expect(bodyOf(text)).toEqual(['/bet', 'a=1']);
  });

  it('answers 413 for a body above the limit, and keeps the connection open', async () => {
    const { url } = await start((request) => jsonReply(200, request.body.length), { bodyBytes: 10 });
    const text = await speak(
      url,
      `POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n${'x'.repeat(11)}`,
      `POST / HTTP/1.1\r\nContent-Length: 10\r\nConnection: close\r\n\r\n${'x'.repeat(10)}`,
    );
    expect(text).toMatch(/^HTTP\/1.1 413 .*"The body is larger than 10 bytes.".*HTTP\/1.1 200 .*\r\n\r\n10$/s);
  });

  it.each([
    ['a request that is not HTTP', 'HELLO\r\n\r\n', 400],
    ['a wrong content length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n', 400],
    ['headers above the limit', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(2000)}\r\n\r\n`, 431],
    ['an expectation that cannot be met', 'GET / HTTP/1.1\r\nExpect: tea\r\nConnection: close\r\n\r\n', 417],
  ])('answers %s with a JSON message', async (_what, bytes, status) => {
    const { url } = await start(() => jsonReply(200, {}), { headerBytes: 1000 });
    const text = await speak(url, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(bodyOf(text)).toEqual({ message: expect.any(String) });
  });

  it.each([
    ['with headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['with a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab'],
  ])('answers a request %s that never ends with 408, without calling the handler', async (_what, bytes) => {
    let called = 0;
    const { url } = await start(
      () => {
        called += 1;
        return jsonReply(200, {});
      },
      { headersMs: 60, requestMs: 60 },
    );
    const text = await speak(url, bytes);
    expect(text).toMatch(/^HTTP\/1.1 408 /);
    expect(bodyOf(text)).toEqual({ message: 'The request took too long to arrive.' });
    expect(called).toBe(0);
  });

  it('does not call the handler for a body that is cut off', async () => {
    const paths: string[] = [];
    const { url } = await start((request) => {
      paths.push(request.path);
      return jsonReply(200, {});
    });
    const socket = await connected(url);
    await new Promise((resolve) => socket.write('POST /broken HTTP/1.1\r\nContent-Length: 5\r\n\r\nab', resolve));
    socket.destroy();
    await fetch(`${url}/next`);
    await fetch(`${url}/next`);
    expect(paths).toEqual(['/next', '/next']);
  });

  it('calls the handler even if the caller closes the connection after the last byte', async () => {
    const called = Promise.withResolvers<string>();
    const { url } = await start((request) => {
      called.resolve(request.path);
      return jsonReply(200, {});
    });
    const socket = await connected(url);
    await new Promise((resolve) => socket.write('POST /left HTTP/1.1\r\nContent-Length: 2\r\n\r\nab', resolve));
    socket.destroy();
    expect(await called.promise).toBe('/left');
  });

  it('answers 500 without details when the handler throws, and reports the fault', async () => {
    const { url } = await start(() => {
      throw new Error('table tx is locked');
    });
    const reply = await fetch(url);
    expect(reply.status).toBe(500);
    expect(await reply.text()).not.toContain('locked');
    expect(faults).toEqual([new Error('table tx is locked')]);
  });

  it('reports the requests that it answered without the handler', async () => {
    const refused: unknown[] = [];
    const listening = await listen(() => jsonReply(200, {}), {
      limits: { bodyBytes: 4, headersMs: 80 },
      onFault: (error) => faults.push(error),
      onRefused: (one) => refused.push(one),
    });
    open.push(listening);
    await fetch(`${listening.url}/a?b`, { method: 'POST', body: '12345' });
    await speak(listening.url, 'GET / HTTP/1.1\r\nExpect: miracles\r\nConnection: close\r\n\r\n');
    await speak(listening.url, 'nonsense\r\n\r\n');
    await speak(listening.url, 'GET / HTTP/1.1\r\nHost:');
    await speak(listening.url);
    await fetch(listening.url);
    expect(refused).toMatchObject([
      { status: 413, head: { method: 'POST', target: '/a?b' } },
      { status: 417, head: { headers: [['Expect', 'miracles'], expect.anything()] } },
      { status: 400, message: 'This is not a well-formed HTTP request.' },
      { status: 408 },
    ]);
  });

  it('answers many connections at once', async () => {
    const { url } = await start(async (request) => {
      await new Promise((resolve) => setImmediate(resolve));
      return jsonReply(200, request.query);
    });
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, n) => fetch(`${url}/?${n}`).then((r) => r.json())),
    );
    expect(replies).toEqual(Array.from({ length: 60 }, (_, n) => String(n)));
  });

  it('names the reason if the port is in use', async () => {
    const { url } = await start(() => jsonReply(200, {}));
    const port = Number(new URL(url).port);
    await expect(listen(() => jsonReply(200, {}), { port, onFault: () => {} })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another program uses this port`,
    );
  });
});

describe('close', () => {
  it('waits for the reply in progress and refuses new connections', async () => {
    const held = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    const listening = await start(async () => {
      inside.resolve();
      await held.promise;
      return jsonReply(200, 'done');
    });
    const pending = fetch(listening.url);
    await inside.promise;
    const closed = listening.close(10_000);
    await expect(fetch(listening.url)).rejects.toThrow();
    held.resolve();
    const reply = await pending;
    expect(await reply.json()).toBe('done');
    expect(reply.headers.get('connection')).toBe('close');
    await closed;
  });

  it('closes idle connections', async () => {
    const listening = await start(() => jsonReply(200, {}));
    const socket = await connected(listening.url);
    const heard = listenTo(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    await listening.close(10_000);
    expect(await heard).toMatch(/^HTTP\/1.1 200 /);
  });

  it('closes connections that are still open after the grace, and can be called twice', async () => {
    const listening = await start(() => new Promise(() => {}));
    const pending = speak(listening.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await fetch(listening.url, { signal: AbortSignal.timeout(50) }).catch(() => {});
    await Promise.all([listening.close(20), listening.close(20)]);
    expect(await pending).toBe('');
  });
});
