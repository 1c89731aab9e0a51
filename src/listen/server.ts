import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { type Handler, type HeaderPairs, jsonReply, type ListenReply } from './message.ts';
import { sendReply } from './sending.ts';

export interface ListenOptions {
  /** 0, the default, lets the system choose a free one. */
  readonly port?: number;
  /** Loopback by default: nothing here is meant for a public network. */
  readonly host?: string;
  readonly limits?: Partial<Limits>;
  /** Hears of what a handler threw; the caller only ever reads a plain 500. */
  readonly onFault: (error: unknown) => void;
  /** Hears of what was answered before any handler saw it: no HTTP, too large, too slow. */
  readonly onRefused?: (refused: Refused) => void;
}

/** A request that no handler saw. */
export interface Refused {
  readonly status: number;
  readonly message: string;
  /** Method, target and headers, where these could be read. */
  readonly head?: { readonly method: string; readonly target: string; readonly headers: HeaderPairs };
}

export interface Listening {
  /** Without a slash at the end: `http://127.0.0.1:41234`. */
  readonly url: string;
  /**
   * Takes no more connections, closes those between requests, and waits for the replies under way; what is still open
   * after the grace (milliseconds) is cut off. May be called again.
   */
  readonly close: (graceMs?: number) => Promise<void>;
}

/**
 * Opens a port and answers what arrives there with the handler. Whatever is not HTTP, too large or too slow is answered
 * with a status of RFC 9110 and a JSON `message`; a request that breaks off before its end never reaches the handler.
 *
 * @throws Error when the port cannot be opened, with the address and the reason
 */
export async function listen(handler: Handler, options: ListenOptions): Promise<Listening> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const host = options.host ?? '127.0.0.1';
  const answering = new WeakSet<Socket>();
  let closing: Promise<void> | undefined;

  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(10, Math.min(1000, limits.headersMs / 4, limits.requestMs / 4)),
    noDelay: true,
    // Node would answer a missing Host with an empty 400; no handler here looks at it.
    requireHostHeader: false,
  });
  server.timeout = limits.idleMs;

  const send = (response: ServerResponse, reply: ListenReply): void => {
    sendReply(response, reply, closing !== undefined);
  };

  const refuse = (status: number, message: string, incoming: IncomingMessage, response: ServerResponse): void => {
    send(response, jsonReply(status, { message }));
    const head = {
      method: incoming.method ?? 'GET',
      target: incoming.url ?? '/',
      headers: pairs(incoming.rawHeaders),
    };
    options.onRefused?.({ status, message, head });
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces = hasBody(incoming) ? await readBody(incoming, limits.bodyBytes) : [];
    if (pieces === 'broken-off') return;
    if (pieces === 'too-large') {
      refuse(413, `The body is larger than ${limits.bodyBytes} bytes.`, incoming, response);
      return;
    }
    const socket = incoming.socket;
    answering.add(socket);
    try {
      const [path, query] = target(incoming.url ?? '/');
      const reply = await handler({
        method: incoming.method ?? 'GET',
        path,
        query,
        headers: pairs(incoming.rawHeaders),
        body: pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces),
        pieces,
        isGone: () => socket.destroyed || !socket.readable,
      });
      send(response, reply);
    } catch (error) {
      options.onFault(error);
      if (response.headersSent) response.destroy();
      else send(response, jsonReply(500, { message: 'Something went wrong on our side. Please try again later.' }));
    } finally {
      answering.delete(socket);
    }
  };

  server.on('request', (incoming, response) => void answer(incoming, response));
  server.on('checkExpectation', (incoming: IncomingMessage, response: ServerResponse) => {
    refuse(417, 'The only expectation that can be met is 100-continue.', incoming, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // While a reply is under way, further bytes on its connection would be taken for that reply.
    if (!socket.writable || answering.has(socket) || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, phrase, message] = COMPLAINTS.get(error.code) ?? NOT_HTTP;
    const body = JSON.stringify({ message });
    socket.end(
      `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    );
    // A connection that was opened ahead and never used is no request.
    if (socket.bytesRead > 0) options.onRefused?.({ status, message });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(cannotOpen(host, options.port ?? 0, error))),
    );
    server.listen(options.port ?? 0, host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;

  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: (graceMs = 2000) => {
      closing ??= new Promise<void>((resolve) => {
        const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cutOff);
          resolve();
        });
      });
      return closing;
    },
  };
}

/** A request has a body exactly when one of these says so (RFC 9112, 6.3). */
function hasBody(incoming: IncomingMessage): boolean {
  const { headers } = incoming;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function readBody(incoming: IncomingMessage, cap: number): Promise<readonly Uint8Array[] | 'too-large' | 'broken-off'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      // What is above the cap is read and dropped: closing at once would make many clients lose the reply.
      if (length <= cap) chunks.push(chunk);
      else chunks.length = 0;
    });
    incoming.on('end', () => {
      if (length > cap) resolve('too-large');
      else resolve(chunks);
    });
    incoming.on('error', () => resolve('broken-off'));
    incoming.on('close', () => resolve('broken-off'));
  });
}

/** Path and query of a request target, also of the absolute form that clients send to proxies (RFC 9112, 3.2.2). */
function target(url: string): readonly [path: string, query: string] {
  const origin = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0 ? [origin, ''] : [origin.slice(0, mark), origin.slice(mark + 1)];
}

function pairs(rawHeaders: readonly string[]): HeaderPairs {
  const result: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) result.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return result;
}

type Complaint = readonly [status: number, phrase: string, message: string];

const COMPLAINTS: ReadonlyMap<string | undefined, Complaint> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout', 'The request took too long to arrive.']],
  ['HPE_HEADER_OVERFLOW', [431, 'Request Header Fields Too Large', 'The headers are too large.']],
]);

const NOT_HTTP: Complaint = [400, 'Bad Request', 'This is not a well-formed HTTP request.'];

const PORT_TROUBLE: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'another program already does; choose another port, or 0 for a free one'],
  ['EACCES', 'not permitted; ports below 1024 usually need privileges, so choose a higher one'],
  ['EADDRNOTAVAIL', 'this machine does not have that address'],
]);

function cannotOpen(host: string, port: number, error: NodeJS.ErrnoException): string {
  return `cannot listen on ${host}:${port}: ${PORT_TROUBLE.get(error.code) ?? error.message}`;
}
