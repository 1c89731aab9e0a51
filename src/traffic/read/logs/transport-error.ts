import type { NoReplyReason } from '../../../journal/exchange.ts';

/** True for a line of text in which an HTTP client says why it got no reply. */
export function isTransportError(line: string): boolean {
  return TRANSPORT_ERROR.test(line);
}

const TRANSPORT_ERROR =
  /\b(?:E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|SOCKETTIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|PIPE)|ENOTFOUND|UND_ERR_\w{1,20}|Timeout(?:Exception|Error)|unexpected end of stream|failed to respond|(?:Socket|Connect|Read|Http)(?:Timeout|Connect|Reset)?(?:Exception|Error|Timeout)|timed? ?out|timeout of \d|deadline exceeded|connection (?:was )?(?:refused|reset|aborted|closed)|socket hang up|broken pipe|no route to host|no such host|Timeout of \d|closed connection without response|empty reply|unexpected EOF|handshake|certificate|UnknownHostException|NoHttpResponseException|failed to connect|could ?n[o']t connect|name or service not known|name resolution|SSL connection could not be established|response ended prematurely|actively refused it|execution expired|could not resolve|server closed idle connection|GOAWAY|received from peer|network is unreachable|(?:Pool|Write|Open)Timeout|server ?disconnected|cannot connect to host|prematurely closed|forcibly closed|stream was reset|(?:operation was|request was) (?:canceled|aborted)|before secure TLS|EPROTO|CERT_HAS_EXPIRED|UNABLE_TO_VERIFY_LEAF_SIGNATURE|end of file reached|Mint\.TransportError|HTTPoison\.Error|disconnect\/reset before headers)\b|(?:^|: )EOF$/i;

/** Matches errors of a request that never got a connection, because the time ran out. */
const NO_CONNECTION_IN_TIME = /open.?time.?out|ConnectionFailed\b.{0,20}execution expired|pool.?time.?out/i;
/**
 * Matches a time-out of TCP itself. It also occurs after the request was sent, and it says nothing about the time that the operator
 * needed for a reply.
 */
const LOST_IN_TIME =
  /\b(?:write|send|recv)\b.{0,60}connection timed out|connection timed out \((?:read|write)|\b(?:(?:OS|IO|Timeout)Error|SocketException): ?(?:\[Errno 110\] ?)?connection timed out|^(?:\[Errno 110\] ?)?connection timed out$/i;
/** Matches alerts of TLS about the certificate of the client. With TLS 1.3, the client has sent the request before such an alert. */
const ALERT_AFTER_SENDING =
  /remote error: tls: (?:bad certificate|certificate required|unknown certificate$|access denied)/i;
/** Matches further errors of a connection that was never made. */
const NOT_CONNECTED =
  /network is unreachable|\bConnectError\b|ClientConnectorError|cannot connect to host|connection attempt failed|\bdial (?:tcp|udp)\b|no live upstreams/i;

/** Finds the reason for a missing reply in the text of a logged error. */
export function reasonOf(error: string): NoReplyReason {
  if (NO_CONNECTION_IN_TIME.test(error)) return 'connect-timeout';
  if (/resolving timed out|nxdomain/i.test(error)) return 'unresolved';
  if (LOST_IN_TIME.test(error) || ALERT_AFTER_SENDING.test(error)) return 'reset';
  if (/connect\w{0,20}.{0,12}time/i.test(error))
    return /read|response|header|body/i.test(error) ? 'too-late' : 'connect-timeout';
  // Go begins each error of a new connection with `dial`, also if the time ran out.
  if (/\bdial (?:tcp|udp)\b.{0,200}time.?out/i.test(error)) return 'connect-timeout';
  if (/handshake.{0,20}time.?out/i.test(error)) return 'tls';
  // Node.js writes `connect ETIMEDOUT` if the time ran out while it connected. It writes only `ETIMEDOUT` if the socket timed out
  // later.
  if (/connect ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|no route/i.test(error)) return 'connect-timeout';
  if (/time.?out|timed out|ETIMEDOUT|ESOCKETTIMEDOUT|deadline|too.?late/i.test(error)) return 'too-late';
  if (/refused|failed to connect|could ?n[o']t connect/i.test(error)) return 'refused';
  if (
    /ENOTFOUND|EAI_AGAIN|no such host|resolve|UnknownHost|failed to connect|could ?n[o']t connect|name or service not known|name resolution/i.test(
      error,
    )
  )
    return 'unresolved';
  // Only these TLS errors come from the handshake, before the request is sent. After other TLS errors, the request may have
  // arrived.
  if (
    /certificate|self.signed|handshake|unknown.?ca|hostname|altname|SSL connection could not be established|CERT_HAS_EXPIRED|UNABLE_TO_VERIFY|SSL_connect|before secure TLS|wrong version number/i.test(
      error,
    )
  )
    return 'tls';
  if (NOT_CONNECTED.test(error)) return 'unreachable';
  return 'reset';
}

/** Matches how long a client waited, as its error says: `timeout of 2000ms`, `after 2001 milliseconds`, `(read timeout=2)`. */
const WAITED =
  /(?:timeout of|timed out after|after) (\d{1,9}) ?(?:ms|milliseconds)\b|\bread timeout=(\d{1,6}(?:\.\d{1,3})?)|timeout of (\d{1,6}(?:\.\d{1,3})?) seconds/i;

/** Returns how long the client waited for the reply, in ms, if its error says so. Otherwise returns null. */
export function waitedMs(error: string): number | null {
  const [, ms, read, seconds] = WAITED.exec(error) ?? [];
  if (ms !== undefined) return Number(ms);
  const waited = read ?? seconds;
  return waited === undefined ? null : Number(waited) * 1000;
}
