import { LRUCache } from 'lru-cache';
import type { CallJudge, JudgementSink } from '../service/call-judge.ts';
import type { ServiceClient } from '../service/client.ts';
import type { KnownSession } from '../traffic/call-selection.ts';
import { BodyCopy, type JudgedCall } from '../traffic/proxy/proxied-call.ts';
import { TrafficJudge } from '../traffic/proxy/traffic-judge.ts';
import { processNow } from '../wire/clock.ts';
import { callPathsOf } from './config/recorded-calls.ts';

/** Maximum number of remembered bets whose refund was sent before the bet itself. Such a bet is usually sent soon afterwards. */
const MAX_UNSENT_BETS = 1000;

/** The judgement of one client's calls. */
interface ClientJudge {
  readonly judge: TrafficJudge;
  /** The players and currencies of the sessions, by sessionID. */
  readonly sessions: Map<string, KnownSession>;
  /** The `txID`s of the latest bets that the service did not send, although it sends their refund. */
  readonly unsentBets: LRUCache<string, true>;
}

/** A call in flight. The times of its end are added when it ends. */
type OpenCall = { -readonly [Field in keyof JudgedCall]: JudgedCall[Field] };

/** Judges the calls of croupier's own service in the same way as `croupier proxy` judges the calls of another service. */
export function judgeOfCalls(clients: readonly ServiceClient[], sink: JudgementSink): CallJudge {
  const judges = new Map(clients.map((client) => [client.extCID, clientJudge(client, sink)]));
  const open = new Map<number, { readonly extCID: string; readonly judged: OpenCall }>();
  return {
    sent: ({ id, call, extCID, sessionID, player, currency, request, unsentBet }) => {
      const known = judges.get(extCID);
      if (!known) return;
      known.sessions.set(sessionID, { player, currency });
      if (unsentBet !== null) known.unsentBets.set(unsentBet, true);
      const requestBody = new BodyCopy();
      if (request.body) requestBody.add([Buffer.from(request.body)]);
      const { method, url, headers } = request;
      const judged: OpenCall = {
        id: String(id),
        method,
        url,
        headers,
        call,
        start: processNow(),
        sent: null,
        end: null,
        delayedMs: 0,
        isWhole: true,
        requestBody,
      };
      open.set(id, { extCID, judged });
      known.judge.requested(judged);
    },
    ended: (id, { outcome, stamps }) => {
      const call = open.get(id);
      if (!call) return;
      open.delete(id);
      const { start, sent, end, delayedMs = 0 } = stamps;
      Object.assign(call.judged, { start, sent, end, delayedMs });
      judges.get(call.extCID)?.judge.ended(call.judged, outcome);
    },
    balanceChanged: ({ extCID, player, currency }) => judges.get(extCID)?.judge.balanceChanged(player, currency),
  };
}

function clientJudge({ integrationApiKey, paths }: ServiceClient, sink: JudgementSink): ClientJudge {
  const sessions = new Map<string, KnownSession>();
  const unsentBets = new LRUCache<string, true>({ max: MAX_UNSENT_BETS });
  const judge = new TrafficJudge({
    paths: callPathsOf(paths),
    keys: [integrationApiKey],
    sessions,
    isUnsent: (txID) => unsentBets.has(txID),
    numberOf: ({ id }) => Number(id),
    report: ({ exchange, rule, verdict, text }) => sink.onFinding(Number(exchange), { rule, verdict, text }),
    onBalance: ({ exchange, said, expected, result }) => sink.onBalance(Number(exchange), { said, expected, result }),
  });
  return { judge, sessions, unsentBets };
}
