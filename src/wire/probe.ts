import type { Socket } from 'node:net';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { REPLY_DEADLINE_MS } from '../contract/limits.ts';
import type { NoReplyReason } from '../journal/exchange.ts';
import { openConnection } from './connect.ts';
import { WireFailure } from './failure.ts';
import { readOrigin, splitUrl } from './origin.ts';
import type { BuiltRequest } from './request.ts';
import { headText } from './request-bytes.ts';
import { routeOf, type WireOptions } from './wire.ts';

/** The result of a TLS handshake: the protocol and the server's certificate. */
interface TlsInfo {
  /** The version of TLS, in the notation of OpenSSL: `TLSv1.3`. */
  readonly protocol: string;
  /** The subject of each certificate, from the certificate of the server to the certificate of the last issuer. */
  readonly chain: readonly string[];
  /** The time at which the certificate of the server expires, in milliseconds since 1970. null if it has no date. */
  readonly expires: number | null;
  /**
   * The problem of the certificate, if it was accepted in spite of the problem. null if the certificate has no problem.
   */
  readonly problem: string | null;
}

/** The result of one connection attempt. */
export interface Probe {
  /** True if a host name was looked up and has an address. */
  readonly resolved: boolean;
  /** The address that accepted the connection. null if no address accepted it. */
  readonly address: string | null;
  /**
   * Milliseconds until the connection was open or, with a proxy, until the tunnel was open. null if it was never open.
   */
  readonly connectedMs: number | null;
  readonly secured: TlsInfo | null;
  /** The first line of the reply (`HTTP/1.1 200 OK`), at most 200 characters. null if nothing arrived. */
  readonly statusLine: string | null;
  /** The reason why there is no connection. null if there is a connection. */
  readonly failure: { readonly reason: NoReplyReason; readonly detail: string } | null;
}

const MAX_LINE = 200;

/**
 * Opens a connection with the settings of a wire, sends one request without a body, and reads only the first line of the
 * reply. Reports details of the connection that replies do not contain.
 *
 * @throws TypeError if the options or the request are not valid
 */
export async function probe(request: BuiltRequest, options: WireOptions): Promise<Probe> {
  const now = options.now ?? (() => performance.now());
  const deadlineMs = options.deadlineMs ?? REPLY_DEADLINE_MS;
  const origin = readOrigin(splitUrl(request.url).base);
  const head = headText(request, origin.authority);
  const begun = now();
  let resolved = false;
  let connectedMs: number | null = null;
  const watch = {
    onResolved: () => {
      resolved = true;
    },
    onConnected: () => {
      connectedMs = now() - begun;
    },
    onSecured: () => {},
  };
  const opened = await new Promise<Socket | Error>((resolve) => {
    const cancel = openConnection(origin, routeOf(options), watch, (error, socket) => {
      clearTimeout(timer);
      resolve(error ?? socket ?? new Error('no connection'));
    });
    const timer = setTimeout(() => {
      cancel();
      const what = connectedMs === null ? 'No connection was made' : 'The TLS handshake did not end';
      resolve(new WireFailure('connect-timeout', `${what} within ${deadlineMs} ms.`));
    }, deadlineMs);
  });
  if (opened instanceof Error) {
    const reason = opened instanceof WireFailure ? opened.reason : 'unreachable';
    const failure = { reason, detail: opened.message };
    return { resolved, address: null, connectedMs, secured: null, statusLine: null, failure };
  }
  const address = opened.remoteAddress ?? null;
  const secured = opened instanceof TLSSocket ? securedOf(opened) : null;
  const statusLine = await firstLine(opened, head, deadlineMs);
  opened.destroy();
  return { resolved, address, connectedMs, secured, statusLine, failure: null };
}

function securedOf(socket: TLSSocket): TlsInfo {
  const certificate = socket.getPeerCertificate(true);
  const expires = Date.parse(certificate.valid_to);
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    chain: chainOf(certificate),
    expires: Number.isNaN(expires) ? null : expires,
    problem: socket.authorized ? null : String(socket.authorizationError),
  };
}

function chainOf(first: DetailedPeerCertificate): readonly string[] {
  const names: string[] = [];
  const seen = new Set<string>();
  // The last certificate is its own issuer, which ends the loop.
  for (
    let at: DetailedPeerCertificate | undefined = first;
    at?.fingerprint256 !== undefined && !seen.has(at.fingerprint256);
    at = at.issuerCertificate
  ) {
    seen.add(at.fingerprint256);
    names.push(String(at.subject?.CN ?? at.subject?.O ?? at.subjectaltname ?? 'no name'));
  }
  return names;
}

function firstLine(socket: Socket, head: string, deadlineMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const end = () => {
      clearTimeout(timer);
      resolve(text === '' ? null : (text.split('\r\n', 1)[0] ?? '').slice(0, MAX_LINE));
    };
    const timer = setTimeout(end, deadlineMs);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes('\n') || text.length > MAX_LINE) end();
    });
    socket.on('end', end);
    socket.on('close', end);
    socket.on('error', end);
    socket.write(head, 'latin1');
  });
}
