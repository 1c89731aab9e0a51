import { randomUUID } from 'node:crypto';
import type { SignKind } from '../../contract/deviation.ts';
import type { Outcome, Reply } from '../../journal/exchange.ts';
import { RateLimit } from '../../journal/network/rate-limit.ts';
import { isSuccess } from '../../reply/status.ts';
import type { CallResult } from '../../wire/pending-call.ts';
import { probe } from '../../wire/probe.ts';
import { type BuiltRequest, buildRequest } from '../../wire/request.ts';
import { Wire } from '../../wire/wire.ts';
import { Pace } from '../calls/pace.ts';
import { addressOf, type ClientUnderTest } from '../run-options.ts';
import type { AmountSettings } from '../stakes.ts';
import { type BaseUrlAnswer, checkBaseUrl, checkTarget } from './address.ts';
import { CHECK_NAMES, type Check, check } from './check.ts';
import { checkConnection } from './connection.ts';
import {
  checkClock,
  checkHttp,
  checkKey,
  checkLatency,
  checkRate,
  checkRedirects,
  checkSession,
  isNothingThere,
  isOfContract,
  isUnknownPath,
} from './replies.ts';

/** Number of replies from which the latency is measured. */
const TIMES = 5;
/** Number of balance calls that are sent to find out whether the operator limits the rate of calls. */
const RATE_CALLS = 100;
const RATE_CALLS_AT_ONCE = 8;
/** Maximum time for the {@link RATE_CALLS} calls, in ms. */
const RATE_MS = 2000;
/** After this number of lost replies in a row, the remaining sessions are not checked. */
const MAX_LOST = 3;

export interface ExamineOptions extends AmountSettings {
  readonly client: ClientUnderTest;
  /** The reply deadline, in milliseconds. */
  readonly deadlineMs: number;
  /** Maximum number of calls per second. Null: no limit. */
  readonly ratePerSecond: number | null;
  /** The result of the session check for a client without a session. */
  readonly noSession: Check;
  /** The name of an environment variable that sets a proxy. Null if there is none. */
  readonly ambientProxy: string | null;
  /** Returns the current time, in milliseconds since 1970. */
  readonly time: () => number;
}

/**
 * Makes all checks that show whether a client can be judged. Sends no other call than GET /balance.
 *
 * @returns every check, in the order of `CHECK_NAMES`; the check `session` is repeated for each session
 * @throws TypeError if the options of the connection are invalid
 */
export async function examine(options: ExamineOptions): Promise<readonly Check[]> {
  const { client, deadlineMs } = options;
  const wire = new Wire({ ...client.wire, deadlineMs });
  try {
    return inOrder(await new Examination(options, wire).all());
  } finally {
    await wire.close();
  }
}

/** Sorts the checks and adds those that were not made, with the state `not-tried`. */
function inOrder(made: readonly Check[]): readonly Check[] {
  return CHECK_NAMES.flatMap((name) => {
    const those = made.filter((one) => one.name === name);
    return those.length > 0 ? those : [check(name, 'not-tried', 'not tried')];
  });
}

interface Answered {
  readonly checks: readonly Check[];
  readonly answer: BaseUrlAnswer;
}

const SPEAKS_TLS = check(
  'http',
  'bad',
  'the server expects TLS, but the base URL uses http',
  'Begin the base URL with https:, or use the port for HTTP.',
);

const NO_ANSWER: Answered = { checks: [], answer: 'unknown' };

function answerOf(reply: Reply): BaseUrlAnswer {
  const { status } = reply;
  // If the operator refuses the signature, it has recognised the request as a call of the contract.
  if (isOfContract(reply) || status === 401 || status === 403) return 'of-contract';
  return 'other';
}

class Examination {
  readonly #options: ExamineOptions;
  readonly #wire: Wire;
  /**
   * The sessionID for the checks, if possible of a session that is not expired. If there is no session, this is a random id, which
   * is enough to check the key.
   */
  readonly #sessionID: string;
  readonly #rateLimit = new RateLimit();
  readonly #pace: Pace;

  constructor(options: ExamineOptions, wire: Wire) {
    const { sessions } = options.client;
    this.#options = options;
    this.#wire = wire;
    this.#pace = new Pace({ ...options, maxAtOnce: RATE_CALLS_AT_ONCE, now: () => performance.now() });
    this.#sessionID = (sessions.find(({ state }) => state !== 'expired') ?? sessions[0])?.sessionID ?? randomUUID();
  }

  async all(): Promise<readonly Check[]> {
    const { client, deadlineMs, ambientProxy, time } = this.#options;
    const { integratorBaseUrl: baseUrl, wire } = client;
    const seen = await probe(this.#request(), { ...wire, deadlineMs });
    const connection = checkConnection(seen, { baseUrl, wire, ambientProxy, time: time() });
    const address = wire.proxy === undefined ? seen.address : null;
    const answered = seen.failure ? NO_ANSWER : await this.#calls(seen.statusLine);
    return [
      checkBaseUrl(baseUrl, client.paths, answered.answer),
      ...connection,
      ...answered.checks,
      ...(await this.#rate(answered)),
      checkTarget(baseUrl, seen.failure?.reason === 'unresolved' ? 'none' : address, client.production),
    ];
  }

  /** Makes the checks that need replies. */
  async #calls(statusLine: string | null): Promise<Answered> {
    const { client, time } = this.#options;
    const request = this.#request();
    const first = await this.#send(request);
    const came = time();
    const http = (await this.#speaksTls(first.outcome)) ? SPEAKS_TLS : checkHttp(statusLine, first.outcome);
    if (first.outcome.kind === 'none') return { ...NO_ANSWER, checks: [http] };
    const { reply } = first.outcome;
    const answer = answerOf(reply);
    if (http.state === 'bad') return { checks: [http], answer };
    const redirects = checkRedirects(reply, request.url);
    if (redirects.state === 'bad') return { checks: [http, redirects], answer };
    const results = [first];
    while (results.length < TIMES && results.at(-1)?.outcome.kind === 'reply') {
      results.push(await this.#send(request));
    }
    const wrong = await this.#send(this.#request(this.#sessionID, 'wrong-key'));
    const key = checkKey(reply, wrong.outcome);
    const checks = [http, redirects, checkLatency(results), checkClock(reply, came), key];
    // If the key is wrong, croupier cannot check sessions, unless the operator accepts any signature.
    if (isNothingThere(reply, wrong.outcome)) return { checks, answer: 'not-found' };
    if (key.state === 'bad' && !isSuccess(reply.status)) return { checks, answer };
    if (client.sessions.length === 0) checks.push(this.#options.noSession);
    let lost = 0;
    let unknown = 0;
    for (const session of client.sessions) {
      // Each lost reply may cost the whole deadline. So the check ends after a few lost replies.
      if (lost >= MAX_LOST) {
        checks.push({ ...check('session', 'not-tried', 'not tried'), about: session.sessionID });
        continue;
      }
      const outcome = await this.#read(session.sessionID);
      lost = outcome.kind === 'none' ? lost + 1 : 0;
      if (outcome.kind === 'reply' && isUnknownPath(outcome.reply)) unknown += 1;
      checks.push(checkSession(session, outcome, this.#options));
    }
    const isUnknown = unknown > 0 && unknown === client.sessions.length;
    return { checks, answer: isUnknown ? 'maybe-not-found' : answer };
  }

  /** Sends many balance calls, as a run does, to find out whether the operator limits the rate of calls. */
  async #rate({ checks }: Answered): Promise<readonly Check[]> {
    const isReady = checks.some(({ name, state }) => name === 'session' && state !== 'bad' && state !== 'not-tried');
    if (checks.length === 0 || (!isReady && this.#rateLimit.summary.refused === 0)) return [];
    const startedMs = performance.now();
    let calls = 0;
    let isOver = !isReady;
    const callAgain = async (): Promise<void> => {
      while (!isOver && calls < RATE_CALLS && performance.now() - startedMs < RATE_MS) {
        calls += 1;
        const outcome = await this.#read(this.#sessionID);
        isOver ||= outcome.kind === 'none' || this.#rateLimit.perSecond !== null;
      }
    };
    await Promise.all(Array.from({ length: RATE_CALLS_AT_ONCE }, callAgain));
    return [checkRate(this.#rateLimit.summary, calls, performance.now() - startedMs)];
  }

  /**
   * Tries a TLS connection to find out whether the server expects TLS. Servers report missing TLS in many ways, or not at all.
   */
  async #speaksTls(outcome: Outcome): Promise<boolean> {
    const { client, deadlineMs } = this.#options;
    const request = this.#request();
    if (!request.url.startsWith('http:')) return false;
    const isOdd =
      outcome.kind === 'none'
        ? outcome.reason !== 'too-late'
        : outcome.reply.status === 400 && !isOfContract(outcome.reply);
    if (!isOdd) return false;
    const { port } = new URL(request.url);
    const url = request.url.replace(
      /^http:\/\/([^/]+)/,
      (_, host: string) => `https://${host}${port === '' ? ':80' : ''}`,
    );
    return (await probe({ ...request, url }, { ...client.wire, insecureTls: true, deadlineMs })).secured !== null;
  }

  #request(sessionID = this.#sessionID, sign: SignKind = 'valid'): BuiltRequest {
    return buildRequest({ call: 'balance', ...addressOf(this.#options.client), fields: { sessionID }, sign });
  }

  async #send(request: BuiltRequest): Promise<CallResult> {
    await this.#pace.enter(1);
    const result = await this.#wire.send({ request }).finally(() => this.#pace.leave(1));
    const { outcome, stamps } = result;
    if (outcome.kind === 'reply') this.#rateLimit.note({ atMs: stamps.end, call: 'balance', ...outcome.reply });
    // A server may close an idle connection at the moment when a call begins. This is no error of the server, so the call is sent
    // again.
    return outcome.kind === 'none' && outcome.reason === 'stale-connection'
      ? this.#wire.send({ request, freshConnection: true })
      : result;
  }

  async #read(sessionID: string): Promise<Outcome> {
    return (await this.#send(this.#request(sessionID))).outcome;
  }
}
