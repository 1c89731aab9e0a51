import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { CONTRACT_VERSION, type ContractVersion } from '../contract/versions.ts';
import { Adapter } from './adapter/adapter.ts';
import { Faults } from './adapter/faults.ts';
import { memoryLedger, openLedger } from './adapter/ledger.ts';
import { Play } from './adapter/play.ts';
import { ReverseCalls } from './adapter/reverse-calls.ts';
import type { RoundRecord } from './adapter/round-record.ts';
import { sleep as realSleep, type Sleep } from './adapter/sleep.ts';
import { Campaigns } from './campaigns.ts';
import type { ServiceClient } from './client.ts';
import { DemoBalances } from './demo-balances.ts';
import { ExchangeLog } from './exchange-log.ts';
import { Feed } from './feed.ts';
import type { Game } from './game.ts';
import { GameSessions } from './game-sessions.ts';
import { GAMES } from './games.ts';
import { checkClients, type ServiceOptions } from './service-options.ts';

/** What the service consists of, for its pages and its tests: who plays, what is owed, and everything that passes. */
export interface ServiceParts {
  readonly clients: readonly ServiceClient[];
  readonly games: readonly Game[];
  readonly version: ContractVersion;
  readonly sessions: GameSessions;
  readonly campaigns: Campaigns;
  readonly demoBalances: DemoBalances;
  /** Every exchange, the Core API's and the reverse calls'. */
  readonly log: ExchangeLog;
  /** What disturbs the next reverse calls. */
  readonly faults: Faults;
  /** Makes the reverse calls. */
  readonly calls: ReverseCalls;
  /** Knows rounds, and what is owed. */
  readonly adapter: Adapter;
  /** Each round of the adapter's whenever something happened in it. */
  readonly roundFeed: Feed<RoundRecord>;
  /** Plays rounds. */
  readonly play: Play;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly uuid: () => string;
  readonly onFault: (error: unknown) => void;
}

interface Closing {
  close(graceMs: number): void | Promise<void>;
}

/** Everything that has to be closed again, in the order of opening. */
export interface OpenedParts {
  readonly parts: ServiceParts;
  /** @param graceMs how long calls under way may take to be answered */
  readonly close: (graceMs: number) => Promise<void>;
}

/**
 * Opens all parts. What was owed when the service ended last is being sent again from then on.
 *
 * @throws RangeError when the clients contradict one another or the catalogue
 * @throws LedgerError when another service uses the folder, or what is in it is damaged
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
  const fileOf = (name: string): { readonly path?: string } =>
    dataDir === undefined ? {} : { path: path.join(dataDir, name) };

  try {
    // First of all, because it makes the folder, and refuses one that another service uses.
    const ledger = keep(dataDir === undefined ? memoryLedger() : openLedger(dataDir));
    const owing = new Set(ledger.book.rounds.map(({ gsID }) => gsID));
    const owes = (gsID: string): boolean => owing.has(gsID) || ledger.book.rounds.some((one) => one.gsID === gsID);
    const sessions = keep(new GameSessions({ ...fileOf('sessions.ndjson'), now: clock, owes }));
    const campaigns = keep(new Campaigns(fileOf('campaigns.ndjson').path));
    const demoBalances = keep(new DemoBalances(fileOf('demo-balances.ndjson').path));
    const keys = clients.flatMap(({ apiKey, integrationApiKey }) => [apiKey, integrationApiKey]);
    const secrets = [...keys, ...(options.secrets ?? [])];
    const log = new ExchangeLog({ secrets, clock });
    const faults = new Faults();
    const roundFeed = new Feed<RoundRecord>();
    const { wire, backoff, paytableOf } = options;
    const calls = keep(new ReverseCalls({ clients, log, sleep, faults, ...(wire && { wire }) }));
    const adapter = keep(
      new Adapter({
        ledger,
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
    const play = new Play({ adapter, demo: demoBalances, uuid, random, ...(paytableOf && { paytableOf }) });
    return {
      parts: {
        clients,
        games,
        version,
        sessions,
        campaigns,
        demoBalances,
        log,
        faults,
        calls,
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

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
