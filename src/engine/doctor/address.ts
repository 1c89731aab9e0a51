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

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?|::ffff:127\.\d+\.\d+\.\d+)$/;

const PRODUCTION = /^(?:prod|production|prd|live|www)\d*$/;
const TESTING =
  /^(?:.*(?:staging|sandbox|preprod|nonprod|notprod|testing)|stage|stg|test|tests|tst|dev|devel|qa|uat|sit|sbx|demo|int|ci|local|localhost)\d*$/;

/** Whether the server seems to know the path of a call. `unknown`: no call was answered. */
export type BaseUrlAnswer = 'of-contract' | 'not-found' | 'maybe-not-found' | 'other' | 'unknown';

/** Returns the host of a URL. An IPv6 address is returned without its brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** True for an address that only this machine or its own network can reach. */
export function isLocal(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOCAL.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Checks whether the base URL is written correctly.
 *
 * @param answer the kind of answer that the calls got. `of-contract`: an answer that follows the contract; `not-found`: the server
 * answered that the path does not exist; `maybe-not-found`: the server refuses wrong signatures, but it answers the balance call of
 * every session as if the path did not exist
 */
export function checkBaseUrl(
  baseUrl: string,
  paths: Readonly<Partial<Record<CallName, string>>>,
  answer: BaseUrlAnswer,
): Check {
  const { pathname, origin } = new URL(baseUrl);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1)?.toLowerCase();
  const call = CALL_NAMES.find((name) => name === last);
  if (call && paths[call] === undefined) {
    const better = [origin, ...segments.slice(0, -1)].join('/');
    return check(
      'base-url',
      answer === 'not-found' || answer === 'other' ? 'bad' : 'warn',
      `${baseUrl} ends with the path of a call, so calls go to …/${call}/balance, …/${call}/bet and so on`,
      `Remove /${call} from the base URL, unless it is intended. The base URL is then ${better}`,
    );
  }
  const state = answer === 'not-found' ? 'bad' : 'warn';
  const notFound = `the server does not know the path ${paths.balance ?? '/balance'}`;
  const withAnswer = (seen: string) => (answer === 'not-found' ? [seen, notFound].join(', and ') : seen);
  const again = segments.findIndex((segment, index) => index > 0 && segment === segments[index - 1]);
  if (again >= 0) {
    const better = [origin, ...segments.toSpliced(again, 1)].join('/');
    const seen = withAnswer(`${baseUrl} contains /${segments[again] ?? ''} twice`);
    return check(
      'base-url',
      state,
      seen,
      `Write this part only once, unless it is intended. The base URL is then ${better}`,
    );
  }
  if (pathname.includes('//')) {
    const seen = withAnswer(`${baseUrl} has two slashes in a row`);
    return check(
      'base-url',
      state,
      seen,
      'Write only one slash, because a server may read two slashes as another path.',
    );
  }
  if (answer === 'not-found') {
    return check(
      'base-url',
      state,
      `the server at ${baseUrl} does not know the path ${paths.balance ?? '/balance'}`,
      'Compare the path of the base URL with the path of the wallet. A prefix may be missing, or a gateway may remove one.',
    );
  }
  if (answer === 'maybe-not-found') {
    return check(
      'base-url',
      'bad',
      `${baseUrl} may be wrong: for every session, GET ${paths.balance ?? '/balance'} is answered without a code, as if the path were unknown`,
      'Compare the path of the base URL with the path of the wallet. If the path is right, none of the sessions is open: open them again at the operator. A wallet that knows the path should answer such a session with the code session_not_found.',
    );
  }
  if (pathname.length > 1 && pathname.endsWith('/')) {
    const better = baseUrl.replace(/(?<!\/)\/+$/, '');
    return check(
      'base-url',
      'warn',
      `${baseUrl} ends with a slash, but calls go to ${better}/balance all the same`,
      `Register and configure the base URL without the slash: ${better}`,
    );
  }
  return check('base-url', 'good', baseUrl);
}

/** Matches a name of a test environment that contains a word for production, such as `preprod` or `non-prod`. */
const NON_PRODUCTION = /(pre|non|not)[-._]?(?:prod|production|prd|live)(?![a-z])/g;

type EnvironmentWord = { readonly kind: 'testing' | 'production'; readonly word: string };

/**
 * Finds a word in a name that stands for an environment. If a name has both, a word for testing wins over a word for production,
 * for example in `test.www.casino.example`.
 */
function environmentIn(name: string): EnvironmentWord | undefined {
  const words = name
    .toLowerCase()
    .replace(NON_PRODUCTION, '$1prod')
    .split(/[/._-]/);
  const testing = words.find((word) => TESTING.test(word));
  if (testing !== undefined) return { kind: 'testing', word: testing };
  const production = words.find((word) => PRODUCTION.test(word));
  return production === undefined ? undefined : { kind: 'production', word: production };
}

/**
 * Checks whether a run might move real players' money. Returns the state `warn` if this is possible.
 *
 * @param address the IP address of the connection; `none`: the host name has no address; null: unknown
 * @param production the value in the configuration; if there is one, the words in the host name do not count
 */
export function checkTarget(baseUrl: string, address: string | null, production?: boolean): Check {
  const host = hostOf(baseUrl);
  const advice =
    'Use a test environment with its own players. If its name does not show that it is a test environment, set `production: false`. In a production environment, commands that move money need --production.';
  if (production !== undefined) {
    return production
      ? check('target', 'warn', 'the configuration says that this is a production environment', advice)
      : check('target', 'good', 'the configuration says that this is not a production environment');
  }
  const at = isIP(host) === 0 ? address : host;
  if (at !== null && (LOOPBACK.test(at) || (at === host && isLocal(at)))) {
    return check('target', 'good', `${at} can be reached only from this ${LOOPBACK.test(at) ? 'machine' : 'network'}`);
  }
  const { pathname } = new URL(baseUrl);
  const environment = (isIP(host) === 0 ? environmentIn(host) : undefined) ?? environmentIn(pathname);
  switch (environment?.kind) {
    case 'testing':
      return check('target', 'good', `"${environment.word}" in the address looks like a test environment`);
    case 'production':
      return check('target', 'warn', `"${environment.word}" in ${host}${pathname} looks like production`, advice);
    case undefined:
  }
  if (at === 'none') return check('target', 'not-tried', 'not tried, because the host name has no IP address');
  if (at !== null && isLocal(at)) return check('target', 'good', `${at} can be reached only from this network`);
  const where = at === null || at === host ? host : `${host} (${at})`;
  return check('target', 'warn', `nothing in the name of ${where} says that it is a test environment`, advice);
}
