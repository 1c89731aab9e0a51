import type { NoReplyReason } from '../journal/exchange.ts';

/** An error with the reason why no reply came. It is mostly thrown while connecting. */
export class WireFailure extends Error {
  readonly reason: NoReplyReason;

  constructor(reason: NoReplyReason, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'WireFailure';
    this.reason = reason;
  }
}

/** The progress of a call when it failed. */
export interface Progress {
  /** True if an earlier call had used the connection. */
  readonly reused: boolean;
  /** True if at least one byte of the reply had arrived. */
  readonly hasBytes: boolean;
  /** True if the status line and the headers had arrived. */
  readonly hasHead: boolean;
  /** The first bytes of the reply, for the message. null if none had arrived. */
  readonly beginning: Uint8Array | null;
}

interface SystemError {
  readonly code: string;
  readonly message: string;
}

function systemError(error: unknown): SystemError {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  // If several addresses failed, the error of the last address is reported for all.
  if (error instanceof AggregateError && error.errors.length > 0) return systemError(error.errors.at(-1));
  return { code: 'code' in error && typeof error.code === 'string' ? error.code : '', message: error.message };
}

/**
 * Returns the failure of a connection attempt.
 *
 * @param error the error of Node's net or dns module
 * @param where host and port
 */
export function connectFailure(error: unknown, where: string): WireFailure {
  const { code, message } = systemError(error);
  const cause = { cause: error };
  if (code === 'ECONNREFUSED') {
    return new WireFailure(
      'refused',
      `Nothing listens at ${where} (${code}). Is the address right, and is the server running?`,
      cause,
    );
  }
  if (code === 'ENOTFOUND' || code === 'ENODATA' || code.startsWith('EAI_')) {
    return new WireFailure('unresolved', `The host name of ${where} has no address (${code}).`, cause);
  }
  if (code === 'ETIMEDOUT' || code === 'ERR_SOCKET_CONNECTION_TIMEOUT') {
    return new WireFailure('connect-timeout', `${where} did not accept the connection (${code}).`, cause);
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new WireFailure('reset', `${where} closed the connection while it was being made (${code}).`, cause);
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    const advice = 'Raise the limit of open files (`ulimit -n`), or lower `maxAtOnce`.';
    return new WireFailure(
      'unreachable',
      `croupier could not open a connection to ${where}, because this machine allows no more open files (${code}). This is not a fault of the operator. ${advice}`,
      cause,
    );
  }
  return new WireFailure('unreachable', `${where} cannot be reached (${code || message}).`, cause);
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
    return new WireFailure('not-http', 'The reply was TLS, not HTTP. Should the URL begin with https:?');
  }
  const quoted = beginning && !progress.hasHead ? ` It began with ${shown(beginning)}.` : '';
  return new WireFailure('not-http', `The reply was not HTTP: ${message}.${quoted}`);
}

/**
 * Returns the failure of an exchange on an open connection.
 *
 * If a reused connection is closed without a byte of reply, neither side is at fault: the server may have closed it before the
 * request arrived (RFC 9112 §9.3.1).
 */
export function exchangeFailure(error: unknown, progress: Progress): WireFailure {
  if (error instanceof WireFailure) return error;
  const { code, message } = systemError(error);
  // undici leaves out the error code of its HTTP parser, so the message is searched instead.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    if (progress.hasHead && message.includes('EOF')) {
      return new WireFailure('closed-early', 'The connection was closed before the body had ended.');
    }
    return notHttp(message, progress);
  }
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return new WireFailure('tls', `TLS failed: ${message.trim()} (${code}).`);
  }
  switch (code) {
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new WireFailure('too-large', 'The headers of the reply are larger than the limit.');
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      if (!progress.hasHead) return notHttp('its headers contradict each other', progress);
      return new WireFailure(
        'closed-early',
        'The connection was closed before the announced Content-Length had arrived.',
      );
    case 'UND_ERR_SOCKET':
      if (message === 'bad response' || message === 'bad upgrade') {
        return notHttp(
          message === 'bad upgrade'
            ? 'the server switched to another protocol, although croupier did not ask for this'
            : 'the server sent a reply without a request',
          progress,
        );
      }
      if (progress.hasHead)
        return new WireFailure('closed-early', 'The connection was closed before the body had ended.');
      break;
  }
  const reason = code === '' || code === 'UND_ERR_SOCKET' ? 'closed' : code;
  if (progress.hasBytes) return new WireFailure('reset', `The connection was closed within the reply (${reason}).`);
  if (progress.reused) {
    return new WireFailure(
      'stale-connection',
      `The kept-alive connection was closed while the request was being sent (${reason}).`,
    );
  }
  return new WireFailure('reset', `The connection was closed before any reply (${reason}).`);
}
