import { currencyWith } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_MS, REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import {
  DELAYED_BODY_ADVICE,
  header,
  isBodyDelayed,
  type Outcome,
  type Reply,
  replyMs,
} from '../../journal/exchange.ts';
import { type RateLimitSummary, rateLimitText } from '../../journal/network/rate-limit.ts';
import { readReply } from '../../reply/read.ts';
import { isGatewayError, isRedirect, isServerError, isSuccess } from '../../reply/status.ts';
import type { CallResult } from '../../wire/pending-call.ts';
import type { SessionUnderTest } from '../run-options.ts';
import { type AmountSettings, denominationOf } from '../stakes.ts';
import { type Check, type CheckState, check } from './check.ts';

/**
 * A reply that takes longer than this gets a warning, in milliseconds. The limit is only a fifth of the deadline, because the
 * checks only read balances, and a bet takes longer.
 */
const SLOW_MS = REPLY_DEADLINE_MS / 5;
/**
 * A clock difference of at least this number of seconds gets a warning, because then it is hard to compare the logs of both sides.
 * The limit must be above 1, because the Date header has only whole seconds.
 */
const CLOCK_SECONDS = 3;
/** Half an hour in seconds. If the clock difference is a multiple of half an hour, the reason is probably a wrong time zone. */
const ZONE_SECONDS = 1800;

/** True if the reply follows the contract: it has a balance, a code or a message. The reply of a gateway has no such field. */
export function isOfContract(reply: Reply): boolean {
  const { balance, code, message } = readReply(reply);
  return balance.form !== 'missing' || code !== undefined || message !== undefined;
}

/**
 * True if the server does not seem to know the path, because a right and a wrong signature get the same answer. A wallet that knows
 * the path but not the session replies with a code, or answers a wrong signature differently.
 */
export function isNothingThere(right: Reply, wrong: Outcome): boolean {
  const alike = wrong.kind === 'reply' && wrong.reply.status === right.status;
  return alike && isUnknownPath(right);
}

/**
 * True for a reply with which a server says that it does not know the path. A wallet that knows the path but not the session
 * replies with a code.
 */
export function isUnknownPath(reply: Reply): boolean {
  const { status } = reply;
  return (status === 404 || status === 405 || status === 410) && readReply(reply).code === undefined;
}

/** Checks whether the server answers with HTTP/1.1. */
export function checkHttp(statusLine: string | null, outcome: Outcome): Check {
  if (outcome.kind === 'reply' && isGatewayError(outcome.reply.status) && !isOfContract(outcome.reply)) {
    return check(
      'http',
      'bad',
      `GET /balance is answered ${outcome.reply.status} by a gateway in front of the wallet`,
      'Start the wallet, or fix the connection from the gateway to the wallet.',
    );
  }
  if (outcome.kind === 'none') {
    const { reason, detail } = outcome;
    const advice =
      reason === 'too-late'
        ? 'GET /balance must be answered within the deadline. Find out what the wallet waits for.'
        : 'Check that the wallet is the server at this address, that http or https in the URL is right, and that the server accepts calls from this machine. If the server needs a client certificate, set tls.cert.';
    return check('http', reason === 'not-http' || reason === 'tls' ? 'bad' : 'unreachable', detail, advice);
  }
  const version = /^HTTP\/\d(?:\.\d)?/.exec(statusLine ?? '')?.[0];
  if (version === undefined) return check('http', 'good', 'the answer is HTTP/1');
  return version === 'HTTP/1.1'
    ? check('http', 'good', version)
    : check(
        'http',
        'warn',
        `the server answers with ${version}, so each call needs a new connection`,
        'Answer with HTTP/1.1.',
      );
}

/**
 * Checks that the reply is not a redirect. croupier follows no redirect, because a signed call must reach the address that it
 * was sent to.
 */
export function checkRedirects({ status, headers }: Reply, url: string): Check {
  if (!isRedirect(status) || status === 304) return check('redirects', 'good', 'none');
  const location = header(headers, 'location');
  const target = location === undefined ? null : URL.parse(location, url);
  if (!target)
    return check(
      'redirects',
      'bad',
      `GET /balance is answered ${status}`,
      'Answer each call directly, without a redirect.',
    );
  const seen = `GET /balance is answered ${status} with a redirect to ${target.origin}${target.pathname}`;
  return check('redirects', 'bad', seen, `croupier does not follow redirects. ${redirectAdvice(target, new URL(url))}`);
}

function redirectAdvice(target: URL, from: URL): string {
  const called = /\/[^/]*$/.exec(from.pathname)?.[0] ?? '/balance';
  if (target.origin === from.origin && target.pathname === `${from.pathname}/`) {
    return `Let the wallet accept paths without a slash at the end. Otherwise configure a path with a slash for each call of the client, for example paths: { balance: ${called}/ }.`;
  }
  const path = target.pathname.replace(/\/$/, '');
  return path.endsWith(called)
    ? `If the wallet is at the address of the redirect, configure the base URL ${target.origin}${path.slice(0, -called.length)}`
    : 'The redirect leads to an address that is not a path of the wallet, perhaps to a login page. Let calls reach the wallet without a login.';
}

/** Checks the times in which the operator replies. */
export function checkLatency(results: readonly CallResult[]): Check {
  const times = results
    .flatMap(({ outcome, stamps }) => (outcome.kind === 'reply' ? [replyMs(stamps) ?? 0] : []))
    .toSorted((a, b) => a - b);
  const lost = results.find(({ outcome }) => outcome.kind === 'none')?.outcome;
  if (lost?.kind === 'none') {
    const said = `only ${times.length} of ${results.length} calls of GET /balance were answered (${lost.detail})`;
    return check(
      'latency',
      'bad',
      said,
      'Find out what closes the connections or is slow. In a run, a lost reply counts as a failed call.',
    );
  }
  const [median = 0, longest = 0] = [times[times.length >> 1], times.at(-1)];
  const said = `GET /balance is answered within ${median.toFixed(1)} ms (median of ${times.length} calls), at most ${longest.toFixed(1)} ms`;
  const delayed = results.filter(({ stamps }) => isBodyDelayed(stamps)).length;
  // The first replies on a new connection never have this delay between head and body. So a warning is given if half of all replies
  // have the delay.
  if (delayed >= results.length / 2) {
    const where = `In ${delayed} of ${results.length} replies, the body came about 40 ms after the head: the server waits until the client acknowledges the head (Nagle's algorithm)`;
    return check('latency', 'warn', `${said}. ${where}`, DELAYED_BODY_ADVICE);
  }
  return longest > SLOW_MS
    ? check(
        'latency',
        'warn',
        said,
        `Find out why the replies are slow. A bet takes longer than GET /balance and has the same deadline of ${REPLY_DEADLINE_SECONDS} s.`,
      )
    : check('latency', 'good', said);
}

/**
 * Checks whether the operator refused calls because there were too many.
 *
 * @param calls number of calls that were sent to find out
 */
export function checkRate(summary: RateLimitSummary, calls: number, ms: number): Check {
  const { refused, perSecond } = summary;
  if (refused === 0)
    return check('rate', 'good', `${calls} calls of GET /balance in ${(ms / 1000).toFixed(1)} s, none was refused`);
  const rate = perSecond ?? 'N';
  return check(
    'rate',
    'warn',
    rateLimitText(summary) ?? `${refused} of ${summary.replies} replies were 429`,
    `Set \`rate: ${rate}\` in croupier.yaml, --rate ${rate} or CROUPIER_RATE=${rate}${perSecond === null ? ', with the number of calls per second that the operator accepts' : ''}. A run slows down by itself, but it can't judge a bet that was refused.`,
  );
}

/**
 * Checks the difference between the operator's clock and the local clock.
 *
 * @param time the time when the reply arrived, in milliseconds since 1970
 */
export function checkClock({ headers }: Reply, time: number): Check {
  const date = header(headers, 'date');
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return check('clock', 'not-tried', 'the reply has no readable Date header');
  // The Date header has only whole seconds: it is half a second behind the real time on average. So 500 ms are added.
  const seconds = Math.round((theirs + 500 - time) / 1000);
  if (Math.abs(seconds) < CLOCK_SECONDS)
    return check('clock', 'good', "the operator's clock and the local clock agree, to a second or two");
  const off = Math.abs(seconds);
  const zones = Math.round(off / ZONE_SECONDS);
  const isZone = zones > 0 && Math.abs(off - zones * ZONE_SECONDS) < CLOCK_SECONDS;
  const said = `${off} s${isZone ? ` (${zones / 2} h)` : ''} ${seconds < 0 ? 'behind' : 'ahead of'} the local clock`;
  return check(
    'clock',
    'warn',
    `the operator's clock is ${said}`,
    isZone
      ? "If the operator's Date header has a local time, send the time in GMT. Otherwise one of the two clocks is wrong: set it with NTP."
      : 'One of the two clocks is wrong: set it with NTP. Until then, the times in the logs of both sides differ by this much.',
  );
}

/**
 * Checks whether the key is right, and whether the operator verifies signatures.
 *
 * @param wrong the answer to a call that was signed with another key
 */
export function checkKey(right: Reply, wrong: Outcome): Check {
  const gateway = header(right.headers, 'www-authenticate');
  // Some wallets answer 403 for a closed session. Such a wallet gives a different answer to a wrong signature.
  const alike = wrong.kind === 'reply' && wrong.reply.status === right.status;
  const refused = right.status === 401 || (right.status === 403 && (alike || readReply(right).code === undefined));
  if (refused && gateway !== undefined) {
    return check(
      'key',
      'bad',
      `a correctly signed call is answered ${right.status} with a request to log in (${gateway.slice(0, 60)})`,
      'A server in front of the wallet needs credentials. Configure them as `headers` of the client, or let calls pass without credentials.',
    );
  }
  if (right.status === 403 && !isOfContract(right)) {
    return check(
      'key',
      'bad',
      'a correctly signed call is answered 403 without a code or message',
      'A firewall or a list of addresses in front of the wallet may refuse the call. Let calls from this machine pass. If nothing is in front of the wallet, compare the two keys.',
    );
  }
  if (refused) {
    return check(
      'key',
      'bad',
      `a correctly signed call is answered ${right.status}`,
      'Compare the keys of both sides (white space, the key of another client, staging or production) and how both sides compute the signature. To find out how a wrong signature was computed: croupier explain',
    );
  }
  if (isNothingThere(right, wrong)) {
    return check(
      'key',
      'not-tried',
      `not tried: GET /balance is answered ${right.status} both with a right and with a wrong signature, so the path seems to be unknown`,
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
  if (status === 401 && isUnknownPath(right)) {
    const said = `a wrongly signed call is answered 401, and a correctly signed call is answered ${right.status}`;
    return check('key', 'good', said);
  }
  if (status === 401)
    return check('key', 'good', 'correctly signed calls are accepted, and wrongly signed calls are answered 401');
  return isSuccess(status)
    ? check(
        'key',
        'bad',
        `a wrongly signed call is answered ${status}, so anybody could move money`,
        'Verify X-REQUEST-SIGN first, and answer 401 if it is wrong.',
      )
    : check(
        'key',
        'warn',
        `correctly signed calls are accepted, but a wrongly signed call is answered ${status} instead of 401`,
        'Verify the signature first, and answer 401 if it is wrong.',
      );
}

/** The highest balance that a built-in scenario needs, in stakes. */
const RECOMMENDED_STAKES = Money.of('20');

/** Checks whether the operator knows a session, and whether a run can use its currency and balance. */
export function checkSession(session: SessionUnderTest, outcome: Outcome, settings: AmountSettings): Check {
  const said = (state: CheckState, seen: string, advice: string | null = null): Check => ({
    ...check('session', state, seen, advice),
    about: session.sessionID,
  });
  if (outcome.kind === 'none')
    return said('bad', `no reply: ${outcome.detail}`, 'The other checks may show the reason.');
  const { status, balance, code, object } = readReply(outcome.reply);
  const expired = session.state === 'expired';
  if (!isSuccess(status)) {
    const answered = `GET /balance is answered ${status}${code === undefined ? '' : ` ${code}`}`;
    if (expired && code !== 'session_not_found')
      return said('good', `${answered}, which is right because the session is configured as expired`);
    const open = 'Open the session again at the operator, or configure an open session.';
    return said(
      'bad',
      answered,
      isUnknownPath(outcome.reply) ? `First check the base URL. If it is right: ${open}` : open,
    );
  }
  const { written, money, form, decimals } = balance;
  if (money === undefined) {
    return said('bad', 'the reply has no balance with an amount', 'Answer {"balance":"12.34"}.');
  }
  const currency = session.currency === undefined ? undefined : currencyWith(session.currency, settings.decimals);
  const amount = `${written ?? ''} ${session.currency ?? ''}`.trim();
  if (form !== 'plain') {
    return said(
      'warn',
      `the balance ${amount} is not a plain decimal string`,
      'Return the balance as text, in units such as euros and not in cents, for example "12.34".',
    );
  }
  if (session.currency === undefined) {
    return said(
      'warn',
      `has ${amount}`,
      'Configure the currency of the session. Without it, rules that depend on the currency are skipped.',
    );
  }
  if (!currency) {
    return said(
      'warn',
      `has ${amount}, which is a currency that croupier does not know`,
      'Check the spelling of the currency code, and whether its letters are upper-case. If the code is correct, set the number of decimals of this currency in croupier.yaml (`decimals`).',
    );
  }
  // The contract has no field `currency` in replies. But if the operator sends this field, its value is the currency of the
  // session.
  const theirs = object?.currency;
  if (typeof theirs === 'string' && theirs.toUpperCase() !== session.currency.toUpperCase()) {
    const advice = `Configure the currency ${theirs.slice(0, 10)} for the session, or use a session in ${session.currency}.`;
    return said(
      'bad',
      `the balance is answered in ${theirs.slice(0, 10)}, but the session is configured in ${session.currency}`,
      advice,
    );
  }
  const max = currency.decimals;
  if (max !== null && decimals > max) {
    const advice = `Round balances to the ${max === 0 ? 'whole unit' : plural(max, 'decimal')} of the currency, or configure the right currency.`;
    return said(
      currency.basis === 'contract' ? 'bad' : 'warn',
      `the balance ${amount} has more than ${plural(max, 'decimal')}`,
      advice,
    );
  }
  if (expired) return said('good', `has ${amount} and is configured as expired`);
  const { stake, decimals: usual } = denominationOf(session.currency, settings, decimals);
  const shown = (sum: Money): string => sum.format(Math.min(usual, 2));
  const enough = stake.times(RECOMMENDED_STAKES);
  if (money.compare(stake) < 0) {
    const advice = `Raise the balance to at least ${shown(enough)}, or configure a smaller stake.`;
    return said('bad', `has ${amount}, which is less than one stake of ${shown(stake)}`, advice);
  }
  return money.compare(enough) < 0
    ? said(
        'warn',
        `has ${amount}, but some scenarios need up to ${shown(enough)}`,
        'Raise the balance, or configure a smaller stake.',
      )
    : said('good', `has ${amount}, which is enough for stakes of ${shown(stake)}`);
}
