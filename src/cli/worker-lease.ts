import type { RunLease } from '../app/run/run-lease.ts';
import type { Stdio } from '../app/stdio.ts';
import { type FromRun, type FromWorker, LEASE_LOST_STATUS, LEASE_VARIABLE } from '../fleet/lease-messages.ts';
import type { FinishedRun } from '../history/record.ts';
import type { Retention } from '../history/retention.ts';

/** The lease of a process, with the connection to its worker. */
export interface OpenLease extends RunLease {
  /** Closes the connection. After that, the process can end. */
  close(): void;
}

/**
 * Returns the lease of a process that a worker of the fleet has started; undefined for every other process. If the lease is lost,
 * or if the worker has ended, the process ends at once, like a killed process: the journal is complete up to this moment.
 */
export function leaseFromWorker({ env, err }: Pick<Stdio, 'env' | 'err'>): OpenLease | undefined {
  return isStartedByWorker({ env }) ? new WorkerLease(Number(env[LEASE_VARIABLE]), err) : undefined;
}

/** True for a process that a worker of the fleet has started. */
export function isStartedByWorker({ env }: Pick<Stdio, 'env'>): boolean {
  return process.send !== undefined && Number(env[LEASE_VARIABLE]) > 0;
}

class WorkerLease implements OpenLease {
  readonly #leaseMs: number;
  readonly #err: Stdio['err'];
  readonly #waiting = new Map<number, (heldMs: number) => void>();
  #asked = 0;
  /** The moment at which the lease ends, on two clocks: the clock that never jumps, and the time of day. */
  #until = { running: 0, ofDay: 0 };

  constructor(leaseMs: number, err: Stdio['err']) {
    this.#leaseMs = leaseMs;
    this.#err = err;
    process.on('message', this.#onMessage);
    process.on('disconnect', this.#onDisconnect);
    // The connection alone must not keep the process running.
    process.channel?.unref();
  }

  readonly gate = {
    pass: async (): Promise<void> => {
      const asked = { running: performance.now(), ofDay: Date.now() };
      this.#asked += 1;
      const id = this.#asked;
      const heldMs = await new Promise<number>((resolve) => {
        const tooLong = setTimeout(() => this.#lose('the worker did not answer in time'), this.#leaseMs);
        this.#waiting.set(id, (held) => {
          clearTimeout(tooLong);
          resolve(held);
        });
        process.send?.({ kind: 'pass', id } satisfies FromRun);
      });
      this.#until = { running: asked.running + heldMs, ofDay: asked.ofDay + heldMs };
      this.gate.check();
    },
    // While a process is stopped (SIGSTOP), both clocks continue. While the whole machine sleeps, only the time of day continues.
    check: (): void => {
      if (performance.now() >= this.#until.running || Date.now() >= this.#until.ofDay) this.#lose('it has ended');
    },
  };

  finished(run: FinishedRun, retention: Retention): Promise<void> {
    return new Promise((resolve) => {
      const message: FromRun = { kind: 'finished', run, retention };
      if (!process.send?.(message, undefined, undefined, () => resolve())) resolve();
    });
  }

  close(): void {
    process.off('message', this.#onMessage);
    process.off('disconnect', this.#onDisconnect);
    if (process.connected) process.disconnect();
  }

  readonly #onMessage = (message: unknown): void => {
    const given = message as FromWorker;
    if (given.kind === 'lost') this.#lose('another worker has it');
    this.#waiting.get(given.id)?.(given.heldMs);
    this.#waiting.delete(given.id);
  };

  readonly #onDisconnect = (): void => this.#lose('the worker has ended');

  #lose(why: string): never {
    this.#err.write(`The lease of this run is lost: ${why}. The run ends at once, and sends nothing more.\n`);
    process.exit(LEASE_LOST_STATUS);
  }
}
