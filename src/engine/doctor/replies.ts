import { currencyByCode } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_MS, REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import { Money } from '../../contract/money.ts';
import { header, type Outcome, type Reply, replyMs } from '../../journal/exchange.ts';
import { readReply } from '../../reply/read.ts';
import { isGatewayError, isRedirect, isServerError, isSuccess } from '../../reply/status.ts';
import type { CallResult } from '../../wire/pending-call.ts';
import type { SessionUnderTest } from '../run-options.ts';
import { denominationOf } from '../stakes.ts';
import { type Check, type CheckState, check } from './check.ts';

/** Limit of a warning: a fifth of the deadline, because a bet takes longer than a read. */
const SLOW_MS = REPLY_DEADLINE_MS / 5;
/** Limit of a warning: with a larger difference, the logs of both sides are hard to compare. The header has whole seconds. */
const CLOCK_SECONDS = 3;
/** Nearly all time zones differ by multiples of half an hour. */
const ZONE_SECONDS = 1800;

/** True for a reply of the contract: a balance, or an error with a code or message. A gateway sends neither. */
export function isOfContract(reply: Reply): boolean {
  const { balance, code, message } = readReply(reply);
  return balance.form !== 'missing' || code !== undefined || message !== undefined;
}

/**
 * True if the path seems to be unknown: signed and wrongly signed calls get the same answer. The answer about an unknown session
 * has a code, or differs if the signature is wrong.
 */
export function isNothingThere(right: Reply, wrong: Outcome): boolean {
  const { status } = right;
  const alike = wrong.kind === 'reply' && wrong.reply.status === status;
  return (status === 404 || status === 405 || status === 410) && alike && readReply(right).code === undefined;
}

/** Checks whether the answer is HTTP/1.1. */
export function checkHttp(statusLine: string | null, outcome: Outcome): Check {
  if (outcome.kind === 'reply' && isGatewayError(outcome.reply.status) && !isOfContract(outcome.reply)) {
    return check(
      'http',
      'bad',
      `GET /balance is answered ${outcome.reply.status} by something in front of the wallet`,
      'Start the wallet, or fix the connection from the gateway to it.',
    );
  }
  if (outcome.kind === 'none') {
    const { reason, detail } = outcome;
    const advice =
      reason === 'too-late'
        ? 'GET /balance must be answered within the deadline. Find out what the wallet waits for.'
        : 'Check which server answers at this address: is it the wallet, with http or https as in the URL? Does it need a client certificate (tls.cert), or accept only calls from other addresses?';
    return check('http', reason === 'not-http' || reason === 'tls' ? 'bad' : 'unreachable', detail, advice);
  }
  const version = /^HTTP\/\d(?:\.\d)?/.exec(statusLine ?? '')?.[0];
  if (version === undefined) return check('http', 'good', 'the answer is HTTP/1');
  return version === 'HTTP/1.1'
    ? check('http', 'good', version)
    : check('http', 'warn', `${version}: each call needs a connection of its own`, 'Answer with HTTP/1.1.');
}

/** Checks that there is no redirect: croupier follows none, because a signed call must reach its address. */
export function checkRedirects({ status, headers }: Reply, url: string): Check {
  if (!isRedirect(status) || status === 304) return check('redirects', 'good', 'none');
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
    return `Let the wallet answer without the slash at the end, or configure the paths of its calls: paths: { balance: ${called}/ } of the client, and the others likewise.`;
  }
  const path = target.pathname.replace(/\/$/, '');
  return path.endsWith(called)
    ? `If that is the wallet, its base URL is ${target.origin}${path.slice(0, -called.length)}`
    : 'That is not a path of the wallet, but perhaps a login page. Let the calls through.';
}

/** Checks the reply times. */
export function checkLatency(results: readonly CallResult[]): Check {
  const times = results
    .flatMap(({ outcome, stamps }) => (outcome.kind === 'reply' ? [replyMs(stamps) ?? 0] : []))
    .toSorted((a, b) => a - b);
  const lost = results.find(({ outcome }) => outcome.kind === 'none')?.outcome;
  if (lost?.kind === 'none') {
    const said = `${times.length} of ${results.length} times GET /balance was answered: ${lost.detail}`;
    return check(
      'latency',
      'bad',
      said,
      'In a run, lost replies would count as failed calls. Find out what closes the connections, or is slow.',
    );
  }
  const [median = 0, longest = 0] = [times[times.length >> 1], times.at(-1)];
  const said = `GET /balance is answered within ${median.toFixed(1)} ms, at most ${longest.toFixed(1)} ms (of ${times.length})`;
  return longest > SLOW_MS
    ? check(
        'latency',
        'warn',
        said,
        `The deadline is ${REPLY_DEADLINE_SECONDS} s, also for bets, which take longer than reads.`,
      )
    : check('latency', 'good', said);
}

/**
 * Checks the difference between the operator's clock and the local one.
 *
 * @param time when the reply arrived, in milliseconds since 1970
 */
export function checkClock({ headers }: Reply, time: number): Check {
  const date = header(headers, 'date');
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return check('clock', 'not-tried', 'the reply has no readable Date header');
  // The header has the second that has begun, so half a second is added.
  const seconds = Math.round((theirs + 500 - time) / 1000);
  if (Math.abs(seconds) < CLOCK_SECONDS) return check('clock', 'good', 'as the local one, to a second or two');
  const off = Math.abs(seconds);
  const zones = Math.round(off / ZONE_SECONDS);
  const isZone = zones > 0 && Math.abs(off - zones * ZONE_SECONDS) < CLOCK_SECONDS;
  const said = `${off} s${isZone ? ` (${zones / 2} h)` : ''} ${seconds < 0 ? 'behind' : 'ahead of'} the local clock`;
  return check(
    'clock',
    'warn',
    `the operator's clock is ${said}`,
    isZone
      ? 'If the Date header has a local time, write it in GMT. Otherwise set the wrong clock (NTP).'
      : 'Set the wrong clock (NTP). Until then, the times in the logs differ by this much.',
  );
}

/**
 * Checks whether the key is right, and whether the operator verifies signatures.
 *
 * @param wrong the answer to a call that was signed with another key
 */
export function checkKey(right: Reply, wrong: Outcome): Check {
  const gateway = header(right.headers, 'www-authenticate');
  // A closed session may be answered 403 too, but then a wrong signature gets another answer.
  const alike = wrong.kind === 'reply' && wrong.reply.status === right.status;
  const refused = right.status === 401 || (right.status === 403 && (alike || readReply(right).code === undefined));
  if (refused && gateway !== undefined) {
    return check(
      'key',
      'bad',
      `a correctly signed call is answered ${right.status} with a request to log in (${gateway.slice(0, 60)})`,
      'A server in front of the wallet needs credentials: configure them as `headers` of the client, or let calls through.',
    );
  }
  if (right.status === 403 && !isOfContract(right)) {
    return check(
      'key',
      'bad',
      'a correctly signed call is answered 403 without a code or message',
      'A server in front of the wallet may refuse it (a firewall, a list of addresses): let calls from this machine through. Otherwise compare the keys.',
    );
  }
  if (refused) {
    return check(
      'key',
      'bad',
      `a correctly signed call is answered ${right.status}`,
      "Compare the two keys (white space, another client's, staging or production) and how the signature is made. To explain the signature that the operator computed: croupier explain",
    );
  }
  if (isNothingThere(right, wrong)) {
    return check(
      'key',
      'not-tried',
      `not tried: with a right or a wrong signature, GET /balance is answered ${right.status}, as if the path were unknown`,
    );
  }
  if (!isOfContract(right)) {
    return check(
      'key',
      'bad',
      `a correctly signed call is answered ${right.status} without a balance, code or message`,
      "Check the wallet's log and the base URL.",
    );
  }
  if (isServerError(right.status) && readReply(right).code === undefined) {
    return check('key', 'bad', `a correctly signed call is answered ${right.status}`, "Check the wallet's log.");
  }
  if (wrong.kind === 'none') return check('key', 'warn', `a wrongly signed call was not answered: ${wrong.detail}`);
  const { status } = wrong.reply;
  if (status === 401) return check('key', 'good', 'signed calls are accepted, wrongly signed ones are answered 401');
  return isSuccess(status)
    ? check(
        'key',
        'bad',
        `a wrongly signed call is answered ${status}: anybody could move money`,
        'Verify X-REQUEST-SIGN first, and answer 401 if it is wrong.',
      )
    : check(
        'key',
        'warn',
        `signed calls are accepted; a wrongly signed one is answered ${status} instead of 401`,
        'Verify the signature first, and answer 401 if it is wrong.',
      );
}

/** The balance that the most demanding scenarios of the suite need, in stakes. */
const RECOMMENDED_STAKES = Money.of('20');

/** Checks whether a session is known, and whether a run can use its currency and balance. */
export function checkSession(
  session: SessionUnderTest,
  outcome: Outcome,
  stakes: Readonly<Record<string, string>>,
): Check {
  const said = (state: CheckState, seen: string, advice: string | null = null): Check => ({
    ...check('session', state, seen, advice),
    about: session.sessionID,
  });
  if (outcome.kind === 'none') return said('bad', `no reply: ${outcome.detail}`, 'The other checks may show why.');
  const { status, balance, code, object } = readReply(outcome.reply);
  const expired = session.state === 'expired';
  if (!isSuccess(status)) {
    const answered = `GET /balance is answered ${status}${code === undefined ? '' : ` ${code}`}`;
    if (expired && code !== 'session_not_found') return said('good', `${answered}: it is configured as expired`);
    return said('bad', answered, 'Open the session again at the operator, or configure one that is open.');
  }
  const { written, money, form, decimals } = balance;
  if (money === undefined) {
    return said('bad', 'the reply has no balance with an amount', 'Answer {"balance":"12.34"}.');
  }
  const currency = session.currency === undefined ? undefined : currencyByCode(session.currency);
  const amount = `${written ?? ''} ${session.currency ?? ''}`.trim();
  if (form !== 'plain') {
    return said(
      'warn',
      `the balance ${amount} is not a plain decimal string`,
      'Answer it as "12.34", in the main unit.',
    );
  }
  if (session.currency === undefined) {
    return said('warn', `has ${amount}`, 'Configure its currency: rules that depend on it are skipped.');
  }
  if (!currency) {
    return said('warn', `has ${amount}, which is not a currency of the service`, 'Check upper and lower case.');
  }
  // The contract has no such field, but an operator that sends it knows the currency.
  const theirs = object?.currency;
  if (typeof theirs === 'string' && theirs.toUpperCase() !== session.currency.toUpperCase()) {
    const advice = `Configure ${theirs.slice(0, 10)} for the session, or open one in ${session.currency}.`;
    return said('bad', `its balance is answered in ${theirs.slice(0, 10)}, not in ${session.currency}`, advice);
  }
  const max = currency.decimals;
  if (max !== null && decimals > max) {
    const advice = `Round to the ${max === 0 ? 'whole unit' : `${max} decimals`} of the currency, or configure the right one.`;
    return said(currency.basis === 'contract' ? 'bad' : 'warn', `${amount} has more than ${max} decimals`, advice);
  }
  if (expired) return said('good', `has ${amount}; configured as expired`);
  const { stake, decimals: usual } = denominationOf(session.currency, stakes, decimals);
  const shown = (sum: Money): string => sum.format(Math.min(usual, 2));
  const enough = stake.times(RECOMMENDED_STAKES);
  if (money.compare(stake) < 0) {
    const advice = `Pay in at least ${shown(enough)}, or configure a smaller stake.`;
    return said('bad', `has ${amount}, less than one stake of ${shown(stake)}`, advice);
  }
  return money.compare(enough) < 0
    ? said(
        'warn',
        `has ${amount}; some scenarios need up to ${shown(enough)}`,
        'Pay more in, or configure a smaller stake.',
      )
    : said('good', `has ${amount}, enough for stakes of ${shown(stake)}`);
}
