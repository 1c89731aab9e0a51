import { randomUUID } from 'node:crypto';
import type { RoundEvent } from '../../../src/contract/round.ts';
import type { NoReplyReason, Outcome } from '../../../src/journal/exchange.ts';
import { Adapter } from '../../../src/service/adapter/adapter.ts';
import type { ReverseCall } from '../../../src/service/adapter/reverse-calls.ts';
import type { RoundRecord } from '../../../src/service/adapter/round-record.ts';
import { type CampaignKey, RoundStore } from '../../../src/service/adapter/round-store.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';

/** The simulated result of sending one call. After `kill` and `kill-after` the adapter is dead. */
export type Fate =
  | 'answered'
  | 'refused' // 402, 404 or 503: the operator has done nothing
  | 'failed' // 500, and the operator has done nothing
  | 'failed-after' // 500, although the operator has carried out the call
  | 'lost' // the call never arrives
  | 'lost-after' // the call is carried out, but the reply is lost
  | 'late' // no reply in time; the call is carried out at the end of the test
  | 'kill' // the adapter is killed before the call is sent
  | 'kill-after'; // the adapter is killed after the call is carried out

export const FATES: readonly Fate[] = [
  'answered',
  'refused',
  'failed',
  'failed-after',
  'lost',
  'lost-after',
  'late',
  'kill',
  'kill-after',
];

const NEVER = new Promise<never>(() => {});

/** Simulates a conforming operator, and adapters that are killed and restarted with the same database. Waits take no time. */
export class FaultSimulation {
  /** The bets and wins that the operator has carried out, by `txID`. */
  readonly bets = new Map<string, { readonly call: ReverseCall; refunded: boolean }>();
  readonly wins = new Map<string, ReverseCall>();
  readonly #refunds = new Set<string>();
  readonly #late: ReverseCall[] = [];
  /** Every body that was sent, by `txID`. */
  readonly bodies = new Map<string, Set<string>>();
  readonly #database = openServiceDatabase();
  #writes = 0;
  #fates: Fate[];
  /** The writes at which the adapter is killed, by the number of earlier writes. The value is true if the write is committed before. */
  readonly #writeKills: Map<number, boolean>;
  #life = 0;

  constructor(fates: readonly Fate[], writeKills: readonly (readonly [number, boolean])[] = []) {
    this.#fates = [...fates];
    this.#writeKills = new Map(writeKills);
  }

  /** Kills the current adapter, if there is one, and starts another. */
  start(): Adapter {
    this.#life += 1;
    const life = this.#life;
    let now = 0;
    return new Adapter({
      store: this.#store(life),
      send: (call) => this.#send(call, life),
      uuid: randomUUID,
      clock: () => now,
      sleep: async (ms) => {
        now += ms;
        await new Promise((resolve) => setImmediate(resolve));
        if (life !== this.#life) await NEVER;
      },
      random: () => 0,
      maxRetriesAtOnce: 2,
    });
  }

  kill(): void {
    this.#life += 1;
  }

  get life(): number {
    return this.#life;
  }

  /** Removes all remaining faults. */
  heal(): void {
    this.#fates = [];
    this.#writeKills.clear();
  }

  /** Carries out the late calls. */
  deliverLate(): void {
    for (const call of this.#late.splice(0)) this.#process(call);
  }

  #store(life: number): RoundStore {
    return new MortalStore(this.#database, {
      isAlive: () => life === this.#life,
      write: (commit) => {
        const kill = this.#writeKills.get(this.#writes);
        this.#writes += 1;
        if (kill === undefined) return commit();
        if (kill) commit();
        this.kill();
        throw new Error('dead');
      },
    });
  }

  async #send(call: ReverseCall, life: number): Promise<Outcome> {
    if (life !== this.#life) return NEVER;
    const body = JSON.stringify(call.fields);
    const { txID } = call.fields;
    if (typeof txID !== 'string') throw new Error('no txID');
    this.bodies.set(txID, (this.bodies.get(txID) ?? new Set()).add(body));
    const fate = this.#fates.shift() ?? 'answered';
    const done = ['answered', 'failed-after', 'lost-after', 'kill-after'].includes(fate);
    if (done) this.#process(call);
    await new Promise((resolve) => setImmediate(resolve));
    if (life !== this.#life) return NEVER;
    switch (fate) {
      case 'answered':
        return reply(200);
      case 'refused':
        return reply([402, 404, 503][this.#fates.length % 3] ?? 402);
      case 'failed':
      case 'failed-after':
        return reply(500);
      case 'lost':
        return none('refused');
      case 'lost-after':
        return none('reset');
      case 'late':
        this.#late.push(call);
        return none('too-late');
      case 'kill':
      case 'kill-after':
        this.kill();
        return NEVER;
    }
  }

  #process(call: ReverseCall): void {
    const { txID, origTxID } = call.fields as Record<string, string>;
    if (txID === undefined) return;
    if (call.call === 'bet' && !this.bets.has(txID) && !this.#refunds.has(txID)) {
      this.bets.set(txID, { call, refunded: false });
    }
    if (call.call === 'win') this.wins.set(txID, call);
    if (call.call === 'refund' && origTxID !== undefined) {
      this.#refunds.add(origTxID);
      const bet = this.bets.get(origTxID);
      if (bet) bet.refunded = true;
    }
  }
}

function reply(status: number): Outcome {
  const body = { encoding: 'utf8', data: '{}', length: 2, truncated: false } as const;
  return { kind: 'reply', reply: { status, headers: [], body } };
}

function none(reason: NoReplyReason): Outcome {
  return { kind: 'none', reason, detail: reason };
}

interface Life {
  readonly isAlive: () => boolean;
  /** Commits a transaction, or kills the adapter before or after the commit. */
  readonly write: <T>(commit: () => T) => T;
}

/** A store that a killed adapter can no longer write to. */
class MortalStore extends RoundStore {
  readonly #life: Life;

  constructor(database: ConstructorParameters<typeof RoundStore>[0], life: Life) {
    super(database);
    this.#life = life;
  }

  override begin(record: RoundRecord, bet: RoundEvent): RoundRecord {
    return this.#write(() => super.begin(record, bet));
  }

  override advance(roundID: string, event: RoundEvent, over?: boolean): RoundRecord {
    return this.#write(() => super.advance(roundID, event, over));
  }

  override endCampaign(campaign: CampaignKey): void {
    this.#write(() => super.endCampaign(campaign));
  }

  override flush(): Promise<void> {
    return this.#life.isAlive() ? Promise.resolve() : NEVER;
  }

  #write<T>(commit: () => T): T {
    if (!this.#life.isAlive()) throw new Error('dead');
    return this.#life.write(commit);
  }
}
