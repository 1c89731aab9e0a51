import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Handler, type HeaderPairs, jsonReply, type ListenReply } from './message.ts';
import { sendReply } from './sending.ts';

export interface ListenOptions {
  /** The port. With 0, the default, the system chooses a free port. */
  readonly port?: number;
  /** The address to listen on. The default is loopback, because no server of croupier is made for a public network. */
  readonly host?: string;
  readonly limits?: Partial<Limits>;
  /** Is called with each error that a handler threw. The caller gets status 500 without the error. */
  readonly onFault: (error: unknown) => void;
  /** Is called with each request that was answered without the handler: it was not HTTP, too large or too slow. */
  readonly onRefused?: (refused: Refused) => void;
}

/** A request that was answered without the handler. */
export interface Refused {
  readonly status: number;
  readonly message: string;
  /** The method, target and headers of the request. Left out if they could not be read. */
  readonly head?: { readonly method: string; readonly target: string; readonly headers: HeaderPairs };
}

export interface Listening {
  /**
   * The address of the server, without a trailing slash, such as `http://127.0.0.1:41234`. If the server listens on all
   * addresses of this machine, it is the address on loopback.
   */
  readonly url: string;
  /**
   * Stops accepting connections, closes idle connections, and waits for the replies in progress. After `graceMs`
   * milliseconds it closes all connections. A second call returns the same promise.
   */
  readonly close: (graceMs?: number) => Promise<void>;
}

/**
 * Opens a port and answers its requests with the handler. A request that is not HTTP, too large or too slow is answered
 * with an error status of RFC 9110 and a JSON `message`. A request that is cut off does not reach the handler.
 *
 * @throws Error with the address and the reason if the port can't be opened
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
    // No handler needs the Host header. If it were required, Node would answer a request without this header with an empty 400.
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
    refuse(
      417,
      'The only Expect header that this server supports is 100-continue. Send the request without the Expect header.',
      incoming,
      response,
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // While a reply is being sent on this connection, the client would read an error reply as a part of that reply. So
    // the connection is closed without an error reply.
    if (!socket.writable || answering.has(socket) || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, phrase, message] = CLIENT_ERRORS.get(error.code) ?? NOT_HTTP;
    const body = JSON.stringify({ message });
    socket.end(
      `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    );
    // A connection that was opened and never used is not reported as a request.
    if (socket.bytesRead > 0) options.onRefused?.({ status, message });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(cannotOpen(host, options.port ?? 0, error))),
    );
    server.listen(options.port ?? 0, host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  const reached = ONE_OF_ALL.get(address) ?? address;

  return {
    url: `http://${family === 'IPv6' ? `[${reached}]` : reached}:${port}`,
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

/**
 * Addresses that mean all addresses of this machine. A program can't connect to such an address, so each of them has a loopback
 * address that the URL contains instead.
 */
const ONE_OF_ALL: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** Returns true if a header announces a body (RFC 9112, 6.3). */
function hasBody(incoming: IncomingMessage): boolean {
  const { headers } = incoming;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<readonly Uint8Array[] | 'too-large' | 'broken-off'> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      // Bytes above the limit are read and dropped. If the connection were closed at once, many clients would not see
      // the reply.
      if (length <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    incoming.on('end', () => {
      if (length > maxBytes) resolve('too-large');
      else resolve(chunks);
    });
    incoming.on('error', () => resolve('broken-off'));
    incoming.on('close', () => resolve('broken-off'));
  });
}

/**
 * Returns the path and query of a request target. The target may be a whole URL, as clients send it to proxies (RFC
 * 9112, 3.2.2).
 */
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

type ClientError = readonly [status: number, phrase: string, message: string];

const CLIENT_ERRORS: ReadonlyMap<string | undefined, ClientError> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'Request Timeout', 'The request took too long to arrive.']],
  [
    'HPE_HEADER_OVERFLOW',
    [431, 'Request Header Fields Too Large', 'The headers are too large. Send fewer or shorter headers.'],
  ],
]);

const NOT_HTTP: ClientError = [400, 'Bad Request', 'This is not a well-formed HTTP request.'];

const PORT_ERRORS: ReadonlyMap<string | undefined, string> = new Map([
  ['EADDRINUSE', 'another program uses this port; choose another port, or 0 for any free port'],
  [
    'EACCES',
    'croupier has no permission to use this port; ports below 1024 usually need privileges, so choose a higher port',
  ],
  ['EADDRNOTAVAIL', 'this machine does not have that address'],
]);

/** Says why a server can't listen on an address, in plain words. */
export function cannotOpen(host: string, port: number, error: NodeJS.ErrnoException): string {
  return `cannot listen on ${host}:${port}: ${PORT_ERRORS.get(error.code) ?? error.message}`;
}

/** The limits of a request and its connection. */
export interface Limits {
  /** The maximum size of a body, in bytes. A larger body is read to its end, dropped, and answered 413. */
  readonly bodyBytes: number;
  /** The maximum size of all header lines together, in bytes. Larger headers are answered 431. */
  readonly headerBytes: number;
  /** The milliseconds in which all header lines must arrive. A slower request is answered 408. */
  readonly headersMs: number;
  /** The milliseconds in which the whole request must arrive. A slower request is answered 408. */
  readonly requestMs: number;
  /** The milliseconds without any byte of a request or its reply after which the connection is closed. */
  readonly idleMs: number;
  /** The milliseconds for which an idle connection stays open. */
  readonly keepAliveMs: number;
}

/**
 * The default limits, which are far above the needs of the contract's calls. Idle connections stay open longer than clients usually
 * keep them: if the server closed a connection first, it could break a request that is already being sent.
 */
const DEFAULT_LIMITS: Limits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  keepAliveMs: 65_000,
};
