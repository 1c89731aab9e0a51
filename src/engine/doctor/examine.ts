import { randomUUID } from 'node:crypto';
import type { Outcome, Reply } from '../../journal/exchange.ts';
import type { Landing } from '../../wire/flight.ts';
import { probe } from '../../wire/probe.ts';
import { type BuiltRequest, buildRequest } from '../../wire/request.ts';
import type { SignKind } from '../../wire/sign-kind.ts';
import { Wire } from '../../wire/wire.ts';
import type { ClientUnderTest } from '../run-options.ts';
import { addressOf } from '../target.ts';
import { type BaseUrlAnswer, checkBaseUrl, checkTarget } from './address.ts';
import { CHECK_NAMES, type Check, check } from './check.ts';
import { checkConnection } from './connection.ts';
import {
  checkClock,
  checkHttp,
  checkKey,
  checkLatency,
  checkRedirects,
  isNothingThere,
  isOfContract,
} from './replies.ts';
import { checkSession } from './session.ts';

/** How many replies the latency is told from. */
const TIMES = 5;
/** After so many lost replies on end no further session is asked about. */
const MOST_LOST = 3;

export interface ExamineOptions {
  readonly client: ClientUnderTest;
  /** By currency code, as for a run. */
  readonly stakes: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** What is said of sessions where the client has none. */
  readonly noSession: Check;
  /** The name of a variable of the environment that asks for a proxy; null: none. */
  readonly ambientProxy: string | null;
  /** Milliseconds since 1970. */
  readonly time: () => number;
}

/**
 * Looks at all that must be in order before a client can be judged. Sends nothing but GET /balance.
 *
 * @returns every check, in the order of `CHECK_NAMES`; `session` once for each session
 * @throws TypeError when options of the wire can't be used
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

/** What was not reached, after what was. */
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
  'what answers there speaks TLS, and was called without',
  'Begin the base URL with https:, or name the port that speaks HTTP.',
);

const NOBODY: Answered = { checks: [], answer: 'unknown' };

function answerOf(reply: Reply): BaseUrlAnswer {
  const { status } = reply;
  // Who refuses a signature has understood what was called.
  if (isOfContract(reply) || status === 401 || status === 403) return 'of-contract';
  return 'other';
}

class Examination {
  readonly #options: ExamineOptions;
  readonly #wire: Wire;
  /** That of an open session, if there is any: about the key, one that nobody knows tells as much. */
  readonly #sessionID: string;

  constructor(options: ExamineOptions, wire: Wire) {
    const { sessions } = options.client;
    this.#options = options;
    this.#wire = wire;
    this.#sessionID = (sessions.find(({ state }) => state !== 'expired') ?? sessions[0])?.sessionID ?? randomUUID();
  }

  async all(): Promise<readonly Check[]> {
    const { client, deadlineMs, ambientProxy, time } = this.#options;
    const { integratorBaseUrl: baseUrl, wire } = client;
    const seen = await probe(this.#request(), { ...wire, deadlineMs });
    const connection = checkConnection(seen, { baseUrl, wire, ambientProxy, time: time() });
    const address = wire.proxy === undefined ? seen.address : null;
    const answered = seen.failure ? NOBODY : await this.#calls(seen.statusLine);
    return [
      checkBaseUrl(baseUrl, client.paths, answered.answer),
      ...connection,
      ...answered.checks,
      checkTarget(baseUrl, seen.failure?.reason === 'unresolved' ? 'none' : address, client.production),
    ];
  }

  /** What only replies tell. */
  async #calls(statusLine: string | null): Promise<Answered> {
    const { client, time } = this.#options;
    const request = this.#request();
    const first = await this.#send(request);
    const came = time();
    const http = (await this.#speaksTls(first.outcome)) ? SPEAKS_TLS : checkHttp(statusLine, first.outcome);
    if (first.outcome.kind === 'none') return { ...NOBODY, checks: [http] };
    const { reply } = first.outcome;
    const answer = answerOf(reply);
    if (http.state === 'bad') return { checks: [http], answer };
    const redirects = checkRedirects(reply, request.url);
    if (redirects.state === 'bad') return { checks: [http, redirects], answer };
    const landings = [first];
    while (landings.length < TIMES && landings.at(-1)?.outcome.kind === 'reply') {
      landings.push(await this.#send(request));
    }
    const wrong = await this.#send(this.#request(this.#sessionID, 'wrong-key'));
    const key = checkKey(reply, wrong.outcome);
    const checks = [http, redirects, checkLatency(landings), checkClock(reply, came), key];
    // Without the right key no session can be asked about; one that takes any signature can be.
    if (isNothingThere(reply, wrong.outcome)) return { checks, answer: 'not-found' };
    if (key.state === 'bad' && reply.status >= 300) return { checks, answer };
    if (client.sessions.length === 0) checks.push(this.#options.noSession);
    let lost = 0;
    for (const session of client.sessions) {
      // Each lost one may last as long as the deadline.
      if (lost >= MOST_LOST) {
        checks.push({ ...check('session', 'not-tried', 'not tried'), about: session.sessionID });
        continue;
      }
      const outcome = await this.#read(session.sessionID);
      lost = outcome.kind === 'none' ? lost + 1 : 0;
      checks.push(checkSession(session, outcome, this.#options.stakes));
    }
    return { checks, answer };
  }

  /** Servers say in many ways that they wanted TLS, and most say nothing: so it is tried. */
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

  async #send(request: BuiltRequest): Promise<Landing> {
    const landing = await this.#wire.send({ request });
    const { outcome } = landing;
    // A server may close an idle connection at the moment at which a call begins; that is nobody's fault.
    return outcome.kind === 'none' && outcome.reason === 'stale-connection'
      ? this.#wire.send({ request, freshConnection: true })
      : landing;
  }

  async #read(sessionID: string): Promise<Outcome> {
    return (await this.#send(this.#request(sessionID))).outcome;
  }
}
