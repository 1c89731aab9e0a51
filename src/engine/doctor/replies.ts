import { header, type Outcome, type Reply, replyMs } from '../../journal/exchange.ts';
import { readReply } from '../../judge/reading.ts';
import type { Landing } from '../../wire/flight.ts';
import { type Check, check } from './check.ts';

/** What gateways say when they reach nobody. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);
/** A fifth of the five seconds that the contract allows for a reply. */
const SLOW_MS = 1000;
/** Beyond this, the two sides' logs are hard to lay side by side. The header has whole seconds. */
const CLOCK_SECONDS = 3;
/** Time zones differ by whole half hours, nearly all of them. */
const ZONE_SECONDS = 1800;

/** A reply of the contract rather than of a gateway: a balance, or an error with a code or message. */
export function isOfContract(reply: Reply): boolean {
  const { balance, code, message } = readReply(reply);
  return balance.form !== 'missing' || code !== undefined || message !== undefined;
}

/**
 * True when the path seems to be unknown: signed or not, a call is answered so. A session that is not known comes with a code, or
 * shows only once the signature is right.
 */
export function isNothingThere(right: Reply, wrong: Outcome): boolean {
  const { status } = right;
  const alike = wrong.kind === 'reply' && wrong.reply.status === status;
  return (status === 404 || status === 405 || status === 410) && alike && readReply(right).code === undefined;
}

/** Whether what came back is HTTP/1.1. */
export function checkHttp(statusLine: string | null, outcome: Outcome): Check {
  if (outcome.kind === 'reply' && GATEWAY.has(outcome.reply.status) && !isOfContract(outcome.reply)) {
    return check(
      'http',
      'bad',
      `GET /balance is answered ${outcome.reply.status} by something in front of the wallet`,
      'Start the wallet, or mend the way from the gateway to it.',
    );
  }
  if (outcome.kind === 'none') {
    const { reason, detail } = outcome;
    const advice =
      reason === 'too-late'
        ? 'GET /balance must be answered within the deadline; look at what the wallet waits for.'
        : 'Look at what answers at this address: is it the wallet, with http or https as the URL says? Does it want a client certificate (tls.cert), or calls from other addresses only?';
    return check('http', reason === 'not-http' || reason === 'tls' ? 'bad' : 'unreachable', detail, advice);
  }
  const version = /^HTTP\/\d(?:\.\d)?/.exec(statusLine ?? '')?.[0];
  if (version === undefined) return check('http', 'good', 'HTTP/1 is answered');
  return version === 'HTTP/1.1'
    ? check('http', 'good', version)
    : check('http', 'warn', `${version}: each call needs a connection of its own`, 'Answer with HTTP/1.1.');
}

/** Redirects are followed by nobody: a signed call must reach its place. */
export function checkRedirects({ status, headers }: Reply, url: string): Check {
  if (status < 300 || status > 399 || status === 304) return check('redirects', 'good', 'none');
  const location = header(headers, 'location');
  const target = location === undefined ? null : URL.parse(location, url);
  if (!target)
    return check('redirects', 'bad', `GET /balance is answered ${status}`, 'Answer calls where they arrive.');
  const seen = `GET /balance is answered ${status} and sent to ${target.origin}${target.pathname}`;
  return check('redirects', 'bad', seen, `Redirects are not followed. ${redirectAdvice(target, new URL(url))}`);
}

function redirectAdvice(target: URL, from: URL): string {
  const called = /\/[^/]*$/.exec(from.pathname)?.[0] ?? '/balance';
  if (target.origin === from.origin && target.pathname === `${from.pathname}/`) {
    return `Have the wallet answer without the slash at the end, or say where its calls are: paths: { balance: ${called}/ } of the client, and so on.`;
  }
  const path = target.pathname.replace(/\/$/, '');
  return path.endsWith(called)
    ? `If that is the wallet, its base URL is ${target.origin}${path.slice(0, -called.length)}`
    : 'That is no path of the wallet, but perhaps a page to log in: have its calls let through.';
}

/** How long replies take. */
export function checkLatency(landings: readonly Landing[]): Check {
  const times = landings
    .flatMap(({ outcome, stamps }) => (outcome.kind === 'reply' ? [replyMs(stamps) ?? 0] : []))
    .toSorted((a, b) => a - b);
  const lost = landings.find(({ outcome }) => outcome.kind === 'none')?.outcome;
  if (lost?.kind === 'none') {
    const said = `${times.length} of ${landings.length} times GET /balance was answered: ${lost.detail}`;
    return check(
      'latency',
      'bad',
      said,
      'A run would take lost replies for failures of calls: find out what closes the connections, or is slow.',
    );
  }
  const [median = 0, longest = 0] = [times[times.length >> 1], times.at(-1)];
  const said = `GET /balance is answered within ${median.toFixed(1)} ms, at most ${longest.toFixed(1)} ms (of ${times.length})`;
  return longest > SLOW_MS
    ? check('latency', 'warn', said, 'The deadline is 5 s, also for bets, which do more.')
    : check('latency', 'good', said);
}

/**
 * How far the operator's clock is from ours.
 *
 * @param time when the reply had come, in milliseconds since 1970
 */
export function checkClock({ headers }: Reply, time: number): Check {
  const date = header(headers, 'date');
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return check('clock', 'not-tried', 'the reply has no Date header that can be read');
  // The header says the whole second that has begun.
  const seconds = Math.round((theirs + 500 - time) / 1000);
  if (Math.abs(seconds) < CLOCK_SECONDS) return check('clock', 'good', 'as ours, to the second or two');
  const off = Math.abs(seconds);
  const zones = Math.round(off / ZONE_SECONDS);
  const isZone = zones > 0 && Math.abs(off - zones * ZONE_SECONDS) < CLOCK_SECONDS;
  const said = `${off} s${isZone ? ` (${zones / 2} h)` : ''} ${seconds < 0 ? 'behind' : 'ahead of'} ours`;
  return check(
    'clock',
    'warn',
    `the operator's clock is ${said}`,
    isZone
      ? 'Write the Date header in GMT, if it is a local time; else set the clock that is wrong (NTP).'
      : 'Set the clock that is wrong (NTP); until then the times of logs differ by so much.',
  );
}

/**
 * Whether the key is the right one, and whether signatures are looked at.
 *
 * @param wrong what a call was answered that was signed with another key
 */
export function checkKey(right: Reply, wrong: Outcome): Check {
  const gateway = header(right.headers, 'www-authenticate');
  // A session that is closed may be answered 403 too, but then a wrong signature is told apart from it.
  const alike = wrong.kind === 'reply' && wrong.reply.status === right.status;
  const refused = right.status === 401 || (right.status === 403 && (alike || readReply(right).code === undefined));
  if (refused && gateway !== undefined) {
    return check(
      'key',
      'bad',
      `a rightly signed call is answered ${right.status}, and asked to log in (${gateway.slice(0, 60)})`,
      'Something in front of the wallet wants credentials: configure them as `headers` of the client, or let calls through.',
    );
  }
  if (right.status === 403 && !isOfContract(right)) {
    return check(
      'key',
      'bad',
      'a rightly signed call is answered 403 without a code or message',
      'Something in front of the wallet may refuse it (a firewall, a list of addresses): let calls from this machine through. Else compare the keys.',
    );
  }
  if (refused) {
    return check(
      'key',
      'bad',
      `a rightly signed call is answered ${right.status}`,
      "Compare the two keys (white space, another client's, staging or production) and how the signature is made; what the operator computed is explained by: croupier explain",
    );
  }
  if (isNothingThere(right, wrong)) {
    return check(
      'key',
      'not-tried',
      `not tried: signed or not, GET /balance is answered ${right.status}, as if nothing were there`,
    );
  }
  if (!isOfContract(right)) {
    return check(
      'key',
      'bad',
      `a rightly signed call is answered ${right.status} without a balance, code or message`,
      "Look into the wallet's log, and whether the base URL is right.",
    );
  }
  if (right.status >= 500 && readReply(right).code === undefined) {
    return check('key', 'bad', `a rightly signed call is answered ${right.status}`, "Look into the wallet's log.");
  }
  if (wrong.kind === 'none') return check('key', 'warn', `a wrongly signed call was not answered: ${wrong.detail}`);
  const { status } = wrong.reply;
  if (status === 401) return check('key', 'good', 'signed calls are taken, wrongly signed ones are answered 401');
  return status < 300
    ? check(
        'key',
        'bad',
        `a wrongly signed call is answered ${status}: anybody could move money`,
        'Verify X-REQUEST-SIGN before anything else, and answer 401.',
      )
    : check(
        'key',
        'warn',
        `signed calls are taken; a wrongly signed one is answered ${status} instead of 401`,
        'Answer 401, before anything else is looked at.',
      );
}
