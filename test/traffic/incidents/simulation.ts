/** A call of a simulation, as it really happened. Amounts are whole cents. */
export interface Call {
  readonly call: 'balance' | 'bet' | 'win' | 'refund';
  readonly player: number;
  readonly txID: string | null;
  readonly roundID: string | null;
  readonly origTxID: string | null;
  readonly cents: number | null;
  readonly atMs: number;
  /** True for a bet or a win of a free round. Such a bet takes no money. */
  readonly isFree?: boolean;
}

/** One side's log entry of one call. */
export interface Entry extends Call {
  readonly side: 'service' | 'operator';
  readonly tookMs: number;
  /** Null if this side saw no reply. */
  readonly status: number | null;
  readonly error: string | null;
  readonly balance: number | null;
  readonly replyTxID: string | null;
}

/** The true state of one player's money at the end of the simulation. Amounts are whole cents. */
export interface Truth {
  readonly player: number;
  /** The balance in the operator's books. */
  readonly booked: number;
  /** The balance after all that is owed has been done. */
  readonly should: number;
  /** The rules that the operator broke with an effect on the balance. */
  readonly rules: ReadonlySet<string>;
  /** The txIDs of the bets and wins whose refund or win was not answered 200 yet. */
  readonly pending: ReadonlySet<string>;
}

export interface Simulation {
  readonly entries: readonly Entry[];
  readonly truths: readonly Truth[];
  readonly defect: Defect | null;
}

/** The defects that an operator of a simulation can have, with the rules by which each may be named. */
export const DEFECTS = {
  'wins-twice': ['idempotency.win', 'win.retried', 'win.credit'],
  'refunds-twice': ['idempotency.refund'],
  'refund-pays-nothing': ['refund.restore', 'refund.after-error', 'refund.broken-connection'],
  'refund-404': ['refund.unknown'],
  'win-pays-nothing': ['win.credit'],
  'bet-takes-nothing': ['bet.debit'],
  // A reply can be lost, so that the service refunds a bet that the operator has declined.
  'declined-takes': ['bet.declined-takes-nothing', 'refund.after-error', 'refund.broken-connection'],
  'hundred-times': ['money.main-unit'],
  'late-debit': ['refund.after-error', 'refund.broken-connection', 'refund.before-bet'],
} as const;

export type Defect = keyof typeof DEFECTS;

/** A source of random numbers that a seed decides (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.whole(0, list.length - 1)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }
}

export const START = Date.parse('2026-11-20T18:00:00Z');

/** The way of a call to the operator and back. `lost-before`: it does not reach the operator. */
type Fate = 'well' | 'lost-before' | 'lost-after' | 'late' | 'failed-before' | 'failed-after';

/** The operator's books of one player. */
export class Wallet {
  balance: number;
  readonly #defect: Defect | null;
  readonly #random: Random;
  readonly rules = new Set<string>();
  readonly #replies = new Map<string, { status: number; balance: number; txID: string }>();
  readonly #bets = new Map<string, number>();
  readonly #given = new Set<string>();
  #next = 1;

  constructor(balance: number, defect: Defect | null, random: Random) {
    this.balance = balance;
    this.#defect = defect;
    this.#random = random;
  }

  answer({ call, txID, origTxID, cents, isFree = false }: Omit<Call, 'atMs'>): {
    status: number;
    balance: number | null;
    txID: string | null;
  } {
    if (call === 'balance') return { status: 200, balance: this.balance, txID: null };
    const key = `${call} ${txID ?? ''}`;
    const stored = this.#replies.get(key);
    const amount = cents ?? 0;
    if (stored) {
      if (
        (call === 'win' && this.#defect === 'wins-twice') ||
        (call === 'refund' && this.#defect === 'refunds-twice')
      ) {
        if (amount > 0 && (call === 'win' || this.#bets.has(origTxID ?? ''))) {
          this.#break(this.#defect);
          this.balance += amount;
        }
        return { status: 200, balance: this.balance, txID: this.#newID() };
      }
      return stored;
    }
    switch (call) {
      case 'bet': {
        if (this.#given.has(txID ?? '') && this.#defect !== 'late-debit')
          return { status: 409, balance: null, txID: null };
        if ((amount > this.balance && !isFree) || this.#random.chance(0.05)) {
          if (this.#defect === 'declined-takes' && !isFree && amount <= this.balance) {
            this.#break('declined-takes');
            this.balance -= amount;
          }
          return { status: 402, balance: null, txID: null };
        }
        let taken = isFree ? 0 : amount;
        const asked = taken;
        if (this.#defect === 'bet-takes-nothing' && this.#random.chance(0.2)) taken = 0;
        if (this.#defect === 'hundred-times' && !isFree && amount * 100 <= this.balance && this.#random.chance(0.3))
          taken = amount * 100;
        if (taken !== asked) this.#break(this.#defect);
        this.balance -= taken;
        this.#bets.set(txID ?? '', taken);
        break;
      }
      case 'win': {
        const isUnpaid = this.#defect === 'win-pays-nothing' && amount > 0 && this.#random.chance(0.3);
        if (isUnpaid) this.#break('win-pays-nothing');
        else this.balance += amount;
        break;
      }
      case 'refund': {
        const taken = this.#bets.get(origTxID ?? '');
        if (taken === undefined && this.#defect === 'refund-404') {
          this.#break('refund-404');
          return { status: 404, balance: null, txID: null };
        }
        this.#given.add(origTxID ?? '');
        if (taken !== undefined && this.#defect === 'refund-pays-nothing') this.#break('refund-pays-nothing');
        else this.balance += taken ?? 0;
        break;
      }
    }
    const reply = { status: 200, balance: this.balance, txID: this.#newID() };
    this.#replies.set(key, reply);
    return reply;
  }

  /** Takes a bet that reaches the operator after its refund. */
  takeLate({ txID, cents }: Call): { balance: number; replyTxID: string } | null {
    if (this.#defect !== 'late-debit' || this.#bets.has(txID ?? '')) return null;
    this.#break('late-debit');
    this.balance -= cents ?? 0;
    return { balance: this.balance, replyTxID: this.#newID() };
  }

  #break(defect: Defect | null): void {
    for (const rule of defect === null ? [] : DEFECTS[defect]) this.rules.add(rule);
  }

  #newID(): string {
    this.#next += 1;
    return `w-${this.#next}`;
  }
}

/**
 * Simulates an incident: a service plays rounds for one to three players as the contract says, over a network that loses replies, with
 * an operator that is correct or has one defect.
 */
export function simulate(seed: number, stakes: 'equal' | 'varied' = 'varied'): Simulation {
  const random = new Random(seed);
  const defect = random.chance(0.5) ? null : random.pick(Object.keys(DEFECTS) as Defect[]);
  const sizes = stakes === 'equal' ? [500] : [100, 125, 250, 399, 1000, 2037];
  const entries: Entry[] = [];
  const truths: Truth[] = [];
  const players = random.whole(1, 3);
  for (let player = 1; player <= players; player += 1) {
    const one = new PlayerSimulation(player, defect, random, sizes);
    one.play(random.whole(2, 7));
    entries.push(...one.entries);
    truths.push(one.truth());
  }
  return { entries: entries.toSorted((a, b) => a.atMs - b.atMs), truths, defect };
}

class PlayerSimulation {
  readonly entries: Entry[] = [];
  readonly #player: number;
  readonly #random: Random;
  readonly #sizes: readonly number[];
  readonly #wallet: Wallet;
  readonly #pending = new Set<string>();
  #should: number;
  #atMs: number;
  #ids = 0;

  constructor(player: number, defect: Defect | null, random: Random, sizes: readonly number[]) {
    this.#player = player;
    this.#random = random;
    this.#sizes = sizes;
    const balance = random.whole(5000, 200_000);
    this.#wallet = new Wallet(balance, defect, random);
    this.#should = balance;
    this.#atMs = START + random.whole(0, 20_000);
  }

  truth(): Truth {
    const { balance: booked, rules } = this.#wallet;
    return { player: this.#player, booked, should: this.#should, rules, pending: this.#pending };
  }

  play(rounds: number): void {
    this.#balance();
    for (let round = 1; round <= rounds; round += 1) {
      this.#round(`r-${this.#player}-${round}`);
      if (this.#random.chance(0.2)) this.#balance();
    }
    this.#balance();
  }

  #balance(): void {
    this.#send({ call: 'balance', txID: null, roundID: null, origTxID: null, cents: null }, 'well');
  }

  #round(roundID: string): void {
    const cents = this.#random.pick(this.#sizes);
    const bet = { call: 'bet' as const, txID: this.#id(), roundID, origTxID: null, cents };
    const status = this.#send(bet, this.#fate());
    if (status === 200) {
      this.#should -= cents;
      const paid = this.#random.chance(0.5) ? 0 : this.#random.pick(this.#sizes) * this.#random.whole(1, 3);
      this.#should += paid;
      this.#until200({ call: 'win', txID: this.#id(), roundID, origTxID: null, cents: paid });
      return;
    }
    if (status !== null && status !== 500) return;
    const isDone = this.#until200({ call: 'refund', txID: this.#id(), roundID, origTxID: bet.txID, cents }, bet.txID);
    if (!isDone || !this.#random.chance(0.5)) return;
    this.#atMs += 1000;
    const late = { ...bet, player: this.#player, atMs: this.#atMs };
    const taken = this.#wallet.takeLate(late);
    if (taken) this.entries.push({ ...late, ...taken, side: 'operator', tookMs: 12, status: 200, error: null });
  }

  #until200(call: Omit<Call, 'player' | 'atMs'>, pending = call.txID): boolean {
    const attempts = this.#random.chance(0.1) ? 1 : 6;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (this.#send(call, attempt === 6 ? 'well' : this.#fate()) === 200) {
        if (this.#random.chance(0.1)) this.#send(call, 'well');
        return true;
      }
    }
    this.#pending.add(pending ?? '');
    return false;
  }

  #fate(): Fate {
    return this.#random.chance(0.75)
      ? 'well'
      : this.#random.pick(['lost-before', 'lost-after', 'late', 'failed-before', 'failed-after']);
  }

  #id(): string {
    this.#ids += 1;
    const hex = (this.#player * 1_000_000 + this.#ids * 7919).toString(16).padStart(12, '0');
    return `0b3f5a1c-7e2d-4c55-9a57-${hex}`;
  }

  /** Sends a call. Returns the status that the service received, or null. */
  #send(what: Omit<Call, 'player' | 'atMs'>, fate: Fate): number | null {
    this.#atMs += this.#random.whole(1200, 15_000);
    const call: Call = { ...what, player: this.#player, atMs: this.#atMs };
    const tookMs = this.#random.whole(5, 400);
    const none = { status: null, balance: null, replyTxID: null };
    if (fate === 'lost-before') {
      this.entries.push({ ...call, side: 'service', tookMs, ...none, error: 'ECONNRESET' });
      return null;
    }
    const reply = fate === 'failed-before' ? null : this.#wallet.answer(call);
    const said = {
      status: reply?.status ?? 500,
      balance: reply?.balance ?? null,
      replyTxID: reply?.txID ?? null,
      error: null,
    };
    const failed = { status: 500, balance: null, replyTxID: null, error: null };
    switch (fate) {
      case 'well':
        this.entries.push(
          { ...call, side: 'service', tookMs, ...said },
          { ...call, side: 'operator', tookMs: tookMs - 2, ...said },
        );
        return said.status;
      case 'lost-after':
        this.entries.push(
          { ...call, side: 'service', tookMs, ...none, error: 'ECONNRESET' },
          { ...call, side: 'operator', tookMs: tookMs - 2, ...said },
        );
        return null;
      case 'late':
        this.#atMs += 7000;
        this.entries.push(
          { ...call, side: 'service', tookMs: 5000, ...none, error: 'timeout of 5000ms exceeded' },
          { ...call, side: 'operator', tookMs: 6200, ...said },
        );
        return null;
      case 'failed-before':
      case 'failed-after':
        this.entries.push(
          { ...call, side: 'service', tookMs, ...failed },
          { ...call, side: 'operator', tookMs: tookMs - 2, ...failed },
        );
        return 500;
    }
  }
}
