import type { NoReplyReason } from '../journal/exchange.ts';

/** Why no reply came, for a person. */
export function noReplySentence(reason: NoReplyReason): string {
  switch (reason) {
    case 'broken':
      return 'croupier broke the connection on purpose';
    case 'too-late':
      return 'no whole reply within the deadline';
    case 'unresolved':
      return 'the host name has no address';
    case 'refused':
      return 'the connection was refused: nothing listens there';
    case 'unreachable':
      return 'the network or the host cannot be reached';
    case 'connect-timeout':
      return 'no connection within the deadline';
    case 'send-timeout':
      return 'connected, but the request could not be sent within the deadline';
    case 'tls':
      return 'the TLS handshake failed, or the certificate was not accepted';
    case 'proxy':
      return 'the proxy did not let the call through';
    case 'reset':
      return 'the operator closed the connection before its reply was whole';
    case 'stale-connection':
      return 'a kept-alive connection was closed under the request';
    case 'closed-early':
      return 'the reply ended before its announced length';
    case 'too-large':
      return 'the reply was larger than croupier takes';
    case 'not-http':
      return 'what came back was not HTTP';
    case 'bad-encoding':
      return 'the Content-Encoding of the reply could not be undone';
    case 'aborted':
      return 'the run was interrupted';
  }
}
