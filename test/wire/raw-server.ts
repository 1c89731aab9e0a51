import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Outcome } from '../../src/journal/exchange.ts';
import type { BuiltRequest } from '../../src/wire/request.ts';
import { Wire, type WireOptions } from '../../src/wire/wire.ts';

/** A server of plain sockets that can send any bytes. It is closed at the end of the test. */
export async function rawServer(onSocket: (socket: net.Socket) => void, secure?: tls.TlsOptions): Promise<number> {
  const sockets = new Set<net.Socket>();
  const welcome = (socket: net.Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    onSocket(socket);
  };
  const server = secure === undefined ? net.createServer(welcome) : tls.createServer(secure, welcome);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Answers each complete request on a connection with the same bytes. */
export function answering(reply: string | Uint8Array): (socket: net.Socket) => void {
  return (socket) =>
    onRequests(socket, () => {
      socket.write(reply);
    });
}

/** Calls `onRequest` with the text of each complete request (head, and body by Content-Length). */
export function onRequests(socket: net.Socket, onRequest: (text: string) => void): void {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (;;) {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      const whole = text.slice(0, head + 4 + length);
      text = text.slice(whole.length);
      onRequest(whole);
    }
  });
}

export const BODY = '{"amount":"1.00"}';

export function post(url: string, body = BODY): BuiltRequest {
  const bytes = Buffer.from(body);
  return { method: 'POST', url, headers: [['X-REQUEST-SIGN', 'abc']], body: bytes, payload: bytes };
}

export function get(url: string): BuiltRequest {
  return { method: 'GET', url, headers: [['X-REQUEST-SIGN', 'abc']], body: null, payload: Buffer.from('{}') };
}

/** A wire that is closed at the end of the test. */
export function openWire(options: WireOptions = {}): Wire {
  const wire = new Wire(options);
  onTestFinished(() => wire.close());
  return wire;
}

/** The status of the reply, or the reason why none came. */
export function reasonOf(outcome: Outcome): string | number {
  return outcome.kind === 'none' ? outcome.reason : outcome.reply.status;
}

export function detailOf(outcome: Outcome): string {
  return outcome.kind === 'none' ? outcome.detail : '';
}

export function ok(body: string, headers = ''): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}
