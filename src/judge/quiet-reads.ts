import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import { breach, PASS } from './check.ts';
import type { Docket } from './docket.ts';
import type { Effects } from './effects.ts';
import { type Breach, nearestDifference, wouldHaveShown } from './explain.ts';
import { blameExplained } from './explained.ts';
import { LateReads } from './late-reads.ts';
import type { Lateness } from './lateness.ts';
import { explainBySuspects } from './nearest-suspects.ts';
import type { Obligation, Observation } from './obligation.ts';
import { tellOfOthers, tellPaidOwner } from './other-players.ts';
import type { OddReply, QuietRead, ReadResult, Suspicion } from './quiet-read.ts';
import type { RightUnit } from './right-unit.ts';
import { inAnotherUnit, movesOfNoRule } from './suspects.ts';
import { blameUnexplained, isTiny, SYSTEMATIC } from './unexplained.ts';
import type { Wallet } from './wallet.ts';
import { WalletMemory } from './wallet-memory.ts';

/** Decides at each quiet read what the balance says about the rules. */
export class QuietReads {
  readonly #docket: Docket;
  readonly #effects: Effects;
  readonly #claims: readonly RuleId[];
  readonly #proven: (rule: string) => boolean;
  readonly #late: LateReads;
  readonly #rightUnit: RightUnit;
  readonly #seenBefore: (what: string) => boolean;
  readonly #memories = new Map<Wallet, WalletMemory>();
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
    this.#late = new LateReads(docket, effects, lateness);
    this.#rightUnit = rightUnit;
    this.#seenBefore = seenBefore;
    this.#proven = (rule) => docket.isBroken(rule) || proven(rule);
  }

  /** How many ms a read is to wait for what was moved before it. */
  pauseMs(wallet: Wallet): number {
    return this.#late.pauseMs(wallet);
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
    if (!memory.behind && this.#late.mayCatchUp(read, memory.odd)) {
      memory.behind = value;
      return { kind: 'behind' };
    }
    if (memory.behind) this.#late.waitedInVain();
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
    const explained = explainBySuspects(read, memory, suspects, this.#proven);
    if (!explained && !isTiny(read)) {
      this.#pending = read;
      return { kind: 'probe' };
    }
    this.#differs(read, memory, explained?.breaches ?? [], explained?.rivals ?? []);
    return { kind: 'settled' };
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
      const isOthers = tellOfOthers(read, this.#seenBefore, this.#docket);
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

  #fits(read: QuietRead, memory: WalletMemory): void {
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
    memory.writeDown(value, wallet, this.#docket);
    this.#collapse(wallet, value, read);
    if (memory.dip && lingered) {
      const { rule, step, exchange } = memory.dip;
      this.#docket.decide(
        { rule, step, exchange },
        { kind: 'note', actual: 'the bet was taken after its refund for a moment, and given back by itself' },
      );
      memory.dip = undefined;
    }
    memory.turn(value);
  }

  /** Replies go on from each other and reads are behind them, so it is the read that is wrong. */
  #lags(read: QuietRead, memory: WalletMemory): void {
    const { wallet, value } = read;
    this.#late.tell(read, value, false, `the balance is ${value}, which leaves out what was moved last`);
    for (const obligation of wallet.takeObligations(read.lingered)) this.#undecided(obligation, value);
    memory.turn(value);
  }

  /** A read that did not fit does so a little later, though nothing was sent in between. */
  #caughtUp(read: QuietRead, memory: WalletMemory): void {
    const { value } = read;
    const { behind } = memory;
    if (!behind) return;
    this.#late.tell(
      read,
      behind,
      true,
      `the balance was ${behind}, and ${value} when it was asked for again a little later`,
    );
    memory.behind = undefined;
    memory.odd = undefined;
    this.#fits(read, memory);
  }

  #undecided({ rule, step, exchange }: Obligation, value: Money): void {
    if (!this.#claims.includes(rule)) return;
    const reason = `a breach could not be told from what may have happened: the balance is ${value}`;
    this.#docket.decide({ rule, step, exchange }, { kind: 'undecided', reason });
  }

  /** The balance is not what it must be: says whose breach explains it, and goes on from what was read. */
  #differs(read: QuietRead, memory: WalletMemory, breaches: readonly Breach[], rivals: readonly Breach[]): void {
    const { wallet, value, lingered } = read;
    const possible = wallet.possible();
    const due = wallet.takeObligations(lingered);
    if (breaches.length > 0) {
      const books = { docket: this.#docket, effects: this.#effects };
      for (const one of breaches) blameExplained(one, rivals, read, books);
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
    memory.writeDown(value, wallet, this.#docket);
    // What is only not exact tells all the same what happened.
    if (isTiny(read)) this.#collapse(wallet, value.minus(nearestDifference(value, possible)), read);
    wallet.anchor(value);
    memory.turn(value);
  }

  #collapse(wallet: Wallet, value: Money, read: QuietRead): void {
    const { happened, never } = wallet.collapse(value);
    for (const fork of happened) {
      tellPaidOwner(fork, read, this.#effects, this.#docket);
      this.#effects.learned(fork.txID, true);
    }
    for (const fork of never) this.#effects.learned(fork.txID, false);
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

  #memory(wallet: Wallet): WalletMemory {
    const known = this.#memories.get(wallet);
    if (known) return known;
    const memory = new WalletMemory();
    this.#memories.set(wallet, memory);
    return memory;
  }
}
