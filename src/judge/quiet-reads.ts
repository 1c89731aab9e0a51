import type { RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import { breach, PASS } from './check.ts';
import type { Docket } from './docket.ts';
import type { Effects } from './effects.ts';
import { type Breach, type Explanation, explain, nearestDifference, wouldHaveShown } from './explain.ts';
import type { Lateness } from './lateness.ts';
import { leftOut } from './left-out.ts';
import { SCALES } from './main-unit.ts';
import type { Obligation, Observation } from './obligation.ts';
import type { OddReply, QuietRead, Suspicion } from './quiet-read.ts';
import type { RightUnit } from './right-unit.ts';
import { mayBeRounded, rounded } from './rounding.ts';
import { inAnotherUnit, movesOfNoRule, PLAIN_EFFECTS } from './suspects.ts';
import { blameUnexplained, either, isTiny, isWrittenAsDouble, SYSTEMATIC } from './unexplained.ts';
import type { Fork, Wallet } from './wallet.ts';

/** What is to be done after a quiet read. */
export type ReadResult =
  /** It fits, or what is wrong with it has been said. */
  | { readonly kind: 'settled' }
  /** It shows a late bet that its refund may still undo: read again when nothing can land any more. */
  | { readonly kind: 'wait' }
  /** The replies told another balance, which fitted: read again after a while, to see whether reads are behind. */
  | { readonly kind: 'behind' }
  /** Nothing explains it: read twice more, to see whether the balance moves by itself. */
  | { readonly kind: 'probe' };

/** What is remembered of a wallet between two quiet reads. */
interface Memory {
  last: Money | undefined;
  observations: Observation[];
  /** A bet was seen to be taken after its refund; forgiven when it heals within the linger. */
  dip: Obligation | undefined;
  /** The rule that an unexplained balance goes to: of the calls that were sent at once. */
  suspect: Suspicion | undefined;
  /** A reply whose balance did not fit, to be weighed when the wallet has been read. */
  odd: OddReply | undefined;
  /** What a read told that did not fit, though the replies did; it is asked for again. */
  behind: Money | undefined;
}

/** Decides at each quiet read what the balance says about the rules. */
export class QuietReads {
  readonly #docket: Docket;
  readonly #effects: Effects;
  readonly #claims: readonly RuleId[];
  readonly #proven: (rule: string) => boolean;
  readonly #lateness: Lateness;
  readonly #rightUnit: RightUnit;
  readonly #seenBefore: (what: string) => boolean;
  readonly #memories = new Map<Wallet, Memory>();
  /** Rules under which it was told in this story that a read is behind. */
  readonly #toldLate = new Set<RuleId>();
  #pending: QuietRead | undefined;

  /** `claims`: the rules that the story is about. Of the others it need not be said that nothing could be told. */
  constructor(options: {
    readonly docket: Docket;
    readonly effects: Effects;
    readonly claims: readonly RuleId[];
    readonly proven: (rule: string) => boolean;
    readonly lateness: Lateness;
    readonly rightUnit: RightUnit;
    readonly seenBefore: (what: string) => boolean;
  }) {
    const { docket, effects, claims, proven, lateness, rightUnit, seenBefore } = options;
    this.#claims = claims;
    this.#docket = docket;
    this.#effects = effects;
    this.#lateness = lateness;
    this.#rightUnit = rightUnit;
    this.#seenBefore = seenBefore;
    this.#proven = (rule) => docket.isBroken(rule) || proven(rule);
  }

  /**
   * How many ms a read is to wait for what was moved before it. 0 also where a call of another kind than those that were
   * seen to be late was sent: whether it is late too is to be found out.
   */
  pauseMs(wallet: Wallet): number {
    // What was read already is not behind any more.
    const isNews = wallet.moves.length > 0 || wallet.forks.length > 0 || wallet.openSince !== null;
    if (wallet.known && !isNews) return 0;
    const kinds = [
      ...wallet.moves.map(({ step }) => this.#effects.callOf(step)),
      ...wallet.forks.map(({ txID }) => this.#effects.ofTxID(txID)?.part.step.call),
    ];
    return this.#lateness.covers(kinds.filter((kind) => kind !== undefined)) ? this.#lateness.pauseMs : 0;
  }

  lastRead(wallet: Wallet): Money | undefined {
    return this.#memory(wallet).last;
  }

  observe(wallet: Wallet, observation: Observation): void {
    this.#memory(wallet).observations.push(observation);
  }

  suspect(wallet: Wallet, suspicion: Suspicion): void {
    this.#memory(wallet).suspect ??= suspicion;
  }

  oddReply(wallet: Wallet, odd: OddReply): void {
    this.#memory(wallet).odd ??= odd;
  }

  hasOddReply(wallet: Wallet): boolean {
    return this.#memory(wallet).odd !== undefined;
  }

  /** The first read of a story: what it says is where reckoning starts. */
  open(wallet: Wallet, value: Money): void {
    wallet.anchor(value);
    this.#memory(wallet).last = value;
  }

  /** Money was moved that no read has shown: what was read before is no longer what is there. */
  lose(wallet: Wallet): void {
    this.#memory(wallet).last = undefined;
  }

  take(read: QuietRead): ReadResult {
    const { wallet, value } = read;
    if (!wallet.known) {
      this.open(wallet, value);
      return { kind: 'settled' };
    }
    const memory = this.#memory(wallet);
    if (wallet.allows(value)) {
      if (memory.behind) this.#caughtUp(read, memory);
      else this.#fits(read, memory);
      return { kind: 'settled' };
    }
    const late = read.lingered ? undefined : this.#lateBet(read);
    if (late) {
      memory.dip = late;
      return { kind: 'wait' };
    }
    if (!memory.behind && this.#mayCatchUp(read, memory)) {
      memory.behind = value;
      return { kind: 'behind' };
    }
    if (memory.behind) this.#lateness.waitedInVain();
    if (wallet.readsLag && !memory.odd) {
      this.#lags(read, memory);
      return { kind: 'settled' };
    }
    const suspects = [
      ...wallet.obligations.filter(
        ({ rule, step }) => rule !== 'money.main-unit' || !this.#rightUnit.has(step.call, wallet.id),
      ),
      ...movesOfNoRule(read, this.#effects),
      ...inAnotherUnit(read, this.#effects, this.#proven('money.main-unit'), this.#rightUnit),
    ];
    // Where a reply was the first to be wrong, it is that call's doing if anything of it explains the sum.
    const explained = this.#explain(read, memory, suspects);
    if (!explained && !isTiny(read)) {
      this.#pending = read;
      return { kind: 'probe' };
    }
    this.#differs(read, memory, explained?.breaches ?? [], explained?.rivals ?? []);
    return { kind: 'settled' };
  }

  /**
   * The nearest suspects first: where a reply was the first to be wrong, what that call did, and then whatever no right
   * reply has spoken for. Only then anybody.
   */
  #explain({ wallet, value }: QuietRead, { odd }: Memory, suspects: readonly Obligation[]): Explanation | undefined {
    const pools = [
      odd ? suspects.filter(({ step }) => step.key === odd.step.key) : [],
      suspects.filter((one) => !isSpokenFor(one, wallet)),
      odd ? [] : suspects,
    ];
    const possible = wallet.possible();
    for (const pool of pools) {
      const explained = explain(value, possible, pool, this.#proven);
      if (explained) return explained;
    }
    // Beside what went wrong, all may be in another unit.
    const last = this.#proven('money.main-unit') ? this.#memory(wallet).last : undefined;
    for (const scale of last ? SCALES : []) {
      const meant = last?.plus(value.minus(last).shift(-scale)) ?? value;
      // Then the unit is all that is wrong.
      if (possible.some((one) => one.equals(meant))) return undefined;
      const explained = explain(meant, possible, pools[1] ?? [], this.#proven);
      if (explained) return explained;
    }
    // Or the sum may not be exact.
    const about = rounded(value, wallet.unit);
    const near = possible.map((one) => rounded(one, wallet.unit));
    const isExact = about.equals(value) || near.some((one) => one.equals(about)) || !isWrittenAsDouble(value);
    return isExact ? undefined : explain(about, near, pools[1] ?? [], this.#proven);
  }

  /**
   * The two reads that followed one that nothing explains. When every read moves the balance by the same amount,
   * reading is what moves it; when it moves otherwise, somebody else is playing; when it stays, it is wrong.
   */
  probed(values: readonly (Money | undefined)[]): 'stays' | 'reads-move-it' | 'somebody-else' {
    const read = this.#pending;
    this.#pending = undefined;
    const [second, third] = values;
    if (!read || !second || !third) return 'somebody-else';
    const { wallet, value } = read;
    const memory = this.#memory(wallet);
    if (second.equals(value) && third.equals(value)) {
      const silent =
        wallet.moves.length === 0 &&
        wallet.forks.length === 0 &&
        wallet.obligations.every(({ rule }) => rule === 'session.isolated') &&
        !memory.suspect &&
        !memory.odd;
      if (!silent) {
        this.#differs(read, memory, [], []);
        return 'stays';
      }
      const isOthers = this.#isOthers(read);
      wallet.dropObligations();
      wallet.anchor(value);
      memory.last = value;
      return isOthers ? 'stays' : 'somebody-else';
    }
    wallet.dropObligations();
    wallet.anchor(third);
    memory.last = third;
    const step = second.minus(value);
    if (!step.isZero() && third.minus(second).equals(step)) {
      this.#docket.decide(
        { rule: 'balance.read-only', step: read.step, exchange: read.exchange },
        breach('reading the balance changes nothing', `three reads in a row said ${value}, ${second} and ${third}`),
      );
      return 'reads-move-it';
    }
    return 'somebody-else';
  }

  /**
   * Nothing was sent in the player's own sessions, yet the balance is another one. Once that may be somebody else who uses
   * the session; where it comes at the same step by the same sum again, it is what was done for the other player.
   */
  #isOthers({ wallet, value, step, exchange }: QuietRead): boolean {
    const possible = wallet.possible();
    const by = nearestDifference(value, possible);
    const others = wallet.obligations.at(-1);
    if (!others || !this.#seenBefore(`${step.key} ${by}`)) return false;
    this.#docket.decide(
      { rule: others.rule, step, exchange },
      breach(
        `${others.expected}: the balance is ${either(possible)}`,
        `the balance is ${value}, off by ${by}, though calls were sent in the other player's session only; it was so each time`,
        ['balance.read-only'],
      ),
    );
    return true;
  }

  #fits(read: QuietRead, memory: Memory): void {
    const { wallet, value, lingered } = read;
    const possible = wallet.possible();
    const open = wallet.openSince !== null;
    const moved = wallet.moves.length > 0;
    this.#rightUnit.saw(read, (key) => this.#effects.callOf(key));
    for (const obligation of wallet.takeObligations(lingered)) {
      if (obligation.reported || open) continue;
      const matter = { rule: obligation.rule, step: obligation.step, exchange: obligation.exchange };
      if (wouldHaveShown(obligation, value, possible)) this.#docket.decide(matter, PASS);
      else this.#undecided(obligation, value);
    }
    if (memory.odd) {
      const { rule, step, exchange, expected, actual, ifReadFits } = memory.odd;
      if (ifReadFits !== 'nothing')
        this.#docket.decide(
          { rule, step, exchange },
          ifReadFits === 'warn' ? { kind: 'warn', expected, actual } : breach(expected, actual, SYSTEMATIC),
        );
    }
    if (moved && !open)
      this.#docket.decide({ rule: 'money.conservation', step: read.step, exchange: read.exchange }, PASS);
    this.#writeDown(memory, value, wallet);
    this.#collapse(wallet, value, read);
    if (memory.dip && lingered) {
      const { rule, step, exchange } = memory.dip;
      this.#docket.decide(
        { rule, step, exchange },
        { kind: 'note', actual: 'the bet was taken after its refund for a moment, and given back by itself' },
      );
      memory.dip = undefined;
    }
    this.#turn(memory, value);
  }

  /** Replies go on from each other and reads are behind them, so it is the read that is wrong. */
  #lags(read: QuietRead, memory: Memory): void {
    const { wallet, value } = read;
    this.#tellLate(read, value, false, `the balance is ${value}, which leaves out what was moved last`);
    for (const obligation of wallet.takeObligations(read.lingered)) this.#undecided(obligation, value);
    this.#turn(memory, value);
  }

  /**
   * Whether a read that does not fit may do so a little later: where the replies had told otherwise, where a refund was not
   * paid yet, and wherever reads were seen to catch up.
   */
  #mayCatchUp(read: QuietRead, { odd }: Memory): boolean {
    const { wallet } = read;
    if (isTiny(read)) return false;
    const { isWaitedFor, isWorthWaiting, isSure } = this.#lateness;
    if (isWaitedFor) return true;
    if (odd) return odd.rule === 'refund.restore' && !isSure && isWorthWaiting;
    return wallet.isTold && !wallet.readsLag && !isSure;
  }

  /** A read that did not fit does so a little later, though nothing was sent in between. */
  #caughtUp(read: QuietRead, memory: Memory): void {
    const { value } = read;
    const { behind } = memory;
    if (!behind) return;
    this.#tellLate(
      read,
      behind,
      true,
      `the balance was ${behind}, and ${value} when it was asked for again a little later`,
    );
    memory.behind = undefined;
    memory.odd = undefined;
    this.#fits(read, memory);
  }

  #tellLate({ wallet, step, exchange }: QuietRead, told: Money, healed: boolean, actual: string): void {
    const kinds = leftOut(wallet, told, {
      callOf: (key) => this.#effects.callOf(key),
      isLate: (kind) => this.#lateness.covers([kind]),
    });
    if (kinds.length === 0) return;
    this.#lateness.saw(kinds, healed);
    const { rule } = this.#lateness;
    if (rule === undefined || this.#toldLate.has(rule)) return;
    this.#toldLate.add(rule);
    // Where calls of another kind turn out to be late too, it is the reads, and not each kind of call by itself.
    const causes: readonly RuleId[] = rule === 'balance.read' ? [] : ['balance.read'];
    const expected = `the next read shows what was moved before it: the balance is ${either(wallet.possible())}`;
    this.#docket.decide({ rule, step, exchange }, breach(expected, actual, causes));
  }

  #undecided({ rule, step, exchange }: Obligation, value: Money): void {
    if (!this.#claims.includes(rule)) return;
    const reason = `a breach could not be told from what may have happened: the balance is ${value}`;
    this.#docket.decide({ rule, step, exchange }, { kind: 'undecided', reason });
  }

  /** The balance is not what it must be: says whose breach explains it, and goes on from what was read. */
  #differs(read: QuietRead, memory: Memory, breaches: readonly Breach[], rivals: readonly Breach[]): void {
    const { wallet, value, lingered } = read;
    const possible = wallet.possible();
    const due = wallet.takeObligations(lingered);
    if (breaches.length > 0) {
      for (const one of breaches) this.#blame(one, read, possible, rivals);
      for (const obligation of due) {
        if (obligation.reported || breaches.some((one) => one.obligation === obligation)) continue;
        if (rivals.some((rival) => rival.obligation === obligation)) continue;
        this.#docket.decide({ rule: obligation.rule, step: obligation.step, exchange: obligation.exchange }, PASS);
      }
    } else blameUnexplained(read, memory, due, this.#docket);
    const blamed = breaches.map(({ obligation }) => obligation);
    if (!lingered) for (const late of wallet.dropObligations()) if (!blamed.includes(late)) wallet.owe(late);
    // What such a call really moved is not known any more: nor is what giving it back would move.
    const wrong =
      breaches.length > 0
        ? breaches.map(({ obligation }) => obligation.step.key)
        : wallet.moves.map(({ step }) => step);
    for (const step of wrong) this.#effects.misbooked(step);
    for (const { obligation } of breaches)
      if (obligation.rule === 'signature.no-effect') this.#effects.carriedOut(obligation.step.key);
    this.#writeDown(memory, value, wallet);
    // What is only not exact tells all the same what happened.
    if (isTiny(read)) this.#collapse(wallet, value.minus(nearestDifference(value, possible)), read);
    wallet.anchor(value);
    this.#turn(memory, value);
  }

  #collapse(wallet: Wallet, value: Money, read: QuietRead): void {
    const { happened, never } = wallet.collapse(value);
    for (const fork of happened) {
      this.#paidOwner(fork, read);
      this.#effects.learned(fork.txID, true);
    }
    for (const fork of never) this.#effects.learned(fork.txID, false);
  }

  #blame(
    { obligation, offset }: Breach,
    { wallet, value }: QuietRead,
    possible: readonly Money[],
    rivals: readonly Breach[],
  ): void {
    if (obligation.reported) return;
    const own = wallet.moves.map(({ step }) => this.#effects.callOf(step));
    const causes = causesOf(obligation.rule, [
      // Where the player's own calls moved money too, it may be one of them that moved another sum.
      ...(obligation.rule === 'session.isolated'
        ? own.flatMap((call) => (call && PLAIN_EFFECTS[call]?.rule) ?? [])
        : []),
      ...rivals.flatMap((rival) => [rival.obligation.rule, ...(rival.offset.causes ?? [])]),
      ...(offset.causes ?? []),
      ...this.#spoilers(wallet, offset.by),
      ...(mayBeRounded(nearestDifference(value, possible), value, wallet.unit) ? (['money.exact'] as const) : []),
    ]);
    this.#docket.decide(
      { rule: obligation.rule, step: obligation.step, exchange: obligation.exchange },
      breach(
        `${obligation.expected}: the balance is ${either(possible)}`,
        `the balance is ${value}: ${offset.meaning}`,
        causes,
      ),
    );
  }

  /** Faults by which any number may be wrong: reads that cost money, and players who play with each other's. */
  #spoilers(wallet: Wallet, by: Money): RuleId[] {
    // Reads that cost a player money, or pay a little.
    const isOfReads = by.isNegative() || by.equals(wallet.unit);
    const spoilers: RuleId[] = isOfReads ? ['balance.read-only'] : [];
    // A bet whose connection broke may still have been at work beside the calls that came after it, one that failed may not.
    const mayBeAtWork = ({ rule, until, offsets }: Obligation): boolean =>
      until === 'linger' &&
      (rule !== 'refund.after-error' ||
        offsets.some(({ causes }) => causes?.includes('concurrency.no-lost-update') === true));
    if (wallet.obligations.some(mayBeAtWork)) spoilers.push('concurrency.no-lost-update');
    return [...spoilers, 'session.isolated'];
  }

  /** A refund that another player's session sent was paid to the one whose bet it was: nothing is lost by it, but nobody asked. */
  #paidOwner({ txID, kind }: Fork, { exchange }: QuietRead): void {
    const refund = kind === 'either' ? this.#effects.ofTxID(txID) : undefined;
    if (refund?.part.step.call !== 'refund' || refund.part.target?.step.session === refund.part.step.session) return;
    this.#docket.decide(
      { rule: 'refund.foreign-session', step: refund.part.step, exchange },
      {
        kind: 'warn',
        expected: 'a refund sent for one player that names the bet of another moves nothing',
        actual: 'the bet was given back to the player who had placed it',
      },
    );
  }

  #lateBet({ wallet, value }: QuietRead): Obligation | undefined {
    return wallet.obligations.find(
      (one) =>
        one.until === 'linger' &&
        !one.reported &&
        one.offsets.some(
          ({ by }) => by.isNegative() && wallet.possible().some((expected) => expected.plus(by).equals(value)),
        ) &&
        one.step.call !== 'win',
    );
  }

  #writeDown(memory: Memory, value: Money, wallet: Wallet): void {
    const before = memory.last ?? value;
    const sure = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
    const moved = value.minus(before).minus(sure);
    const effect = moved.isZero()
      ? 'nothing moved'
      : `the balance ${moved.isNegative() ? 'fell' : 'rose'} by ${moved.absolute()}`;
    for (const { rule, step, exchange, answered } of memory.observations) {
      this.#docket.decide({ rule, step, exchange }, { kind: 'note', actual: `${answered}; ${effect}` });
    }
    memory.observations = [];
  }

  #turn(memory: Memory, value: Money): void {
    memory.last = value;
    memory.suspect = undefined;
    memory.odd = undefined;
    memory.behind = undefined;
  }

  #memory(wallet: Wallet): Memory {
    const known = this.#memories.get(wallet);
    if (known) return known;
    const memory: Memory = {
      last: undefined,
      observations: [],
      dip: undefined,
      suspect: undefined,
      odd: undefined,
      behind: undefined,
    };
    this.#memories.set(wallet, memory);
    return memory;
  }
}

/** A right reply to a later call has it in. */
function isSpokenFor(one: Obligation, wallet: Wallet): boolean {
  return wallet.isConfirmed(one) || wallet.moves.some(({ step, confirmed }) => confirmed && step === one.step.key);
}

/** What else may explain a number. */
function causesOf(rule: RuleId, others: readonly RuleId[]): RuleId[] {
  // An amount that is cut is both a bet that is not taken exactly and a sum that is not exact.
  const causes = rule === 'bet.decimal-amount' ? others.filter((other) => other !== 'money.exact') : others;
  return [...new Set(causes)].filter((cause) => cause !== rule);
}
