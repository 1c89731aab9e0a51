import type { Exchange } from '../journal/exchange.ts';
import type { LaunchedSession, LaunchRequest } from '../journal/launch.ts';
import { breach, type Decision, PASS } from '../judge/check.ts';
import { judgeLaunches } from '../judge/launches.ts';
import type { LaunchesStep } from '../scenario/plan.ts';
import { buildRequest } from '../wire/request.ts';
import { pause } from './pause.ts';
import { replyStatus } from './reply-status.ts';
import { firstRetryMs, RETRIES } from './retries.ts';
import type { RunOptions } from './run-options.ts';
import type { Sender } from './sender.ts';
import type { Stage } from './stage.ts';
import { addressOf } from './target.ts';

interface Launched {
  readonly stage: Stage;
  readonly run: RunOptions;
  readonly sender: Sender;
}

/** Judges what the operator's backend has sent to the Core API so far, and whether it knows the sessions that it launched. */
export async function judgeLaunched({ key, place }: LaunchesStep, { stage, run, sender }: Launched): Promise<void> {
  const requests = run.launches?.() ?? [];
  const step = { ...stage.readStep('main', key), place };
  const { docket } = stage.judge;
  const send = (session: LaunchedSession): Promise<Exchange> =>
    sender.send({
      call: 'balance',
      request: readOf(session, run),
      scenario: stage.plan.id,
      step: key,
      purpose: 'step',
    });
  /** An operator may be too busy for a moment. */
  const read = async (session: LaunchedSession): Promise<Exchange> => {
    let exchange = await send(session);
    for (let retry = 0; retry < RETRIES && isOpen(exchange); retry += 1) {
      await pause(firstRetryMs(run.deadlineMs) * 2 ** retry);
      exchange = await send(session);
    }
    return exchange;
  };
  for (const { rule, decision } of judgeLaunches(requests)) docket.decide({ rule, step, exchange: null }, decision);
  for (const session of sessionsOf(requests)) {
    const exchange = await read(session);
    docket.decide({ rule: 'launch.session-known', step, exchange: exchange.id }, isKnown(session, exchange));
  }
}

/** Each once, though it was perhaps launched in several games. In demo mode nothing reaches the operator. */
function sessionsOf(requests: readonly LaunchRequest[]): readonly LaunchedSession[] {
  const launched = requests.flatMap(({ session }) => (session && !session.demo ? [session] : []));
  return [...new Map(launched.map((session) => [session.sessionID, session])).values()];
}

function readOf({ sessionID }: LaunchedSession, { client }: RunOptions) {
  return buildRequest({ call: 'balance', ...addressOf(client), fields: { sessionID } });
}

function isKnown({ sessionID }: LaunchedSession, exchange: Exchange): Decision {
  const status = replyStatus(exchange);
  if (status === 200) return PASS;
  const expected = 'GET /balance finds the sessionID that the launch sent';
  if (isOpen(exchange))
    return {
      kind: 'undecided',
      reason: `GET /balance of ${sessionID} was answered ${status === undefined ? 'with no whole reply' : status}`,
    };
  return breach(expected, `the session ${sessionID} was launched, and its GET /balance is answered ${status}`, [
    'balance.read',
  ]);
}

/** A signature that is refused, and an operator that is busy or fails, say nothing about sessions. */
function isOpen(exchange: Exchange): boolean {
  const status = replyStatus(exchange);
  return status === undefined || status >= 500 || [401, 409, 423, 425, 429].includes(status);
}
