import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { certificateComplaint } from './certificate.ts';
import { connectFailure, WireFailure } from './failure.ts';
import type { Origin } from './origin.ts';
import type { HttpProxy } from './proxy.ts';

/** How connections are made, the same for all of one wire. */
export interface Route {
  readonly proxy: HttpProxy | null;
  /** Where to connect to instead of where the URL points. Host header, SNI and the certificate's name stay the URL's. */
  readonly override: { readonly hostname: string; readonly port: number | null } | null;
  /** Own CA and client certificate; null for the defaults. */
  readonly context: tls.SecureContext | null;
  /** Takes any certificate. */
  readonly insecure: boolean;
}

/** Told of each phase as it ends. */
export interface ConnectWatch {
  onResolved(): void;
  onConnected(): void;
  onSecured(): void;
}

type Done = (error: Error | null, socket: net.Socket | null) => void;

/** What is being made at the moment, so that it can be given up. */
interface Making {
  current: { destroy(): unknown };
}

const ignore = () => {};

function where(hostname: string, port: number): string {
  return net.isIPv6(hostname) ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function openTcp(hostname: string, port: number, making: Making, watch: ConnectWatch, done: Done): void {
  const socket = net.connect({ host: hostname, port });
  making.current = socket;
  socket.setNoDelay(true);
  const fail = (error: Error) => done(connectFailure(error, where(hostname, port)), null);
  socket.once('lookup', (error: Error | null) => {
    if (!error) watch.onResolved();
  });
  socket.once('error', fail);
  socket.once('connect', () => {
    socket.off('error', fail);
    // Later errors are undici's to tell; between the two owners none may be unheard, which would end the process.
    socket.on('error', ignore);
    watch.onConnected();
    done(null, socket);
  });
}

/** A tunnel through an HTTP proxy (RFC 9110 §9.3.6), for http: targets too, so that no proxy rewrites a request. */
function openTunnel(proxy: HttpProxy, target: string, making: Making, watch: ConnectWatch, done: Done): void {
  const request = (proxy.secure ? https : http).request({
    host: proxy.hostname,
    port: proxy.port,
    method: 'CONNECT',
    path: target,
    agent: false,
    headers: { Host: target, ...(proxy.authorization === null ? {} : { 'Proxy-Authorization': proxy.authorization }) },
  });
  making.current = request;
  const name = where(proxy.hostname, proxy.port);
  request.once('socket', (socket) => {
    socket.once('lookup', (error: Error | null) => {
      if (!error) watch.onResolved();
    });
  });
  request.once('error', (error) => {
    const { message } = connectFailure(error, name);
    done(new WireFailure('proxy', `The proxy did not let us through. ${message}`, { cause: error }), null);
  });
  request.once('connect', (response, socket: net.Socket, head) => {
    socket.on('error', ignore);
    making.current = socket;
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      socket.destroy();
      const hint = status === 407 ? ' It wants other credentials.' : '';
      done(new WireFailure('proxy', `The proxy ${name} answered CONNECT ${target} with ${status}.${hint}`), null);
      return;
    }
    socket.setNoDelay(true);
    if (head.length > 0) socket.unshift(head);
    watch.onConnected();
    done(null, socket);
  });
  request.end();
}

function secure(raw: net.Socket, origin: Origin, route: Route, making: Making, watch: ConnectWatch, done: Done): void {
  const { hostname } = origin;
  const socket = tls.connect({
    socket: raw,
    ...(net.isIP(hostname) === 0 ? { servername: hostname } : {}),
    ...(route.context === null ? {} : { secureContext: route.context }),
    ALPNProtocols: ['http/1.1'],
    // Verified below, before the first byte is sent: so the certificate is still at hand to say what is wrong with it.
    rejectUnauthorized: false,
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(hostname, certificate),
  });
  making.current = socket;
  const fail = (error: Error) => {
    const code = 'code' in error ? String(error.code) : '';
    const hint =
      code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG'
        ? ' What answers there does not speak TLS; should the URL begin with http:?'
        : '';
    const said = code === '' ? error.message : code;
    done(new WireFailure('tls', `The TLS handshake with ${hostname} failed (${said}).${hint}`, { cause: error }), null);
  };
  socket.once('error', fail);
  socket.once('secureConnect', () => {
    socket.off('error', fail);
    socket.on('error', ignore);
    if (!socket.authorized && !route.insecure) {
      const complaint = certificateComplaint(String(socket.authorizationError), socket.getPeerCertificate(), hostname);
      socket.destroy();
      done(new WireFailure('tls', complaint), null);
      return;
    }
    watch.onSecured();
    done(null, socket);
  });
}

/**
 * Opens one connection to an origin, through the proxy where there is one.
 *
 * @param done called once, with a {@link WireFailure} or with a socket that is ready to be written to
 * @returns gives the attempt up; `done` may not be called then
 */
export function openConnection(origin: Origin, route: Route, watch: ConnectWatch, done: Done): () => void {
  const making: Making = { current: { destroy: ignore } };
  const hostname = route.override?.hostname ?? origin.hostname;
  const port = route.override?.port ?? origin.port;
  const opened: Done = (error, socket) => {
    if (socket === null || !origin.secure) done(error, socket);
    else secure(socket, origin, route, making, watch, done);
  };
  if (route.proxy === null) openTcp(hostname, port, making, watch, opened);
  else openTunnel(route.proxy, where(hostname, port), making, watch, opened);
  return () => {
    making.current.destroy();
  };
}
