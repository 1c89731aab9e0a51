import { isIP } from 'node:net';
import type { NoReplyReason } from '../../journal/exchange.ts';
import type { Probe } from '../../wire/probe.ts';
import type { WireOptions } from '../../wire/wire.ts';
import { hostOf, isLocal } from './address.ts';
import { type Check, type CheckName, check } from './check.ts';

const DAY_MS = 86_400_000;
/** Certificates that renew themselves do so earlier. */
const FEW_DAYS = 21;

export interface ConnectionContext {
  readonly baseUrl: string;
  readonly wire: WireOptions;
  /** The name of a variable of the environment that asks for a proxy, which croupier does not heed; null: none. */
  readonly ambientProxy: string | null;
  /** The time, in milliseconds since 1970. */
  readonly time: number;
}

/** Which step of connecting failed. */
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
  resolution: 'Mend the host name, or its DNS; a name that only a VPN knows needs the VPN.',
  tcp: 'Start the server, or mend host and port; else let this machine through its firewall, or use its VPN.',
  proxy: 'Mend the proxy, its credentials, or what it allows (`proxy` in croupier.yaml, --proxy).',
};

/** What a connection says about name, TCP, proxy and TLS. The first that failed ends the list. */
export function checkConnection(seen: Probe, context: ConnectionContext): readonly Check[] {
  const { failure } = seen;
  const steps: readonly Check[] = [resolution(seen, context), tcp(seen, context), proxy(context), tls(seen, context)];
  if (!failure) return steps;
  const reached = seen.connectedMs !== null;
  // Whoever calls through a proxy connects to nobody else.
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

const OTHER_NAME = 'Call it by a name that it is for, or have that name added to the certificate.';
const TRUST = 'Let a CA that is trusted issue it, or trust the one that did: --ca FILE (tls.ca in croupier.yaml).';

/** By the code of OpenSSL, which stands at the end of what the wire says. */
function tlsAdvice(said: string): string {
  if (said.includes('NO_APPLICATION_PROTOCOL')) return 'Calls are HTTP/1.1: have the server offer that beside HTTP/2.';
  if (said.includes('WRONG_VERSION_NUMBER') || said.includes('PACKET_LENGTH')) {
    return 'Begin the base URL with http:, or name the port that speaks TLS.';
  }
  if (said.includes('CERT_HAS_EXPIRED')) return 'Renew the certificate.';
  if (said.includes('CERT_NOT_YET_VALID')) return 'Set the clock that is wrong, or wait for the certificate.';
  if (said.includes('ALTNAME_INVALID')) return OTHER_NAME;
  if (said.includes('UNABLE_TO_VERIFY_LEAF')) return `Have the server send its intermediate certificates too. ${TRUST}`;
  if (/SELF_SIGNED|UNABLE_TO/.test(said)) return TRUST;
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(said)) return 'Have the server speak TLS 1.2 or 1.3.';
  if (said.includes('did not end within')) {
    return 'Look at what takes connections there: is it the port that speaks TLS, and does its gateway reach anybody?';
  }
  return 'Mend TLS at the server; a client certificate that it wants is given as tls.cert and tls.key in croupier.yaml.';
}

function resolution({ address, resolved }: Probe, { baseUrl, wire }: ConnectionContext): Check {
  if (wire.proxy !== undefined) return check('resolution', 'not-needed', 'the proxy looks the name up');
  if (wire.hostOverride !== undefined) {
    return check('resolution', 'not-needed', `calls go to ${wire.hostOverride} instead (hostOverride)`);
  }
  const host = hostOf(baseUrl);
  if (isIP(host) !== 0) return check('resolution', 'not-needed', `${host} is an address`);
  return check('resolution', 'good', `${host} ${resolved && address !== null ? `is ${address}` : 'has an address'}`);
}

function tcp({ address, connectedMs }: Probe, { wire }: ConnectionContext): Check {
  if (wire.proxy !== undefined) return check('tcp', 'not-needed', 'the proxy connects');
  const took = connectedMs === null ? '' : ` after ${connectedMs.toFixed(1)} ms`;
  return check('tcp', 'good', `${address ?? 'the server'} takes connections${took}`);
}

function proxy({ wire, ambientProxy }: ConnectionContext): Check {
  if (wire.proxy !== undefined) return check('proxy', 'good', `${new URL(wire.proxy).host} lets calls through`);
  return ambientProxy === null
    ? check('proxy', 'not-needed', 'none is configured')
    : check(
        'proxy',
        'good',
        `none is used; ${ambientProxy} is set, but only --proxy and \`proxy\` in croupier.yaml count, and it is reached without`,
      );
}

function tls({ secured, address }: Probe, { baseUrl, time }: ConnectionContext): Check {
  if (!baseUrl.startsWith('https:')) {
    return address !== null && isLocal(address)
      ? check('tls', 'not-needed', 'http: on this network')
      : check('tls', 'warn', 'http: everybody on the way can read the calls', 'Use https.');
  }
  if (!secured) return check('tls', 'not-tried', 'no handshake was seen');
  const { protocol, chain, expires, complaint } = secured;
  const days = expires === null ? null : Math.floor((expires - time) / DAY_MS);
  const said = `${protocol}, certificate chain ${chain.join(' < ')}, for ${hostOf(baseUrl)}${
    days === null ? '' : days < 0 ? `, expired ${-days} days ago` : `, expires in ${days} days`
  }`;
  if (complaint !== null) {
    return check('tls', 'warn', `${said}; not trusted (${complaint}), let pass by --insecure`, tlsAdvice(complaint));
  }
  return days !== null && days < FEW_DAYS
    ? check('tls', 'warn', said, 'Renew the certificate.')
    : check('tls', 'good', said);
}
