import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { inAnotherUnit, movesOfNoRule, PLAIN_EFFECTS } from '../attribution/candidates.ts';
import { explainByCandidates, nearestDifference, type PossibleBreach, wouldHaveShown } from '../attribution/explain.ts';
import {
  isSameInOtherUnit,
  isWithoutDecimals,
  type LackedZeros,
  type RightUnit,
  withZeros,
} from '../attribution/units.ts';
import {
  attributeExplained,
  attributeUnexplained,
  isBelowUnit,
  isContradicted,
  listBalances,
  repliedSum,
  reportOtherPlayers,
  reportPaidOwner,
  SYSTEMATIC,
} from '../attribution/wrong-balance.ts';
import { breach, PASS } from '../decision.ts';
import type { FindingCollector } from '../finding-collector.ts';
import type { ConcurrentCalls, IdleRead, ReadResult, UnexpectedReply } from '../idle-read.ts';
import type { ObservedCall } from '../observed-call.ts';
import type { Observation, PendingCheck } from '../pending-check.ts';
import { hasUsedTxID, isPlain } from '../planned-calls.ts';
import type { Effects } from '../wallet/effects.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { WalletMemory } from '../wallet/wallet-memory.ts';
import type { BalancesOfOthers } from './balances-of-others.ts';
import type { ReplyLink, WrongLink } from './reply-chain.ts';
import { movesLeftOut, type StaleReadHistory, StaleReads } from './stale-reads.ts';

/**
 * Judges the rules about effects on the balance. These rules are decided by idle reads: balance reads that are sent while no other
 * call is in flight.
 */
export class IdleReads {
  readonly #collector: FindingCollector;
  readonly #effects: Effects;
  readonly #reporting: { readonly collector: FindingCollector; readonly effects: Effects };
  readonly #scenario: string;
  readonly #claims: readonly RuleId[];
  readonly #proven: (rule: string) => boolean;
  readonly #staleReads: StaleReads;
  readonly #rightUnit: RightUnit;
  readonly #balancesOfOthers: BalancesOfOthers;
  readonly #seenBefore: (observation: string) => boolean;
  readonly #memories = new Map<Wallet, WalletMemory>();
  #pending: IdleRead | undefined;
  /** The player whose balance the pending read seems to show. */
  #owner: string | undefined;

  /**
   * @param options `scenario`: the id of the scenario. `claims`: the rules that the scenario is about; no other rule is reported
   * as undecided
   */
  constructor(options: {
    readonly collector: FindingCollector;
    readonly effects: Effects;
    readonly scenario: string;
    readonly claims: readonly RuleId[];
    readonly proven: (rule: string) => boolean;
    readonly staleReads: StaleReadHistory;
    readonly rightUnit: RightUnit;
    readonly balancesOfOthers: BalancesOfOthers;
    readonly seenBefore: (observation: string) => boolean;
  }) {
    const { collector, effects, claims, proven, staleReads, rightUnit, seenBefore } = options;
    this.#scenario = options.scenario;
    this.#claims = claims;
    this.#collector = collector;
    this.#effects = effects;
    this.#reporting = { collector, effects };
    this.#staleReads = new StaleReads(collector, effects, staleReads);
    this.#rightUnit = rightUnit;
    this.#balancesOfOthers = options.balancesOfOthers;
    this.#seenBefore = seenBefore;
    this.#proven = (rule) => collector.isBroken(rule) || proven(rule);
  }

  /** Returns how long to wait between the last call and a read, in milliseconds, so that the read includes this call. */
  pauseMs(wallet: Wallet): number {
    return this.#staleReads.pauseMs(wallet);
  }

  lastRead(wallet: Wallet): Money | undefined {
    return this.#memory(wallet).last;
  }

  observe(wallet: Wallet, observation: Observation): void {
    this.#memory(wallet).observations.push(observation);
  }

  candidate(wallet: Wallet, concurrentCalls: ConcurrentCalls): void {
    this.#memory(wallet).candidate ??= concurrentCalls;
  }

  unexpectedReply(wallet: Wallet, odd: UnexpectedReply): void {
    this.#memory(wallet).odd ??= odd;
  }

  /**
   * Compares the balance in the reply to a call with the replies before it. Reports a wrong sum that the replies alone prove.
   *
   * @param isStored true if the reply seems to be the stored reply to another call
   */
  compareReplies(observed: ObservedCall, wallet: Wallet, isStored: boolean): void {
    const { planned, answer, reading, exchange } = observed;
    const { step } = planned;
    const said = reading?.balance.money;
    const replies = this.#staleReads.repliesOf(wallet.id);
    if (answer !== 'accepted' || isStored || planned.group !== null || !said) {
      replies.interrupt();
      return;
    }
    const isNew = step.origin.kind === 'fresh' && !planned.sameTxID;
    if (!isNew) {
      if (this.#isSecondEffect(observed, said, wallet)) this.#addLink(this.#linkOfResend(observed, said), wallet);
      else replies.sentAgain(observed.earlier?.effect ?? observed.effect);
      return;
    }
    const last = wallet.moves.at(-1);
    const rule = PLAIN_EFFECTS[step.call]?.rule;
    if (last?.step !== step.key || !rule) {
      replies.interrupt();
      replies.lastReply = said;
      return;
    }
    const { delta } = last;
    replies.lastReply = said;
    replies.behind.reply(step.call, said, delta);
    const alsoAbout = wallet.latestChecksOf(step.key).map((one) => one.rule);
    const ruleOfNew = isPlain(planned) ? rule : undefined;
    const link = { rule: ruleOfNew, step, exchange: exchange.id, said, delta, alsoAbout };
    this.#addLink({ ...link, scenario: this.#scenario }, wallet);
  }

  /**
   * True if the reply to a repeated call has neither the balance of the first reply nor the balance of the last reply. Then the repeated
   * call may have moved money.
   */
  #isSecondEffect({ planned, earlier }: ObservedCall, said: Money, wallet: Wallet): boolean {
    const first = earlier?.reply?.balance.money;
    const last = this.#staleReads.repliesOf(wallet.id).chain.lastSaid;
    const { kind } = planned.step.origin;
    return (
      (kind === 'resend' || kind === 'earlier' || hasUsedTxID(planned)) &&
      earlier?.answer === 'accepted' &&
      first !== undefined &&
      last !== undefined &&
      !said.equals(first) &&
      !said.equals(last)
    );
  }

  #linkOfResend({ planned, exchange, earlier, effect }: ObservedCall, said: Money): ReplyLink {
    const { step, refundsBefore, regular } = planned;
    const rule: RuleId | undefined =
      step.origin.kind === 'earlier'
        ? 'idempotency.durable'
        : hasUsedTxID(planned)
          ? 'idempotency.conflicting-body'
          : !regular || step.call === 'balance'
            ? undefined
            : step.call === 'bet' && refundsBefore > 0
              ? 'idempotency.after-refund'
              : `idempotency.${step.call}`;
    const alsoAbout: readonly RuleId[] = step.call === 'balance' ? [] : [`idempotency.${step.call}`];
    const again = earlier?.effect ?? effect;
    const call = { step, exchange: exchange.id, scenario: this.#scenario };
    return { rule, ...call, said, delta: Money.zero, alsoAbout, again };
  }

  #addLink(link: ReplyLink, wallet: Wallet): void {
    const replies = this.#staleReads.repliesOf(wallet.id);
    const wrong = replies.chain.add(link, replies.areReadsOld);
    if (wrong) this.#reportWrongLink(wrong, link, wallet);
  }

  /** Forgets the balances in replies. This is necessary after a call whose effect is not certain. */
  forgetReplies(wallet: Wallet): void {
    this.#staleReads.repliesOf(wallet.id).interrupt();
  }

  /** @param next the call whose reply continues from the wrong sum */
  #reportWrongLink(wrong: WrongLink, next: ReplyLink, wallet: Wallet): void {
    const { rule, said, before, delta, by, alsoAbout, again, isOfEarlier } = wrong;
    const { call } = wrong.step;
    const isAgain = again !== undefined;
    const effect = isAgain ? `a ${call} that is sent again has no second effect` : PLAIN_EFFECTS[call]?.expected;
    const expected = `${effect}: after ${before}, the balance is ${before.plus(delta)}`;
    const where = isOfEarlier
      ? `the reply to ${isAgain ? 'a repeated' : 'the last'} ${call} of ${wrong.scenario}`
      : 'the reply';
    const actual = `${where} says ${said}, wrong by ${by}, and the next new call continues from this balance`;
    const moved = delta.isZero() ? {} : { moved: delta.absolute().toString() };
    const wrongSum = { amount: by.toString(), currency: wallet.currency, ...moved };
    // A refund gives back what its bet has taken.
    const ofBet: readonly RuleId[] = rule === 'refund.restore' ? ['bet.debit'] : [];
    const { step, exchange } = isOfEarlier ? next : wrong;
    this.#collector.decide(
      { rule, step, exchange },
      {
        ...breach(expected, actual, [...new Set([...SYSTEMATIC, ...ofBet, ...alsoAbout])]),
        wrongSum,
        shownByReplies: true,
      },
    );
  }

  /** Uses the first read of a scenario as the starting balance. */
  open(wallet: Wallet, value: Money): void {
    wallet.anchor(value);
    this.#balancesOfOthers.recordFirst(wallet, value);
    this.#memory(wallet).last = value;
  }

  /**
   * Forgets the balance of the last read. This is necessary if money has moved after that read, and no later read has shown the new
   * balance.
   */
  forgetLast(wallet: Wallet): void {
    this.#memory(wallet).last = undefined;
  }

  take(read: IdleRead): ReadResult {
    const { wallet, value } = read;
    const replies = this.#staleReads.repliesOf(wallet.id);
    replies.chain.read(value, replies.areReadsOld);
    const old = replies.behind.read(read);
    if (old) this.#staleReads.reportOld(old, wallet.id);
    if (!wallet.known) {
      this.open(wallet, value);
      return { kind: 'settled' };
    }
    const memory = this.#memory(wallet);
    if (!memory.behind) this.#staleReads.noteInTime(read);
    if (wallet.allows(value)) {
      if (memory.behind) this.#caughtUp(read, memory);
      else this.#fits(read, memory);
      return { kind: 'settled' };
    }
    const late = read.lingered ? undefined : this.#lateBet(read);
    if (late) {
      memory.dip = { check: late, balance: value };
      return { kind: 'wait' };
    }
    const owner = memory.comparedWithOthers ? undefined : this.#balancesOfOthers.ownerOf(wallet.id, value);
    if (owner !== undefined && !memory.behind) {
      memory.comparedWithOthers = true;
      this.#pending = read;
      this.#owner = owner;
      return { kind: 'probe' };
    }
    if (!memory.behind && this.#staleReads.mayCatchUp(read, memory.odd)) {
      memory.behind = value;
      return { kind: 'behind' };
    }
    if (memory.behind) this.#staleReads.waitedWithoutSuccess();
    if (wallet.readsLag && !memory.odd) {
      this.#lags(read, memory);
      return { kind: 'settled' };
    }
    const candidates = [
      ...wallet.pendingChecks.filter(
        ({ rule, step }) => rule !== 'money.main-unit' || !this.#rightUnit.has(step.call, wallet.id),
      ),
      ...movesOfNoRule(read, this.#effects),
      ...inAnotherUnit(read, this.#effects, this.#proven('money.main-unit'), this.#rightUnit),
    ];
    // The call with the first wrong reply is tried first. If one of its possible effects explains the balance, this call is the
    // cause. Then the other candidates are tried.
    const explained = explainByCandidates(read, memory, candidates, this.#proven);
    const lacked = explained ? undefined : withZeros(read);
    if (lacked) {
      this.#lacksZeros(read, memory, lacked);
      return { kind: 'settled' };
    }
    if (!explained && !isBelowUnit(read)) {
      this.#pending = read;
      return { kind: 'probe' };
    }
    const { breaches = [], rivals = [] } = explained ?? {};
    const isLessLikely = memory.odd && this.#isContradicted(breaches, memory.odd, read);
    this.#differs(read, memory, isLessLikely ? [] : breaches, isLessLikely ? [...breaches, ...rivals] : rivals);
    return { kind: 'settled' };
  }

  /**
   * True if the replies contradict one of the breaches that explain a balance, and nothing has proven that the operator breaks
   * this rule.
   */
  #isContradicted(breaches: readonly PossibleBreach[], odd: UnexpectedReply, read: IdleRead): boolean {
    return breaches.some((one) => isContradicted(one, odd, read) && !this.#proven(one.pendingCheck.rule));
  }

  /**
   * Nothing explained the balance of a read, so two further reads were made. Judges these two reads. If each read moves the balance
   * by the same amount, the reads themselves move it. If the balance moves in another way, somebody else uses the wallet. If the
   * balance stays the same, the first read is reported as wrong.
   *
   * If the first read showed the balance of another player, the two further reads decide only whether the player's own balance is right.
   *
   * @returns `read-again` if the reads decided nothing, so that the balance must be read and judged once more
   */
  probed(values: readonly (Money | undefined)[]): 'stays' | 'reads-move-it' | 'somebody-else' | 'read-again' {
    const read = this.#pending;
    const [second, third] = values;
    // The balance of another player may be known only now, because the call that moved it was still in progress.
    const isBack = read !== undefined && second !== undefined && third?.equals(second) && read.wallet.allows(second);
    const owner =
      this.#owner ?? (isBack === true ? this.#balancesOfOthers.ownerOf(read.wallet.id, read.value) : undefined);
    this.#pending = undefined;
    this.#owner = undefined;
    if (read && owner !== undefined) {
      if (!second || !third || !read.wallet.allows(second) || !third.equals(second)) return 'read-again';
      this.#isOfAnother(read, owner, third);
      return 'stays';
    }
    if (!read || !second || !third) return 'somebody-else';
    const { wallet, value } = read;
    const memory = this.#memory(wallet);
    if (second.equals(value) && third.equals(value)) {
      const silent =
        wallet.moves.length === 0 &&
        wallet.branches.length === 0 &&
        wallet.pendingChecks.every(({ rule }) => rule === 'session.isolated') &&
        !memory.candidate &&
        !memory.odd;
      if (!silent) {
        this.#differs(read, memory, [], []);
        return 'stays';
      }
      const isOthers = reportOtherPlayers(read, this.#seenBefore, this.#reporting);
      wallet.dropPendingChecks();
      wallet.anchor(value);
      memory.last = value;
      return isOthers ? 'stays' : 'somebody-else';
    }
    wallet.dropPendingChecks();
    wallet.anchor(third);
    memory.last = third;
    const step = second.minus(value);
    if (!step.isZero() && third.minus(second).equals(step)) {
      this.#collector.decide(
        { rule: 'balance.read-only', step: read.step, exchange: read.exchange },
        breach('reading the balance changes nothing', `three reads in a row said ${value}, ${second} and ${third}`),
      );
      return 'reads-move-it';
    }
    return 'somebody-else';
  }

  #fits(read: IdleRead, memory: WalletMemory): void {
    const { wallet, value, lingered } = read;
    const possible = wallet.possible();
    const open = wallet.openSince !== null;
    const moved = wallet.moves.length > 0;
    this.#rightUnit.record(read, (key) => this.#effects.callOf(key));
    this.#balancesOfOthers.record(wallet, value);
    for (const pendingCheck of wallet.takePendingChecks(lingered)) {
      if (pendingCheck.reported || open) continue;
      const subject = { rule: pendingCheck.rule, step: pendingCheck.step, exchange: pendingCheck.exchange };
      if (wouldHaveShown(pendingCheck, value, possible)) this.#collector.decide(subject, PASS);
      else this.#undecided(pendingCheck, value);
    }
    if (memory.odd) {
      const { rule, step, exchange, said, expected, actual, ifReadFits } = memory.odd;
      // A reply that was sent while a bet was taken and not yet given back shows the same balance as a read at that time.
      const isOfDip = lingered && said !== undefined && memory.dip?.balance.equals(said) === true;
      if (ifReadFits !== 'nothing' && !isOfDip)
        this.#collector.decide(
          { rule, step, exchange },
          ifReadFits === 'warn'
            ? { kind: 'warn', expected, actual, why: 'the balance itself is right, as the next read shows' }
            : {
                ...breach(expected, actual, SYSTEMATIC),
                wrongReply: true,
                ...repliedSum(memory.odd, read, this.#effects),
              },
        );
    }
    if (moved && !open)
      this.#collector.decide({ rule: 'money.conservation', step: read.step, exchange: read.exchange }, PASS);
    memory.writeDown(value, wallet, this.#collector);
    this.#collapse(wallet, value, read);
    if (memory.dip && lingered) {
      const { rule, step, exchange } = memory.dip.check;
      this.#collector.decide(
        { rule, step, exchange },
        { kind: 'note', actual: 'the bet was taken after its refund, and given back a moment later' },
      );
      memory.dip = undefined;
    }
    memory.turn(value);
  }

  /**
   * Reports a read that showed the balance of another player. A single such balance may be chance, so it is left undecided.
   *
   * @param value the player's own balance, which two further reads showed
   */
  #isOfAnother(read: IdleRead, owner: string, value: Money): void {
    const { wallet, step, exchange } = read;
    const isProven = this.#balancesOfOthers.shown(wallet.id, read.value);
    const actual = `the balance was ${read.value}, which is the balance of ${owner.trim()}, and ${value} when it was read again`;
    this.#collector.decide(
      { rule: 'session.isolated', step, exchange },
      isProven
        ? breach(`a balance call shows the player's own balance: ${listBalances(wallet.possible())}`, actual)
        : {
            kind: 'undecided',
            reason: `${actual}: this may be chance, because it was seen only once in the run so far`,
          },
    );
    this.#fits({ ...read, value }, this.#memory(wallet));
  }

  /** Reports a read that shows an older balance than the replies. The replies fit each other, so the read is out of date. */
  #lags(read: IdleRead, memory: WalletMemory): void {
    const { wallet, value, step, exchange } = read;
    const isInOtherUnit = isSameInOtherUnit(value, wallet.possible());
    // An old balance may look like a balance without decimals.
    const isCut =
      isWithoutDecimals(value, wallet.possible()) &&
      !this.#staleReads.hasCaughtUp &&
      !this.#balancesOfOthers.hadBefore(wallet.id, value) &&
      movesLeftOut(wallet, value, (key) => this.#effects.callOf(key)).length === 0;
    if (isInOtherUnit)
      this.#collector.decide(
        { rule: 'money.main-unit', step, exchange },
        breach(
          `the balance is ${listBalances(wallet.possible())}, in the unit of the other replies`,
          `the balance is ${value}, as if the balance call used another unit than the other calls`,
        ),
      );
    else if (isCut)
      this.#collector.decide(
        { rule: 'money.exact', step, exchange },
        breach(
          `the balance is ${listBalances(wallet.possible())}, as in the replies to the other calls`,
          `the balance is ${value}, as if the balance call left out the decimals`,
        ),
      );
    else this.#staleReads.report(read, value, false, `the balance is ${value}, which does not include the last calls`);
    const cause = isInOtherUnit ? 'money.main-unit' : isCut ? 'money.exact' : this.#staleReads.rule;
    for (const pendingCheck of wallet.takePendingChecks(read.lingered))
      this.#undecided(pendingCheck, value, cause ? [cause] : []);
    memory.turn(value);
  }

  /**
   * Reports a stale read: its balance was wrong, but a second read a little later had the right balance, although croupier sent no
   * call between the two reads.
   */
  #caughtUp(read: IdleRead, memory: WalletMemory): void {
    const { value } = read;
    const { behind } = memory;
    if (!behind) return;
    // The balance of another player may be known only now, because the call that moved it was still in progress.
    const owner = this.#balancesOfOthers.ownerOf(read.wallet.id, behind);
    if (owner !== undefined) {
      memory.behind = undefined;
      memory.odd = undefined;
      this.#isOfAnother({ ...read, value: behind }, owner, value);
      return;
    }
    this.#staleReads.report(
      read,
      behind,
      true,
      `the balance was ${behind}, and ${value} when it was read again a little later`,
    );
    memory.behind = undefined;
    memory.odd = undefined;
    this.#fits(read, memory);
  }

  /** @param causes the broken rules because of which the balance decides nothing */
  #undecided({ rule, step, exchange }: PendingCheck, value: Money, causes: readonly RuleId[] = []): void {
    if (!this.#claims.includes(rule)) return;
    const reason = `the balance ${value} is possible with and without a breach of the rule`;
    this.#collector.decide({ rule, step, exchange }, { kind: 'undecided', reason, causes });
  }

  /** Reports the breaches that explain a wrong balance. The balance that was read is then the new expected balance. */
  #differs(
    given: IdleRead,
    memory: WalletMemory,
    breaches: readonly PossibleBreach[],
    rivals: readonly PossibleBreach[],
  ): void {
    const read: IdleRead = memory.behind ? { ...given, waited: true } : given;
    const { wallet, value, lingered } = read;
    const possible = wallet.possible();
    const due = wallet.takePendingChecks(lingered);
    const { odd } = memory;
    if (this.#staleReads.repliesOf(wallet.id).areReadsOld) {
      // An old balance proves nothing about money. Only the replies show what the calls have moved.
      this.#staleReads.report(read, value, false, `the balance is ${value}, which does not include the last calls`);
      const { rule } = this.#staleReads;
      for (const pendingCheck of due)
        if (!pendingCheck.reported) this.#undecided(pendingCheck, value, rule ? [rule] : []);
    } else if (breaches.length > 0) {
      for (const one of breaches) {
        const together = breaches.filter((other) => other !== one);
        attributeExplained(one, { together, rivals, due, odd }, read, this.#reporting);
      }
      for (const pendingCheck of due) {
        if (pendingCheck.reported || breaches.some((one) => one.pendingCheck === pendingCheck)) continue;
        if (rivals.some((rival) => rival.pendingCheck === pendingCheck)) continue;
        this.#collector.decide(
          { rule: pendingCheck.rule, step: pendingCheck.step, exchange: pendingCheck.exchange },
          PASS,
        );
      }
    } else
      attributeUnexplained(
        read,
        memory,
        due,
        this.#reporting,
        rivals.map(({ pendingCheck }) => pendingCheck.rule),
      );
    const attributed = breaches.map(({ pendingCheck }) => pendingCheck);
    if (!lingered)
      for (const late of wallet.dropPendingChecks()) if (!attributed.includes(late)) wallet.expectLater(late);
    // If a call broke a rule, its real effect is unknown. So the effect of its refund is unknown too. If only several breaches together
    // explain the balance, the call with the first wrong reply may have moved the wrong sum alone.
    const suspect = odd && breaches.length > 1 ? [odd.step.key] : [];
    const wrong =
      breaches.length > 0
        ? [...breaches.map(({ pendingCheck }) => pendingCheck.step.key), ...suspect]
        : wallet.moves.map(({ step }) => step);
    for (const step of wrong) this.#effects.misbooked(step, this.#takenBy(step, read));
    for (const { pendingCheck } of breaches)
      if (pendingCheck.rule === 'signature.no-effect') this.#effects.carriedOut(pendingCheck.step.key);
    memory.writeDown(value, wallet, this.#collector);
    // If a balance is wrong by less than one unit, it still shows which effects happened.
    if (isBelowUnit(read)) this.#collapse(wallet, value.minus(nearestDifference(value, possible)), read);
    wallet.anchor(value);
    memory.turn(value);
  }

  /**
   * Returns the wrong amount that a bet took. Undefined if the read does not show it, because the bet was not the only call that
   * moved money since the last read, or because the wallet computes with errors smaller than one unit.
   */
  #takenBy(step: string, read: IdleRead): Money | undefined {
    const { wallet, value } = read;
    const [only, ...others] = wallet.moves;
    const expected = wallet.certain();
    const isAlone = only?.step === step && others.length === 0 && this.#effects.callOf(step) === 'bet';
    if (!isAlone || !expected || isBelowUnit(read)) return undefined;
    const taken = expected.minus(only.delta).minus(value);
    return taken.isNegative() ? undefined : taken;
  }

  /** Reports a balance that was written without some of its zeros. The whole balance is then the new expected balance. */
  #lacksZeros(read: IdleRead, memory: WalletMemory, { whole, where }: LackedZeros): void {
    const { wallet, value, step, exchange } = read;
    const rule = where === 'end' ? 'money.main-unit' : 'money.exact';
    const meaning =
      where === 'end'
        ? 'as if the operator cut off the zeros at the end of a balance: 1 for 1000.00'
        : 'as if the operator left out the zeros after the point: 5.5 for 5.05';
    this.#collector.decide(
      { rule, step, exchange },
      breach(`the balance is ${listBalances(wallet.possible())}`, `the balance is ${value}, ${meaning}`),
    );
    for (const pendingCheck of wallet.takePendingChecks(read.lingered)) this.#undecided(pendingCheck, value, [rule]);
    memory.writeDown(whole, wallet, this.#collector);
    this.#collapse(wallet, whole, read);
    wallet.anchor(whole);
    memory.turn(whole);
  }

  #collapse(wallet: Wallet, value: Money, read: IdleRead): void {
    const { happened, never } = wallet.collapse(value);
    for (const branch of happened) {
      reportPaidOwner(branch, read, this.#effects, this.#collector);
      this.#effects.learned(branch.txID, true);
    }
    for (const branch of never) this.#effects.learned(branch.txID, false);
  }

  #lateBet({ wallet, value }: IdleRead): PendingCheck | undefined {
    return wallet.pendingChecks.find(
      (one) =>
        one.until === 'linger' &&
        !one.reported &&
        one.hypotheses.some(
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
