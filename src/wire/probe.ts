import type { Socket } from 'node:net';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { NoReplyReason } from '../journal/exchange.ts';
import { openConnection } from './connect.ts';
import { headText } from './departure.ts';
import { WireFailure } from './failure.ts';
import { readOrigin, splitUrl } from './origin.ts';
import type { BuiltRequest } from './request.ts';
import { routeOf, type WireOptions } from './wire.ts';

/** What was agreed on in a TLS handshake, and who vouches for the server. */
interface Secured {
  /** As OpenSSL names it: `TLSv1.3`. */
  readonly protocol: string;
  /** The subjects' names from the server's certificate up to the last one that it leads to. */
  readonly chain: readonly string[];
  /** When the server's certificate ends, in milliseconds since 1970; null when it says no date. */
  readonly expires: number | null;
  /** What is wrong with the certificate where that was let pass; null when nothing is. */
  readonly complaint: string | null;
}

/** How far one connection came. */
export interface Probe {
  /** True: a host name was looked up and has an address. */
  readonly resolved: boolean;
  /** The address that took the connection; null before that. */
  readonly address: string | null;
  /** How long it took until it was open, in milliseconds; through a proxy until its tunnel was open. */
  readonly connectedMs: number | null;
  readonly secured: Secured | null;
  /** What the reply to the request begins with (`HTTP/1.1 200 OK`), at most 200 characters; null: nothing came. */
  readonly statusLine: string | null;
  /** Why there is no connection; null when there is one. */
  readonly failure: { readonly reason: NoReplyReason; readonly detail: string } | null;
}

const LONGEST_LINE = 200;
const DEADLINE_MS = 5000;

/**
 * Opens a connection as a wire does, sends one request without a body over it, and reads no more than the first line of the
 * reply: for who wants to know how the connection is made, which replies do not tell.
 *
 * @throws TypeError when the options or the request can't be used
 */
export async function probe(request: BuiltRequest, options: WireOptions): Promise<Probe> {
  const now = options.now ?? (() => performance.now());
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
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
    const giveUp = openConnection(origin, routeOf(options), watch, (error, socket) => {
      clearTimeout(timer);
      resolve(error ?? socket ?? new Error('no connection'));
    });
    const timer = setTimeout(() => {
      giveUp();
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

function securedOf(socket: TLSSocket): Secured {
  const certificate = socket.getPeerCertificate(true);
  const expires = Date.parse(certificate.valid_to);
  return {
    protocol: socket.getProtocol() ?? 'TLS',
    chain: chainOf(certificate),
    expires: Number.isNaN(expires) ? null : expires,
    complaint: socket.authorized ? null : String(socket.authorizationError),
  };
}

function chainOf(first: DetailedPeerCertificate): readonly string[] {
  const names: string[] = [];
  const seen = new Set<string>();
  // The last one is its own issuer.
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
      resolve(text === '' ? null : (text.split('\r\n', 1)[0] ?? '').slice(0, LONGEST_LINE));
    };
    const timer = setTimeout(end, deadlineMs);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes('\n') || text.length > LONGEST_LINE) end();
    });
    socket.on('end', end);
    socket.on('close', end);
    socket.on('error', end);
    socket.write(head, 'latin1');
  });
}
