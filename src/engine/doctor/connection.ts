import { isIP } from 'node:net';
import { DAY_MS } from '../../contract/limits.ts';
import { plural } from '../../contract/plural.ts';
import type { NoReplyReason } from '../../journal/exchange.ts';
import type { Probe } from '../../wire/probe.ts';
import type { WireOptions } from '../../wire/wire.ts';
import { hostOf, isLocal } from './address.ts';
import { type Check, type CheckName, check } from './check.ts';

/**
 * A certificate that expires within this number of days gets a warning, because an automatic renewal would already have replaced
 * it.
 */
const FEW_DAYS = 21;

export interface ConnectionContext {
  readonly baseUrl: string;
  readonly wire: WireOptions;
  /** The name of an environment variable that sets a proxy. croupier does not use this proxy. Null if there is no such variable. */
  readonly ambientProxy: string | null;
  /** The current time, in milliseconds since 1970. */
  readonly time: number;
}

/** Returns the check of the connection that failed. */
function failedAt(reason: NoReplyReason, connected: boolean): CheckName {
  switch (reason) {
    case 'unresolved':
      return 'resolution';
    case 'proxy':
      return 'proxy';
    case 'tls':
      return 'tls';
    case 'connect-timeout':
    case 'reset':
    case 'unreachable':
      return connected ? 'tls' : 'tcp';
    case 'refused':
    case 'send-timeout':
    case 'broken':
    case 'too-late':
    case 'stale-connection':
    case 'closed-early':
    case 'too-large':
    case 'not-http':
    case 'bad-encoding':
    case 'aborted':
      return 'tcp';
  }
}

const ADVICE: Readonly<Partial<Record<CheckName, string>>> = {
  resolution: 'Fix the host name or its DNS. If only a VPN knows the name, use the VPN.',
  tcp: 'Start the server, or fix the host and the port. If the server has a firewall or a VPN, give this machine access.',
  proxy: 'Fix the proxy, its credentials, or its list of allowed hosts (`proxy` in croupier.yaml, --proxy).',
};

/** Checks name resolution, TCP, proxy and TLS. If one of these checks fails, it is the last one in the list. */
export function checkConnection(seen: Probe, context: ConnectionContext): readonly Check[] {
  const { failure } = seen;
  const steps: readonly Check[] = [resolution(seen, context), tcp(seen, context), proxy(context), tls(seen, context)];
  if (!failure) return steps;
  const reached = seen.connectedMs !== null;
  // With a configured proxy, croupier connects only to the proxy. So an error before the proxy is reached is an error of the proxy.
  const failed = context.wire.proxy !== undefined && !reached ? 'proxy' : failedAt(failure.reason, reached);
  const certificate = failed === 'tls' && failure.reason === 'tls';
  return [
    ...steps.slice(
      0,
      steps.findIndex(({ name }) => name === failed),
    ),
    check(
      failed,
      certificate ? 'bad' : 'unreachable',
      failed === 'proxy' && failure.reason === 'connect-timeout'
        ? `The proxy did not open a tunnel. ${failure.detail}`
        : failure.detail,
      ADVICE[failed] ?? (failed === 'tls' ? tlsAdvice(failure.detail) : null),
    ),
  ];
}

const OTHER_NAME = 'Use a host name that the certificate contains, or add this host name to the certificate.';
const TRUST = 'Use a certificate of a trusted CA, or trust its CA: --ca FILE (tls.ca in croupier.yaml).';

/** Returns the advice for an error of OpenSSL. The code of the error is at the end of the message. */
function tlsAdvice(said: string): string {
  if (said.includes('NO_APPLICATION_PROTOCOL'))
    return 'Let the server offer HTTP/1.1 in addition to HTTP/2, because calls use HTTP/1.1.';
  if (said.includes('WRONG_VERSION_NUMBER') || said.includes('PACKET_LENGTH')) {
    return 'Begin the base URL with http:, or use the port for TLS.';
  }
  if (said.includes('CERT_HAS_EXPIRED')) return 'Renew the certificate.';
  if (said.includes('CERT_NOT_YET_VALID'))
    return 'Correct the clock that is wrong, or wait until the certificate is valid.';
  if (said.includes('ALTNAME_INVALID')) return OTHER_NAME;
  if (said.includes('UNABLE_TO_VERIFY_LEAF')) return `Let the server send its intermediate certificates too. ${TRUST}`;
  if (/SELF_SIGNED|UNABLE_TO/.test(said)) return TRUST;
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(said)) return 'Let the server use TLS 1.2 or 1.3.';
  if (said.includes('did not end within')) {
    return 'Check that this is the port for TLS, and that a gateway behind it reaches the wallet.';
  }
  return 'Fix the TLS configuration of the server. If the server needs a client certificate, set tls.cert and tls.key in croupier.yaml.';
}

function resolution({ address, resolved }: Probe, { baseUrl, wire }: ConnectionContext): Check {
  if (wire.proxy !== undefined) return check('resolution', 'not-needed', 'the proxy resolves the name');
  if (wire.hostOverride !== undefined) {
    return check('resolution', 'not-needed', `calls go to ${wire.hostOverride}, as \`hostOverride\` says`);
  }
  const host = hostOf(baseUrl);
  if (isIP(host) !== 0) return check('resolution', 'not-needed', `${host} is an IP address`);
  return check('resolution', 'good', `${host} ${resolved && address !== null ? `is ${address}` : 'has an address'}`);
}

function tcp({ address, connectedMs }: Probe, { wire }: ConnectionContext): Check {
  if (wire.proxy !== undefined) return check('tcp', 'not-needed', 'the proxy opens the connection');
  const took = connectedMs === null ? '' : ` after ${connectedMs.toFixed(1)} ms`;
  return check('tcp', 'good', `${address ?? 'the server'} accepts connections${took}`);
}

function proxy({ wire, ambientProxy }: ConnectionContext): Check {
  if (wire.proxy !== undefined) return check('proxy', 'good', `${new URL(wire.proxy).host} accepts calls`);
  return ambientProxy === null
    ? check('proxy', 'not-needed', 'no proxy is configured')
    : check(
        'proxy',
        'good',
        `no proxy is used, and the server can be reached without one. ${ambientProxy} is set, but croupier uses only --proxy and \`proxy\` in croupier.yaml`,
      );
}

function tls({ secured, address }: Probe, { baseUrl, time }: ConnectionContext): Check {
  if (!baseUrl.startsWith('https:')) {
    return address !== null && isLocal(address)
      ? check('tls', 'not-needed', 'the base URL uses http, which is enough on this network')
      : check(
          'tls',
          'warn',
          'the base URL uses http, so everybody on the network path can read the calls',
          'Use https.',
        );
  }
  if (!secured) return check('tls', 'not-tried', 'no TLS handshake was made');
  const { protocol, chain, expires, problem } = secured;
  const days = expires === null ? null : Math.floor((expires - time) / DAY_MS);
  const said = `${protocol}, certificate chain ${chain.join(' < ')}, for ${hostOf(baseUrl)}${
    days === null ? '' : days < 0 ? `, expired ${plural(-days, 'day')} ago` : `, expires in ${plural(days, 'day')}`
  }`;
  if (problem !== null) {
    return check(
      'tls',
      'warn',
      `${said}. It is not trusted (${problem}), but accepted because of --insecure`,
      tlsAdvice(problem),
    );
  }
  return days !== null && days < FEW_DAYS
    ? check('tls', 'warn', said, 'Renew the certificate.')
    : check('tls', 'good', said);
}
