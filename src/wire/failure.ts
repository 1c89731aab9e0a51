import type { NoReplyReason } from '../journal/exchange.ts';

/** A reason why no reply came, known already where it happened (while connecting, mostly). */
export class WireFailure extends Error {
  readonly reason: NoReplyReason;

  constructor(reason: NoReplyReason, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'WireFailure';
    this.reason = reason;
  }
}

/** How far a call had come when it failed. */
export interface Progress {
  /** The connection had served an earlier call. */
  readonly reused: boolean;
  /** At least one byte had come back. */
  readonly answered: boolean;
  /** Status line and headers had come back. */
  readonly headed: boolean;
  /** The first bytes that came back, for the message. */
  readonly beginning: Uint8Array | null;
}

interface SystemError {
  readonly code: string;
  readonly message: string;
}

function systemError(error: unknown): SystemError {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  // Several addresses were tried and every one failed; what the last one said stands for all.
  if (error instanceof AggregateError && error.errors.length > 0) return systemError(error.errors.at(-1));
  return { code: 'code' in error && typeof error.code === 'string' ? error.code : '', message: error.message };
}

/**
 * Why a connection to `where` (host and port) could not be made.
 *
 * @param error what the system said: net's or dns's error
 */
export function connectFailure(error: unknown, where: string): WireFailure {
  const { code, message } = systemError(error);
  const cause = { cause: error };
  if (code === 'ECONNREFUSED') {
    return new WireFailure(
      'refused',
      `Nothing listens at ${where} (${code}). Is the address right, and the server up?`,
      cause,
    );
  }
  if (code === 'ENOTFOUND' || code === 'ENODATA' || code.startsWith('EAI_')) {
    return new WireFailure('unresolved', `The host name of ${where} has no address (${code}).`, cause);
  }
  if (code === 'ETIMEDOUT' || code === 'ERR_SOCKET_CONNECTION_TIMEOUT') {
    return new WireFailure('connect-timeout', `${where} did not take the connection (${code}).`, cause);
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new WireFailure('reset', `${where} closed the connection while it was being made (${code}).`, cause);
  }
  return new WireFailure('unreachable', `${where} can't be reached (${code || message}).`, cause);
}

const TLS_ALERT = 0x15;

function shown(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 40)).toString('latin1');
  const escaped = text.replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${escaped}${bytes.length > 40 ? '…' : ''}"`;
}

function notHttp(message: string, progress: Progress): WireFailure {
  const { beginning } = progress;
  if (beginning?.[0] === TLS_ALERT && beginning[1] === 3) {
    return new WireFailure('not-http', 'What came back was TLS, not HTTP. Should the URL begin with https:?');
  }
  const quoted = beginning && !progress.headed ? ` It began with ${shown(beginning)}.` : '';
  return new WireFailure('not-http', `What came back was not HTTP: ${message}.${quoted}`);
}

/**
 * Why an exchange failed on a connection that had been made.
 *
 * A connection that was kept alive and closed without a byte of reply is nobody's fault: the peer may have closed it
 * before our request came (RFC 9112 §9.3.1).
 */
export function exchangeFailure(error: unknown, progress: Progress): WireFailure {
  if (error instanceof WireFailure) return error;
  const { code, message } = systemError(error);
  // undici loses the parser's code and keeps its words.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    if (progress.headed && message.includes('EOF')) {
      return new WireFailure('closed-early', 'The connection was closed before the body had ended.');
    }
    return notHttp(message, progress);
  }
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return new WireFailure('tls', `TLS failed: ${message.trim()} (${code}).`);
  }
  switch (code) {
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new WireFailure('too-large', 'The headers of the reply passed the cap.');
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      if (!progress.headed) return notHttp('its headers contradict each other', progress);
      return new WireFailure(
        'closed-early',
        'The connection was closed before the announced Content-Length was there.',
      );
    case 'UND_ERR_SOCKET':
      if (message === 'bad response' || message === 'bad upgrade') {
        return notHttp(message === 'bad upgrade' ? 'it switched protocols unasked' : 'a reply to no request', progress);
      }
      if (progress.headed)
        return new WireFailure('closed-early', 'The connection was closed before the body had ended.');
      break;
  }
  const said = code === '' || code === 'UND_ERR_SOCKET' ? 'closed' : code;
  if (progress.answered) return new WireFailure('reset', `The connection was closed within the reply (${said}).`);
  if (progress.reused) {
    return new WireFailure('stale-connection', `The kept-alive connection was closed under the request (${said}).`);
  }
  return new WireFailure('reset', `The connection was closed before any reply (${said}).`);
}
