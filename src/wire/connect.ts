import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { PeerCertificate } from 'node:tls';
import tls from 'node:tls';
import { connectFailure, WireFailure } from './failure.ts';
import type { HttpProxy, Origin } from './origin.ts';

/** The settings for the connections of a wire (the part of croupier that sends calls). */
export interface Route {
  readonly proxy: HttpProxy | null;
  /**
   * The address to connect to instead of the address in the URL. The Host header, SNI and the expected name in the
   * certificate are still taken from the URL.
   */
  readonly override: { readonly hostname: string; readonly port: number | null } | null;
  /** The configured CA and client certificate. null for the defaults. */
  readonly context: tls.SecureContext | null;
  /** True if any certificate is accepted. */
  readonly insecure: boolean;
}

/** Callbacks at the end of each phase of a connection attempt. */
export interface ConnectListener {
  onResolved(): void;
  onConnected(): void;
  onSecured(): void;
  /**
   * If given, an unencrypted connection without a proxy stores received bytes in this buffer and calls this function instead of
   * `data` listeners. This saves Node a new buffer for each piece of data. The bytes are valid only during the call. The function
   * returns false if the socket must receive nothing more until its `read` is called.
   */
  readonly received?: { readonly buffer: Buffer; readonly onReceived: (length: number) => boolean };
}

type Done = (error: Error | null, socket: net.Socket | null) => void;

/** The socket or request of the current step, so that the attempt can be cancelled. */
interface ConnectAttempt {
  current: { destroy(): unknown };
}

const ignoreError = () => {};

function where(hostname: string, port: number): string {
  return net.isIPv6(hostname) ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function openTcp(
  hostname: string,
  port: number,
  attempt: ConnectAttempt,
  watch: ConnectListener,
  onread: net.OnReadOpts | undefined,
  done: Done,
): void {
  const socket = net.connect({ host: hostname, port, ...(onread && { onread }) });
  attempt.current = socket;
  socket.setNoDelay(true);
  const fail = (error: Error) => done(connectFailure(error, where(hostname, port)), null);
  socket.once('lookup', (error: Error | null) => {
    if (!error) watch.onResolved();
  });
  socket.once('error', fail);
  socket.once('connect', () => {
    socket.off('error', fail);
    // Until undici owns the socket, an error without a listener would end the process. After that, undici reports the errors.
    socket.on('error', ignoreError);
    watch.onConnected();
    done(null, socket);
  });
}

/**
 * Opens a tunnel through an HTTP proxy (RFC 9110 §9.3.6). A target whose URL begins with `http:` gets a tunnel too, so that no
 * proxy rewrites a request.
 */
function openTunnel(
  proxy: HttpProxy,
  target: string,
  attempt: ConnectAttempt,
  watch: ConnectListener,
  done: Done,
): void {
  const request = (proxy.secure ? https : http).request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: target,
    agent: false,
    headers: { Host: target, ...(proxy.authorization === null ? {} : { 'Proxy-Authorization': proxy.authorization }) },
  });
  attempt.current = request;
  const name = where(proxy.hostname, proxy.port);
  request.once('socket', (socket) => {
    socket.once('lookup', (error: Error | null) => {
      if (!error) watch.onResolved();
    });
  });
  request.once('error', (error) => {
    const { message } = connectFailure(error, name);
    done(new WireFailure('proxy', `The proxy did not open a tunnel. ${message}`, { cause: error }), null);
  });
  request.once('connect', (response, socket: net.Socket, head) => {
    socket.on('error', ignoreError);
    attempt.current = socket;
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      socket.destroy();
      const hint = status === 407 ? ' It requires other credentials.' : '';
      done(new WireFailure('proxy', `The proxy ${name} answered CONNECT ${target} with ${status}.${hint}`), null);
      return;
    }
    // These first bytes come neither from a TLS server nor from an HTTP server: both wait for the client. So they are not a part of
    // a reply.
    if (head.length > 0) {
      socket.destroy();
      done(
        new WireFailure('proxy', `The proxy ${name} sent ${head.length} bytes after its answer to CONNECT ${target}.`),
        null,
      );
      return;
    }
    socket.setNoDelay(true);
    watch.onConnected();
    done(null, socket);
  });
  request.end();
}

function secure(
  raw: net.Socket,
  origin: Origin,
  route: Route,
  attempt: ConnectAttempt,
  watch: ConnectListener,
  done: Done,
): void {
  const { hostname } = origin;
  const socket = tls.connect({
    socket: raw,
    ...(net.isIP(hostname) === 0 ? { servername: hostname } : {}),
    ...(route.context === null ? {} : { secureContext: route.context }),
    ALPNProtocols: ['http/1.1'],
    // The certificate is verified below, before the first byte is sent, so that the message can say what is wrong with it.
    rejectUnauthorized: false,
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(hostname, certificate),
  });
  attempt.current = socket;
  const fail = (error: Error) => {
    const code = 'code' in error ? String(error.code) : '';
    const hint =
      code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG'
        ? ' The server does not use TLS. Should the URL begin with http:?'
        : '';
    const cause = code === '' ? error.message : code;
    done(
      new WireFailure('tls', `The TLS handshake with ${hostname} failed (${cause}).${hint}`, { cause: error }),
      null,
    );
  };
  socket.once('error', fail);
  socket.once('secureConnect', () => {
    socket.off('error', fail);
    socket.on('error', ignoreError);
    if (!socket.authorized && !route.insecure) {
      const problem = certificateProblem(String(socket.authorizationError), socket.getPeerCertificate(), hostname);
      socket.destroy();
      done(new WireFailure('tls', problem), null);
      return;
    }
    watch.onSecured();
    done(null, socket);
  });
}

/**
 * Opens one connection to an origin, through the proxy if there is one.
 *
 * @param done called once, with a {@link WireFailure} or with a socket that can be written to
 * @returns a function that cancels the attempt; after that, it is possible that `done` is never called
 */
export function openConnection(origin: Origin, route: Route, watch: ConnectListener, done: Done): () => void {
  const attempt: ConnectAttempt = { current: { destroy: ignoreError } };
  const hostname = route.override?.hostname ?? origin.hostname;
  const port = route.override?.port ?? origin.port;
  const opened: Done = (error, socket) => {
    if (socket === null || !origin.secure) done(error, socket);
    else secure(socket, origin, route, attempt, watch, done);
  };
  if (route.proxy === null)
    openTcp(hostname, port, attempt, watch, origin.secure ? undefined : onreadOf(watch), opened);
  else openTunnel(route.proxy, where(hostname, port), attempt, watch, opened);
  return () => {
    attempt.current.destroy();
  };
}

function onreadOf({ received }: ConnectListener): net.OnReadOpts | undefined {
  if (!received) return undefined;
  const { buffer, onReceived } = received;
  return { buffer, callback: onReceived };
}

function names(certificate: PeerCertificate): string {
  const alternative = certificate.subjectaltname;
  if (alternative) return alternative.replaceAll(/(?:DNS|IP Address):/g, '');
  const common = certificate.subject?.CN;
  return common === undefined ? 'no name' : String(common);
}

/**
 * Describes the problem of a server's certificate in a sentence.
 *
 * @param code the error code of OpenSSL or of the name check, as in `TLSSocket.authorizationError`
 * @param hostname the name that the certificate must be for
 */
function certificateProblem(code: string, certificate: PeerCertificate, hostname: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `The certificate of ${hostname} expired on ${certificate.valid_to} (${code}).`;
    case 'CERT_NOT_YET_VALID':
      return `The certificate of ${hostname} is not valid before ${certificate.valid_from} (${code}).`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate is for ${names(certificate)}, not for ${hostname} (${code}).`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `The certificate of ${hostname} is self-signed (${code}). To trust this certificate, name its file with --ca, or as tls.ca in croupier.yaml.`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `The certificate of ${hostname} was issued by a CA that is not trusted (${code}). To trust this CA, name the file of its certificate with --ca, or as tls.ca in croupier.yaml.`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `croupier does not know the issuer of the certificate of ${hostname} (${code}). The CA may be your own, or the server may leave out an intermediate certificate.`;
    case 'CERT_REVOKED':
      return `The certificate of ${hostname} was revoked (${code}).`;
    default:
      return `The certificate of ${hostname} is not acceptable (${code}).`;
  }
}
