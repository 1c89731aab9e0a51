import { BlockList, isIP } from 'node:net';
import { CALL_NAMES, type CallName } from '../../contract/call-name.ts';
import { type Check, check } from './check.ts';

const LOCAL = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  LOCAL.addSubnet(network, prefix, 'ipv4');
}
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addSubnet('fc00::', 7, 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');

const PRODUCTION = new Set(['prod', 'production', 'prd', 'live', 'www']);
const TESTING =
  /^(?:.*(?:staging|sandbox|preprod|testing)|stage|stg|test|tst|dev|qa|uat|demo|int|ci|local|localhost)\d*$/;

/** `unknown`: nobody could be asked. */
export type BaseUrlAnswer = 'of-contract' | 'not-found' | 'other' | 'unknown';

/** The host of a URL without the brackets of IPv6. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** True for an address that only this machine, or its own network, reaches. */
export function isLocal(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOCAL.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * What is odd about a base URL.
 *
 * @param answer whether a call was answered there as one of the contract; `not-found`: it was answered that nothing is there
 */
export function checkBaseUrl(
  baseUrl: string,
  paths: Readonly<Partial<Record<CallName, string>>>,
  answer: BaseUrlAnswer,
): Check {
  const { pathname, origin } = new URL(baseUrl);
  const parts = pathname.split('/').filter((part) => part !== '');
  const last = parts.at(-1)?.toLowerCase();
  const call = CALL_NAMES.find((name) => name === last);
  if (call && paths[call] === undefined) {
    const better = [origin, ...parts.slice(0, -1)].join('/');
    return check(
      'base-url',
      answer === 'not-found' || answer === 'other' ? 'bad' : 'warn',
      `${baseUrl} ends with the path of a call: calls go to …/${call}/balance, …/${call}/bet and so on`,
      `Leave /${call} out, unless it is meant: ${better}`,
    );
  }
  const twice = parts.find((part, index) => index > 0 && part === parts[index - 1]);
  if (twice !== undefined) {
    return check('base-url', 'warn', `${baseUrl} says /${twice} twice`, `Say it once, unless it is meant.`);
  }
  if (pathname.includes('//')) {
    return check('base-url', 'warn', `${baseUrl} has two slashes in a row`, 'Servers may read that as another path.');
  }
  if (pathname.length > 1 && pathname.endsWith('/')) {
    const better = baseUrl.replace(/\/+$/, '');
    return check(
      'base-url',
      'warn',
      `${baseUrl} ends with a slash; calls go to ${better}/balance all the same`,
      `Register and configure it without: ${better}`,
    );
  }
  if (answer === 'not-found') {
    return check(
      'base-url',
      'warn',
      `${baseUrl}; what answers there does not know ${paths.balance ?? '/balance'}`,
      'Compare its path with that of the wallet; a prefix may be missing, or a gateway may strip one.',
    );
  }
  return check('base-url', 'good', baseUrl);
}

/**
 * Whether it may be real players' money that a run would move.
 *
 * @param address where the connection went; null: not known
 */
export function checkTarget(baseUrl: string, address: string | null): Check {
  const host = hostOf(baseUrl);
  const words = (isIP(host) === 0 ? host : '').toLowerCase().split(/[.-]/);
  const path = new URL(baseUrl).pathname.toLowerCase().split(/[/._-]/);
  const advice =
    'A run moves money: point it at a test environment, with players of its own. Start none before you know whose money it is.';
  const telling = [...words, ...path].find((word) => PRODUCTION.has(word));
  if (telling !== undefined) {
    return check('target', 'warn', `"${telling}" in ${host}${new URL(baseUrl).pathname} looks like production`, advice);
  }
  const testing = [...words, ...path].find((word) => TESTING.test(word));
  if (testing !== undefined)
    return check('target', 'good', `"${testing}" in the address looks like a test environment`);
  const at = isIP(host) === 0 ? address : host;
  if (at !== null && isLocal(at)) return check('target', 'good', `${at} is reached from this network only`);
  const where = at === null ? host : `${host} (${at})`;
  return check('target', 'warn', `nothing in the name of ${where} says that it is a test environment`, advice);
}
