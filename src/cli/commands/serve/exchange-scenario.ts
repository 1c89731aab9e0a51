import { randomUUID } from 'node:crypto';
import type { CallName } from '../../../contract/call-name.ts';
import type { RuleId } from '../../../contract/catalogue.ts';
import { writeScenario } from '../../../scenario/write.ts';
import type { ServiceClient } from '../../../service/client.ts';
import type { LoggedExchange } from '../../../service/exchange-log.ts';
import type { ExchangeTexts } from '../../../service/service-options.ts';
import type { LoggedExchange as RecordedExchange } from '../../../traffic/logged-exchange.ts';
import type { JudgedCall } from '../../../traffic/read/gather.ts';
import { type RecordedCall, recordedCall } from '../../../traffic/recorded-call.ts';
import { recordedMistakes } from '../../../traffic/replay/recorded-mistakes.ts';
import { replayScenario } from '../../../traffic/replay/replay-scenario.ts';
import { signingOf } from '../../../traffic/replay/signing.ts';
import { buildTimeline } from '../../../traffic/timeline/timeline.ts';

/** Maximum number of calls in a scenario. Older calls are left out. */
const MAX_CALLS = 60;
/** The name of the log in the timeline. Its lines are the numbers of the exchanges. */
const LOG = 'console';

const TITLES: Readonly<Record<CallName, string>> = {
  balance: 'The balance is read',
  bet: 'A bet is taken',
  win: 'A win is paid',
  refund: 'A refund gives back the money of its bet',
};

/** Returns a function that writes a scenario from an exchange of the console, in the same way as `croupier replay`. */
export function scenarioWriter(clients: readonly ServiceClient[]): ExchangeTexts['scenarioOf'] {
  return (exchange, session, all) => {
    if (exchange.direction !== 'reverse') return null;
    const { integrationApiKey: key } = clients.find(({ extCID }) => extCID === exchange.extCID) ?? {};
    const shown = callsWith(exchange, all);
    const calls = shown.flatMap((one) => recordOf(one, session) ?? []);
    const own = calls.find(({ exchange: { place } }) => place.line === exchange.id);
    if (own === undefined) return null;
    const judgements = shown.flatMap(judgementsOf);
    const timeline = buildTimeline(calls, {}, new Map(), undefined, { unread: [], judgements });
    const signing = signingOf(timeline.calls, key === undefined ? [] : [key], () => key !== undefined);
    const mistakes = recordedMistakes({ timeline, signing });
    const isPaced = shown.some(({ notes }) => notes.some((note) => note.startsWith('delayed')));
    const { draft, untested } = replayScenario(timeline.calls, {
      title: titleOf(own.call, mistakes.rules),
      broken: mistakes.rules.length > 0 ? mistakes.rules : [ruleOf(own)],
      wrong: new Set([...mistakes.calls, ...mistakes.alike]),
      signing,
      // Most pauses between calls are pauses of the person at the console. So the scenario has pauses only if a call was
      // delayed on purpose.
      speed: isPaced ? 1 : null,
      currency: session?.currency ?? null,
      currencyOf: () => null,
      offered: null,
      hasOtherClient: false,
      uuid: randomUUID,
    });
    return writeScenario(draft, {
      comments: [
        `The service's ${own.call} of ${new Date(exchange.at).toISOString()}, with the calls that belong to it.`,
        ...shown.flatMap(commentsOf),
        ...(mistakes.rules.length > 0 && untested.length > 0
          ? [`This scenario can't test ${untested.join(', ')}.`]
          : []),
      ],
      schema: 'node_modules/croupier-conformance/schema/scenario.json',
    });
  };
}

/**
 * Returns the calls that are needed to see the same result again. These are the calls of the same round. If the balance in the
 * reply is wrong, they are also the calls since the previous reply with a balance, because these calls lead to the wrong balance.
 */
function callsWith(exchange: LoggedExchange, all: readonly LoggedExchange[]): readonly LoggedExchange[] {
  const ofSession = all.filter(({ direction, gsID }) => direction === 'reverse' && gsID === exchange.gsID);
  const before = ofSession.findLast(({ id, balance }) => id < exchange.id && balance?.said != null)?.id ?? exchange.id;
  const since = exchange.balance?.result === 'wrong' ? before : exchange.id;
  const rounds = new Set(
    ofSession.flatMap(({ id, roundID }) => (id >= since && id <= exchange.id && roundID !== null ? [roundID] : [])),
  );
  return ofSession
    .filter(
      ({ id, roundID, outcome }) =>
        outcome !== null && ((id >= since && id <= exchange.id) || (roundID !== null && rounds.has(roundID))),
    )
    .slice(-MAX_CALLS);
}

function recordOf(
  { id, at, name, request, outcome, stamps }: LoggedExchange,
  session: Parameters<ExchangeTexts['scenarioOf']>[1],
): RecordedCall | null {
  if (outcome === null || stamps === null) return null;
  const from = stamps.sent ?? stamps.start;
  const answer: RecordedExchange['answer'] =
    outcome.kind === 'reply'
      ? { kind: 'reply', ...outcome.reply }
      : { kind: 'none', reason: outcome.reason, detail: outcome.detail };
  const { player = null, currency = null } = session ?? {};
  return recordedCall({
    place: { file: LOG, line: id },
    side: 'service',
    time: { ms: at + from - stamps.start, precisionMs: 1 },
    tookMs: Math.max(0, stamps.end - from),
    request,
    answer,
    logged: {
      call: name,
      ...(player !== null && { player }),
      ...(currency !== null && { currency }),
    },
    isJudged: true,
  });
}

function judgementsOf({ id, findings }: LoggedExchange): readonly JudgedCall[] {
  return findings.flatMap(({ rule, verdict, text }) =>
    rule !== null && (verdict === 'fail' || verdict === 'warn')
      ? [{ place: { file: LOG, line: id }, rule, verdict, text }]
      : [],
  );
}

/** Says what was seen: the rules that a call breaks, and a reply that is not 200. */
function commentsOf({ id, name, outcome, findings }: LoggedExchange): readonly string[] {
  const broken = findings.flatMap(({ rule, verdict, text }) =>
    rule !== null && (verdict === 'fail' || verdict === 'warn') ? [`${rule}: ${text}`] : [],
  );
  const end =
    outcome?.kind === 'none'
      ? [`no reply (${outcome.reason})`]
      : outcome?.kind === 'reply' && outcome.reply.status !== 200
        ? [`answered ${outcome.reply.status}`]
        : [];
  return [...end, ...broken].map((text) => `Seen in call ${id} (${name}): ${text}`);
}

function titleOf(call: CallName, rules: readonly RuleId[]): string {
  return rules.length === 0 ? TITLES[call] : `${TITLES[call]}, and no call breaks ${rules.join(', ')}`;
}

/** Returns the rule that a scenario with this call tests. */
function ruleOf({ call, type, money }: RecordedCall): RuleId {
  switch (call) {
    case 'balance':
      return 'balance.read';
    case 'bet':
      return type === 'free' ? 'free-rounds.bet' : 'bet.debit';
    case 'win':
      if (type === 'free') return 'free-rounds.win';
      return money?.isZero() ? 'win.zero' : 'win.credit';
    case 'refund':
      return 'refund.restore';
  }
}
