import type { Exchange } from '../../journal/exchange.ts';
import type { LaunchedSession, LaunchRequest } from '../../journal/launch.ts';
import { isEndedSession } from '../../journal/network/unknown-session.ts';
import { isLimitCode } from '../../judge/checks/check.ts';
import { judgeLaunches } from '../../judge/checks/launches.ts';
import { breach, type Decision, PASS } from '../../judge/decision.ts';
import { readReply } from '../../reply/read.ts';
import { isWorthRetrying, replyStatus } from '../../reply/status.ts';
import type { LaunchesStep } from '../../scenario/plan/plan.ts';
import { buildRequest } from '../../wire/request.ts';
import type { Sender } from '../calls/sender.ts';
import { firstRetryMs, pause, RETRIES } from '../calls/waits.ts';
import { addressOf, type RunOptions } from '../run-options.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import { isPlayable } from '../session-pool.ts';

interface Launched {
  readonly context: ScenarioContext;
  readonly run: RunOptions;
  readonly sender: Sender;
}

/**
 * Judges the calls that the operator's backend has sent to the Core API so far. Also judges whether the wallet knows the
 * sessions that the backend launched.
 */
export async function judgeLaunched({ key, place }: LaunchesStep, { context, run, sender }: Launched): Promise<void> {
  const requests = run.launches?.() ?? [];
  const step = { ...context.readStep('main', key), place };
  const { collector } = context.judge;
  const send = (session: LaunchedSession): Promise<Exchange> =>
    sender.send({
      call: 'balance',
      request: readOf(session, run),
      scenario: context.plan.id,
      step: key,
      purpose: 'step',
    });
  /** Reads the balance of a session. If the operator is busy, reads again, because it may be able to answer a moment later. */
  const read = async (session: LaunchedSession): Promise<Exchange> => {
    let exchange = await send(session);
    for (let retry = 0; retry < RETRIES && isOpen(exchange) && !sender.waitPolicy.neverEnds('balance'); retry += 1) {
      await pause(firstRetryMs(run.deadlineMs) * 2 ** retry);
      exchange = await send(session);
    }
    return exchange;
  };
  for (const { rule, decision } of judgeLaunches(requests)) collector.decide({ rule, step, exchange: null }, decision);
  for (const session of sessionsOf(requests)) {
    if (sender.waitPolicy.neverEnds('balance')) {
      const reason = 'GET /balance missed the deadline each time, so no further session was read';
      collector.decide({ rule: 'launch.session-known', step, exchange: null }, { kind: 'undecided', reason });
      return;
    }
    const exchange = await read(session);
    collector.decide({ rule: 'launch.session-known', step, exchange: exchange.id }, isKnown(session, exchange, run));
  }
}

/**
 * Returns the launched sessions without duplicates, because a session may be launched in several games. Leaves out demo sessions,
 * because the service sends no calls for them to the operator.
 */
function sessionsOf(requests: readonly LaunchRequest[]): readonly LaunchedSession[] {
  const launched = requests.flatMap(({ session }) => (session && !session.demo ? [session] : []));
  return [...new Map(launched.map((session) => [session.sessionID, session])).values()];
}

function readOf({ sessionID }: LaunchedSession, { client }: RunOptions) {
  return buildRequest({ call: 'balance', ...addressOf(client), fields: { sessionID } });
}

function isKnown({ sessionID }: LaunchedSession, exchange: Exchange, { client }: RunOptions): Decision {
  const status = replyStatus(exchange);
  if (status === 200) return PASS;
  const expected = 'GET /balance finds the sessionID that the launch sent';
  if (isOpen(exchange))
    return {
      kind: 'undecided',
      reason: `GET /balance of ${sessionID} ${status === undefined ? 'got no complete reply' : `was answered ${status}`}`,
    };
  const code = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply).code : undefined;
  if (isLimitCode(code)) {
    const reason = `GET /balance of ${sessionID} was answered ${status} with the code ${code}`;
    return { kind: 'skip', reason, declined: true };
  }
  // A session in which scenarios were played may have ended since its launch.
  const isPlayed = client.sessions.some((one) => one.sessionID === sessionID && isPlayable(one));
  if (isPlayed && isEndedSession('balance', exchange.outcome)) {
    const reason = `the session ${sessionID} has ended: its GET /balance is answered ${status} with the code ${code}`;
    return { kind: 'skip', reason, declined: true };
  }
  return breach(expected, `the session ${sessionID} was launched, but its GET /balance is answered ${status}`, [
    'balance.read',
  ]);
}

/**
 * True if the answer does not show whether the operator knows the session: there is no answer, the operator refused the signature,
 * or it is busy or failed.
 */
function isOpen(exchange: Exchange): boolean {
  const status = replyStatus(exchange);
  return status === undefined || status === 401 || isWorthRetrying(status);
}
