import type { NoReplyReason } from '../../../journal/exchange.ts';

/** True for a line of text in which an HTTP client says why it got no reply. */
export function isTransportError(line: string): boolean {
  return TRANSPORT_ERROR.test(line);
}

const TRANSPORT_ERROR =
  /\b(?:E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|SOCKETTIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|PIPE)|ENOTFOUND|UND_ERR_\w{1,20}|Timeout(?:Exception|Error)|unexpected end of stream|failed to respond|(?:Socket|Connect|Read|Http)(?:Timeout|Connect|Reset)?(?:Exception|Error|Timeout)|timed? ?out|timeout of \d|deadline exceeded|connection (?:was )?(?:refused|reset|aborted|closed)|socket hang up|broken pipe|no route to host|no such host|Timeout of \d|closed connection without response|empty reply|unexpected EOF|handshake|certificate|UnknownHostException|NoHttpResponseException|failed to connect|could ?n[o']t connect|name or service not known|name resolution|SSL connection could not be established|response ended prematurely|actively refused it)\b|: EOF$/i;

/** Finds the reason for a missing reply in the text of a logged error. */
export function reasonOf(error: string): NoReplyReason {
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
    /certificate|self.signed|handshake|unknown.?ca|hostname|altname|SSL connection could not be established/i.test(
      error,
    )
  )
    return 'tls';
  return 'reset';
}
