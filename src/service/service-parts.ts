import { randomUUID } from 'node:crypto';
import { CONTRACT_VERSION, type ContractVersion } from '../contract/versions.ts';
import { Adapter } from './adapter/adapter.ts';
import { Faults } from './adapter/faults.ts';
import { Play } from './adapter/play.ts';
import { type CallObserver, ReverseCalls } from './adapter/reverse-calls.ts';
import type { RoundRecord } from './adapter/round-record.ts';
import { RoundStore } from './adapter/round-store.ts';
import type { CallJudge } from './call-judge.ts';
import { Campaigns } from './campaigns.ts';
import type { ServiceClient } from './client.ts';
import { DemoBalances } from './demo-balances.ts';
import { DemoRounds } from './demo-rounds.ts';
import { ExchangeLog } from './exchange-log.ts';
import { Feed } from './feed.ts';
import { GameSessions } from './game-sessions.ts';
import { GAMES, type Game } from './games.ts';
import { openServiceDatabase } from './service-database.ts';
import { checkClients, type ServiceOptions } from './service-options.ts';
import { sleep as realSleep, type Sleep } from './sleep.ts';

/** The parts of the service that its pages and its tests use. */
export interface ServiceParts {
  readonly clients: readonly ServiceClient[];
  readonly games: readonly Game[];
  readonly version: ContractVersion;
  readonly sessions: GameSessions;
  readonly campaigns: Campaigns;
  readonly demoBalances: DemoBalances;
  /** The latest rounds with a demo balance. */
  readonly demoRounds: DemoRounds;
  /** The log of all exchanges: requests to the Core API, and reverse calls. */
  readonly log: ExchangeLog;
  /** The faults that are waiting to disturb a reverse call on purpose. */
  readonly faults: Faults;
  /** Makes the reverse calls. */
  readonly calls: ReverseCalls;
  /** Judges the reverse calls; null if they are not judged. */
  readonly judge: CallJudge | null;
  /** Stores the rounds, and sends wins and refunds until the operator answers 200. */
  readonly adapter: Adapter;
  /** Publishes a round after each event of the round. */
  readonly roundFeed: Feed<RoundRecord>;
  /** Plays rounds for the game page and the console. */
  readonly play: Play;
  /** Returns the milliseconds since 1970. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** Returns a random number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly uuid: () => string;
  readonly onFault: (error: unknown) => void;
}

interface Closing {
  close(graceMs: number): void | Promise<void>;
}

/** The parts of the service, and a function that closes them. */
export interface OpenedParts {
  readonly parts: ServiceParts;
  /**
   * Closes all parts.
   *
   * @param graceMs how long to wait for calls that are not answered yet, in milliseconds
   */
  readonly close: (graceMs: number) => Promise<void>;
}

/**
 * Opens all parts of the service. If an earlier process of the service left owed wins and refunds, they are sent again.
 *
 * @throws RangeError when the settings of the clients contradict each other or the catalogue
 * @throws DatabaseError when another service uses the folder, or when its content can't be read
 */
export function openParts(options: ServiceOptions): OpenedParts {
  const { clients, dataDir, games = GAMES, contract: version = CONTRACT_VERSION } = options;
  checkClients(clients, games);
  const { clock = Date.now, sleep = realSleep, random = Math.random, uuid = randomUUID, onFault = warn } = options;
  const opened: Closing[] = [];
  const keep = <C extends Closing>(part: C): C => {
    opened.push(part);
    return part;
  };

  try {
    const database = keep(openServiceDatabase(dataDir));
    const store = new RoundStore(database);
    const sessions = new GameSessions({ database, now: clock, hasOpenRounds: (gsID) => store.hasRoundOf(gsID) });
    const campaigns = new Campaigns(database);
    const demoBalances = new DemoBalances(database);
    const keys = clients.flatMap(({ apiKey, integrationApiKey }) => [apiKey, integrationApiKey]);
    const secrets = [...keys, ...(options.secrets ?? [])];
    const log = new ExchangeLog({ secrets, clock });
    const faults = new Faults();
    const roundFeed = new Feed<RoundRecord>();
    const { wire, backoff, paytableOf } = options;
    const judge =
      options.judgeCalls?.({
        onFinding: (id, finding) => log.addFinding(id, finding),
        onBalance: (id, balance) => log.setBalance(id, balance),
      }) ?? null;
    const observer = judge && { observer: observerOf(judge, sessions, onFault) };
    const calls = keep(new ReverseCalls({ clients, log, sleep, faults, ...(wire && { wire }), ...observer }));
    const adapter = keep(
      new Adapter({
        store,
        send: calls.send,
        uuid,
        clock,
        sleep,
        random,
        contract: version,
        faults,
        onRound: (record) => roundFeed.publish(record),
        onFault,
        ...(backoff && { backoff }),
      }),
    );
    const demoRounds = new DemoRounds();
    const play = new Play({
      adapter,
      demo: demoBalances,
      uuid,
      random,
      onDemoRound: (session, played) => demoRounds.add({ session, played, at: clock() }),
      ...(paytableOf && { paytableOf }),
    });
    return {
      parts: {
        clients,
        games,
        version,
        sessions,
        campaigns,
        demoBalances,
        demoRounds,
        log,
        faults,
        calls,
        judge,
        adapter,
        roundFeed,
        play,
        clock,
        sleep,
        random,
        uuid,
        onFault,
      },
      close: async (graceMs) => {
        for (const part of opened.toReversed()) await part.close(graceMs);
      },
    };
  } catch (error) {
    for (const part of opened.toReversed()) void part.close(0);
    throw error;
  }
}

/** Passes the calls to the judge, each with its player. An error of the judge must not affect the calls. */
function observerOf(judge: CallJudge, sessions: GameSessions, onFault: (error: unknown) => void): CallObserver {
  const guard = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onFault(error);
    }
  };
  return {
    sent: (id, { call, extCID, gsID, fields, isBetUnsent }, request) => {
      const { player = null, currency = null } = sessions.byId(gsID) ?? {};
      const sessionID = typeof fields.sessionID === 'string' ? fields.sessionID : '';
      const unsentBet = isBetUnsent && typeof fields.origTxID === 'string' ? fields.origTxID : null;
      guard(() => judge.sent({ id, call, extCID, sessionID, player, currency, request, unsentBet }));
    },
    ended: (id, end) => guard(() => judge.ended(id, end)),
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
