import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type HeaderPairs, jsonReply, type Transfer } from '../../src/listen/message.ts';
import { type Listening, listen } from '../../src/listen/server.ts';

const open: Listening[] = [];
afterEach(() => Promise.all(open.splice(0).map((listening) => listening.close(0))));

async function start(transfer: Transfer, headers: HeaderPairs = []): Promise<string> {
  const listening = await listen(() => ({ ...jsonReply(200, 'twelve bytes', headers), transfer }), {
    onFault: (error) => {
      throw error;
    },
  });
  open.push(listening);
  return listening.url;
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST_GET = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** Writes a request and reads until the server closes the connection. */
function speak(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(request)).setNoDelay(true);
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

describe('a reply', () => {
  it('is sent with its length by default', async () => {
    expect(await speak(await start({}), LAST_GET)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Content-Length: 14\r\n/s);
  });

  it('is sent in chunks if its length is left out', async () => {
    const text = await speak(await start({ lengthUnknown: true, pieces: { count: 2, gapMs: 0 } }), LAST_GET);
    expect(text).not.toMatch(/content-length/i);
    expect(text).toContain('\r\n\r\n7\r\n"twelve\r\n7\r\n bytes"\r\n0\r\n\r\n');
  });

  it('is sent in pieces within its length', async () => {
    const text = await speak(await start({ pieces: { count: 5, gapMs: 1 } }), LAST_GET);
    expect(text).toMatch(/Content-Length: 14\r\n.*\r\n\r\n"twelve bytes"$/s);
    expect(text).not.toMatch(/transfer-encoding/i);
  });

  it('is sent as HTTP/1.0, and the connection is closed although the caller would keep it', async () => {
    const text = await speak(await start({ closeWithVersion: 'HTTP/1.0' }), GET);
    expect(text).toMatch(/^HTTP\/1\.0 200 OK\r\n.*Content-Length: 14\r\n.*\r\n\r\n"twelve bytes"$/s);
  });

  it('ends with the connection if it has neither a length nor chunks', async () => {
    const text = await speak(await start({ closeWithVersion: 'HTTP/1.1', lengthUnknown: true }), GET);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*\r\n\r\n"twelve bytes"$/s);
    expect(text).not.toMatch(/content-length|transfer-encoding/i);
  });

  it.each([
    ['lower', /^[a-z-]+: /],
    ['upper', /^[A-Z-]+: /],
  ] as const)('has header names in %s case, all of them', async (headerCase, pattern) => {
    const text = await speak(await start({ headerCase }, [['X-Mixed', 'Value']]), LAST_GET);
    const lines = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n').slice(1);
    expect(lines.filter((line) => !pattern.test(line) && !line.startsWith('Connection: '))).toEqual([]);
    expect(text).toContain(': Value\r\n');
  });

  it('is sent after the interim replies', async () => {
    const text = await speak(await start({ interim: [100, 102, 103] }), LAST_GET);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 102', 'HTTP/1.1 103', 'HTTP/1.1 200']);
  });
});

describe('a connection that is closed without notice', () => {
  it('is closed after the reply, although the caller would keep it', async () => {
    const text = await speak(await start({ closeAfterMs: 0 }, [['Connection', 'keep-alive']]), GET);
    expect(text).toMatch(/Connection: keep-alive\r\n.*"twelve bytes"$/s);
    expect(text).not.toMatch(/keep-alive: timeout/i);
  });

  it('stays open for a request whose first bytes arrive in time', async () => {
    const url = await start({ closeAfterMs: 250 });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setNoDelay(true);
    let replies = 0;
    const first = new Promise((resolve) => socket.once('data', resolve));
    socket.on('data', (chunk) => {
      replies += chunk.toString().match(/^HTTP\/1\.1 200/gm)?.length ?? 0;
    });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(GET);
    await first;
    socket.write(GET.slice(0, 10));
    await sleep(350);
    socket.write(GET.slice(10));
    await closed;
    expect(replies).toBe(2);
  });

  it('gets no further pieces while its caller does not read, and the reply ends when the caller closes it', async () => {
    const sent = { pieces: 0, over: false };
    const piece = 'x'.repeat(65_536);
    const body = async function* (): AsyncGenerator<string> {
      try {
        for (;;) {
          sent.pieces += 1;
          yield piece;
          await sleep(0);
        }
      } finally {
        sent.over = true;
      }
    };
    const listening = await listen(() => ({ status: 200, headers: [], body: body() }), { onFault: () => {} });
    open.push(listening);
    const { hostname, port } = new URL(listening.url);
    const socket = connect(Number(port), hostname, () => socket.write(GET));
    // The socket is never read, so only the buffers of the system are filled.
    let before = -1;
    while (before !== sent.pieces || sent.pieces === 0) {
      before = sent.pieces;
      await sleep(100);
    }
    expect(sent).toMatchObject({ over: false });
    socket.destroy();
    await vi.waitFor(() => expect(sent.over).toBe(true));
  });
});
