import { type Call, DEFECTS, type Defect, type Entry, Random, START, type Truth, Wallet } from './simulation.ts';

/** One side's log entry of one call of a simulation. */
export interface MixedEntry extends Entry {
  readonly wallet: MixedWallet;
  readonly session: string;
}

/** One wallet of a simulation. A player can have two wallets in different currencies. */
interface MixedWallet {
  readonly player: number;
  readonly currency: string;
  /** The number of decimals of the currency. */
  readonly decimals: number;
  readonly sessions: readonly string[];
}

export interface MixedTruth extends Omit<Truth, 'should'> {
  readonly wallet: MixedWallet;
  /** Null if the contract does not say which balance is right, because the service made a mistake. */
  readonly should: number | null;
  /** True if the service made a mistake. */
  readonly isFaulty: boolean;
  /** The rules that single replies of the operator break. */
  readonly replyRules: ReadonlySet<string>;
}

export interface MixedIncident {
  readonly entries: readonly MixedEntry[];
  readonly truths: readonly MixedTruth[];
  readonly defect: Defect | null;
}

/** Events that can happen in a simulation. */
export const KINDS = [
  'one round at a time',
  'interleaved rounds',
  'late bets',
  'free bets',
  'several currencies',
  'wins in parts',
  'changing sessions',
  'over midnight',
  'shared round ids',
] as const;

export type Kind = (typeof KINDS)[number];

/** Waits until a moment of the simulation. */
type Acting<T = void> = Generator<number, T, void>;

type Sent = Omit<Call, 'player' | 'atMs'>;

const MIDNIGHT = Date.parse('2026-11-20T23:59:40Z');
const FATES = ['lost-before', 'lost-after', 'late', 'failed-before', 'failed-after'] as const;

/** Simulates an incident: a service plays rounds for one to three players, with an operator that is correct or has one defect. */
export function simulateMixed(kind: Kind, seed: number): MixedIncident {
  const random = new Random(seed);
  const defect = random.chance(0.5) ? null : random.pick(Object.keys(DEFECTS) as Defect[]);
  const simulations = walletsOf(kind, random).map((wallet) => new WalletSimulation(kind, wallet, defect, random));
  for (const simulated of simulations) simulated.simulate(random.whole(3, 6));
  return {
    entries: simulations.flatMap(({ entries }) => entries).toSorted((a, b) => a.atMs - b.atMs),
    truths: simulations.map((simulated) => simulated.truth()),
    defect,
  };
}

function walletsOf(kind: Kind, random: Random): readonly MixedWallet[] {
  const players = kind === 'shared round ids' ? 2 : random.whole(1, 3);
  const walletOf = (player: number, currency: string, decimals: number): MixedWallet => ({
    player,
    currency,
    decimals,
    sessions: ['a', 'b', 'c']
      .slice(0, kind === 'changing sessions' ? 3 : 1)
      .map((name) => `s-${player}-${currency}-${name}`),
  });
  return Array.from({ length: players }, (_, index) => index + 1).flatMap((player) => [
    walletOf(player, 'EUR', 2),
    ...(kind === 'several currencies'
      ? [random.chance(0.5) ? walletOf(player, 'JPY', 0) : walletOf(player, 'KWD', 3)]
      : []),
  ]);
}

/** Simulates one wallet. */
class WalletSimulation {
  readonly entries: MixedEntry[] = [];
  readonly #kind: Kind;
  readonly #wallet: MixedWallet;
  readonly #books: Wallet;
  readonly #random: Random;
  readonly #defect: Defect | null;
  readonly #sizes: readonly number[];
  readonly #pending = new Set<string>();
  readonly #replyRules = new Set<string>();
  /** The `txID`s of the bets whose refund the operator has carried out. */
  readonly #refunded = new Set<string | null>();
  /** The `txID`s of the calls that the operator answered 200. */
  readonly #answered = new Set<string | null>();
  readonly #acts: { atMs: number; readonly acting: Acting }[] = [];
  #should: number;
  #isFaulty = false;
  #isOpen = false;
  #nowMs: number;
  #ids = 0;
  #session = 0;

  constructor(kind: Kind, wallet: MixedWallet, defect: Defect | null, random: Random) {
    this.#kind = kind;
    this.#wallet = wallet;
    this.#random = random;
    this.#defect = defect;
    this.#sizes = random.pick([[137, 251, 463, 1013, 2039], [150, 275, 425, 1000], [500]]);
    this.#should = random.whole(30_000, 300_000);
    this.#books = new Wallet(this.#should, defect, random);
    this.#nowMs = (kind === 'over midnight' ? MIDNIGHT : START) + random.whole(0, 20_000);
  }

  truth(): MixedTruth {
    const { balance: booked, rules } = this.#books;
    const should = this.#isOpen ? null : this.#should;
    return {
      player: this.#wallet.player,
      wallet: this.#wallet,
      booked,
      should,
      rules,
      pending: this.#pending,
      isFaulty: this.#isFaulty,
      replyRules: this.#replyRules,
    };
  }

  simulate(rounds: number): void {
    this.#run(this.#balance(this.#nowMs));
    if (this.#kind === 'interleaved rounds' || this.#kind === 'late bets') {
      for (let table = 1; table <= 3; table += 1) this.#start(this.#table(table, rounds));
      this.#runAll();
    } else this.#run(this.#table(1, rounds));
    this.#run(this.#balance(this.#nowMs + this.#random.whole(1500, 8000)));
  }

  #start(acting: Acting): void {
    this.#acts.push({ atMs: this.#nowMs, acting });
  }

  #run(acting: Acting): void {
    this.#start(acting);
    this.#runAll();
  }

  /** Lets everybody act in the order of time, until all have ended. */
  #runAll(): void {
    for (;;) {
      const next = this.#acts.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (!next) return;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      const { done, value } = next.acting.next();
      if (done === true) this.#acts.splice(this.#acts.indexOf(next), 1);
      else next.atMs = Math.max(value, this.#nowMs);
    }
  }

  *#table(table: number, rounds: number): Acting {
    const owner = this.#kind === 'shared round ids' ? 'x' : `${this.#wallet.player}-${this.#wallet.currency}`;
    for (let round = 1; round <= rounds; round += 1) {
      yield* this.#round(`r-${owner}-${table}-${round}`);
      if (this.#random.chance(0.2)) yield* this.#balance(this.#pause());
    }
  }

  #pause(): number {
    return this.#nowMs + this.#random.whole(1200, 12_000);
  }

  *#balance(atMs: number): Acting {
    yield atMs;
    yield* this.#send({ call: 'balance', txID: null, roundID: null, origTxID: null, cents: null }, 'well');
  }

  *#round(roundID: string): Acting {
    const cents = this.#random.pick(this.#sizes);
    const isFree = this.#kind === 'free bets' && this.#random.chance(0.4);
    const bet: Sent = { call: 'bet', txID: this.#id(), roundID, origTxID: null, cents, isFree };
    yield this.#pause();
    const status = yield* this.#send(bet, this.#fate());
    if (status === 200) {
      this.#should -= isFree ? 0 : cents;
      yield* this.#win(roundID, isFree);
    } else if (status === null || status === 500) {
      const refund: Sent = { call: 'refund', txID: this.#id(), roundID, origTxID: bet.txID, cents };
      yield* this.#until200(refund, bet.txID);
    }
  }

  *#win(roundID: string, isFree: boolean): Acting {
    const parts = this.#kind === 'wins in parts' && this.#random.chance(0.4) ? 2 : 1;
    for (let part = 1; part <= parts; part += 1) {
      const cents = this.#random.chance(0.5) ? 0 : this.#random.pick(this.#sizes) * this.#random.whole(1, 3);
      this.#should += cents;
      // By the contract, a round has only one win.
      if (part > 1) {
        this.#isFaulty = true;
        this.#isOpen ||= cents > 0;
      }
      const win: Sent = { call: 'win', txID: this.#id(), roundID, origTxID: null, cents, isFree };
      yield* this.#until200(win, win.txID);
    }
  }

  *#until200(call: Sent, pending: string | null): Acting {
    const attempts = this.#random.chance(0.1) ? 1 : 6;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      yield this.#nowMs + this.#random.whole(1200, 6000);
      if ((yield* this.#send(call, attempt === 6 ? 'well' : this.#fate())) !== 200) continue;
      yield this.#nowMs + 1500;
      if (this.#random.chance(0.1)) yield* this.#send(call, 'well');
      return;
    }
    this.#pending.add(pending ?? '');
  }

  #fate(): 'well' | (typeof FATES)[number] {
    return this.#random.chance(0.78) ? 'well' : this.#random.pick(FATES);
  }

  #id(): string {
    this.#ids += 1;
    const { player, decimals } = this.#wallet;
    const hex = (player * 10_000_000 + decimals * 1_000_000 + this.#ids * 7919).toString(16).padStart(12, '0');
    return `0b3f5a1c-7e2d-4c55-9a57-${hex}`;
  }

  /** Sends a call. Returns the status that the service received, or null. */
  *#send(sent: Sent, fate: 'well' | (typeof FATES)[number]): Acting<number | null> {
    const wallet = this.#wallet;
    if (this.#random.chance(0.3)) this.#session = this.#random.whole(0, wallet.sessions.length - 1);
    // A refund has the session of its bet, and a repeated call has the session of the first attempt.
    const session = this.#sessionOf(sent);
    const call = { ...sent, player: wallet.player, atMs: this.#nowMs, wallet, session };
    const tookMs = this.#random.whole(5, 400);
    const none = { status: null, balance: null, replyTxID: null };
    if (fate === 'lost-before') {
      this.entries.push({ ...call, side: 'service', tookMs, ...none, error: 'ECONNRESET' });
      if (sent.call === 'bet' && this.#kind === 'late bets') this.#start(this.#arriving(call));
      yield call.atMs + tookMs;
      return null;
    }
    yield call.atMs + tookMs - 3;
    const reply = fate === 'failed-before' ? null : this.#books.answer(call);
    if (sent.call === 'refund' && reply?.status === 200) this.#refunded.add(sent.origTxID);
    const said = {
      status: reply?.status ?? 500,
      balance: reply?.balance ?? null,
      replyTxID: reply?.txID ?? null,
      error: null,
    };
    const failed = { status: 500, balance: null, replyTxID: null, error: null };
    const isFailed = fate === 'failed-before' || fate === 'failed-after';
    const own = isFailed ? failed : said;
    const isLate = fate === 'late';
    // An operator must not answer 500 to a repeated call.
    if (isFailed && this.#answered.has(sent.txID)) this.#replyRules.add(`idempotency.${sent.call}`);
    if (own.status === 200) this.#answered.add(sent.txID);
    this.entries.push(
      { ...call, side: 'operator', tookMs: isLate ? 6200 : tookMs - 2, ...own },
      isLate
        ? { ...call, side: 'service', tookMs: 5000, ...none, error: 'timeout of 5000ms exceeded' }
        : fate === 'lost-after'
          ? { ...call, side: 'service', tookMs, ...none, error: 'ECONNRESET' }
          : { ...call, side: 'service', tookMs, ...own },
    );
    yield call.atMs + (isLate ? 7000 : tookMs);
    return fate === 'well' ? said.status : isFailed ? 500 : null;
  }

  readonly #sessions = new Map<string, string>();

  #sessionOf({ txID, origTxID }: Sent): string {
    const current = this.#wallet.sessions[this.#session] ?? '';
    const session = this.#sessions.get(origTxID ?? txID ?? '') ?? current;
    if (txID !== null) this.#sessions.set(txID, session);
    return session;
  }

  /** A bet whose connection broke reaches the operator much later, perhaps after its refund. */
  *#arriving(call: Call & Pick<MixedEntry, 'wallet' | 'session'>): Acting {
    yield call.atMs + this.#random.whole(500, 9000);
    const late = { ...call, atMs: this.#nowMs, side: 'operator' as const, tookMs: 2, error: null };
    const isRefunded = this.#refunded.has(call.txID);
    const taken = isRefunded && this.#defect === 'late-debit' ? this.#books.takeLate(late) : null;
    const { status, balance, txID } = taken
      ? { status: 200, balance: taken.balance, txID: taken.replyTxID }
      : this.#books.answer(late);
    this.entries.push({ ...late, status, balance, replyTxID: txID });
  }
}
