import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { plural } from '../../contract/plural.ts';
import type { JournalFile } from '../../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../../engine/run-options.ts';
import type { History } from '../../history/history.ts';
import { LeaseLost } from '../../history/lease-lost.ts';
import { type HeldPart, type LoadClient, loadState, takePart } from '../../history/loads.ts';
import { operatorOf } from '../../history/operator-name.ts';
import type { RunStarted } from '../../journal/event.ts';
import type { JobStore } from '../history/job-store.ts';
import { thisProcess } from '../journal-files.ts';
import type { RunSettings } from '../run/settings.ts';
import type { PartOrder } from './part-content.ts';
import { PART_LEASE_MS, playHeldPart } from './part-player.ts';
import { settlePart } from './settle-part.ts';

/** Time between two looks for parts, in ms. */
const POLL_MS = 200;

interface JoinSettings {
  readonly store: JobStore;
  /** The clients whose loads this machine can play. */
  readonly clients: readonly ClientUnderTest[];
  readonly settings: RunSettings;
  readonly scrub: (text: string) => string;
  /** Creates the journal of a part. */
  readonly openJournal: () => JournalFile;
  /** Ends the worker after its part. */
  readonly signal: AbortSignal;
  /** Prints a line for the user. */
  readonly say: (text: string) => void;
}

/** The work of a worker for a load. */
export interface Joined {
  /** False if the command that started the load no longer runs, or if this worker has lost a part. */
  readonly isComplete: boolean;
  /** False if players are still owed something. */
  readonly isSettled: boolean;
}

/** Waits for a load of one of the clients, plays parts of it until it ends, and settles the players of workers that vanished. */
export async function joinLoad(given: JoinSettings): Promise<Joined> {
  return new LoadWorker(given).work();
}

class LoadWorker {
  readonly #given: JoinSettings;
  readonly #known: readonly LoadClient[];
  readonly #worker = `${hostname()}:${process.pid}`;
  /** The load that this worker has joined; undefined until then. */
  #load: number | undefined;
  #isComplete = true;
  #isSettled = true;

  constructor(given: JoinSettings) {
    this.#given = given;
    this.#known = given.clients.map(({ extCID, integratorBaseUrl }) => ({
      extCID,
      operator: operatorOf({ client: { extCID, integratorBaseUrl } }),
    }));
  }

  async work(): Promise<Joined> {
    const { store, signal } = this.#given;
    while (!signal.aborted && !(await this.#hasEnded())) {
      const part = (await this.#take('waiting')) ?? (await this.#take('lost'));
      if (part) await this.#do(part);
      else await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    }
    await store.close();
    return { isComplete: this.#isComplete, isSettled: this.#isSettled };
  }

  /** True if the load that this worker has joined has ended. */
  async #hasEnded(): Promise<boolean> {
    const load = this.#load;
    if (load === undefined) return false;
    const state = await this.#untilDone((history) => loadState(history, load));
    return state === undefined || state.hasEnded || !state.isAlive;
  }

  async #take(wanted: 'waiting' | 'lost'): Promise<(HeldPart & { readonly wanted: typeof wanted }) | undefined> {
    const options = { wanted, worker: this.#worker, leaseMs: PART_LEASE_MS, only: this.#load };
    const part = await this.#untilDone((history) => takePart(history, this.#known, options));
    return part && { ...part, wanted };
  }

  async #do(part: HeldPart & { readonly wanted: 'waiting' | 'lost' }): Promise<void> {
    const { say, clients, openJournal } = this.#given;
    const client = clients.find(({ extCID }) => extCID === part.extCID);
    if (!client) return;
    const started: RunStarted = { ...(JSON.parse(part.started) as RunStarted), process: thisProcess() };
    const { wallets } = JSON.parse(part.content) as PartOrder;
    const players = plural(wallets.length, 'player');
    const journal = openJournal();
    try {
      journal.append(started);
      if (part.wanted === 'waiting') {
        this.#load = part.load;
        say(`Joined the load for ${part.extCID}, with ${players}.`);
        const end = await playHeldPart(part, { ...this.#given, client, journal });
        if (end === 'abandoned') {
          this.#isComplete = false;
          say('The command that started the load has ended. All rounds are complete.');
        }
      } else {
        say(`A worker has vanished. Settling its ${players} …`);
        const isSettled = await settlePart(part, { ...this.#given, client, started, journal });
        if (!isSettled) this.#isSettled = false;
        say(isSettled ? `Settled: the ${players} are owed nothing.` : 'Something is still owed.');
      }
      journal.append({
        event: 'run-ended',
        how: 'complete',
        signal: null,
        detail: null,
        durationMs: performance.now(),
      });
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      if (part.wanted === 'waiting') this.#isComplete = false;
      say(
        `This worker has lost its part: ${error.message}. It sends nothing more, and another worker settles the players.`,
      );
    } finally {
      journal.close();
    }
  }

  /** Does some work in the database. @returns undefined if the worker must end before the database can be used */
  async #untilDone<T>(work: (history: History) => Promise<T>): Promise<T | undefined> {
    const { store, signal } = this.#given;
    try {
      return await store.untilDone(work, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}
