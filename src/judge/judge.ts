import type { CallName } from '../contract/call-name.ts';
import type { Money } from '../contract/money.ts';
import { CONTRACT_VERSION } from '../contract/versions.ts';
import type { Tally } from '../journal/event.ts';
import { described, isPassing, PASS, type Seen } from './check.ts';
import { ChecksByStep } from './checks/all.ts';
import { Controls } from './controls.ts';
import { breachOfDenial } from './denied.ts';
import { Docket, endpointOf } from './docket.ts';
import { Effects } from './effects.ts';
import { type Stated, unmetExpectations } from './expectation.ts';
import { leaveOthersAlone } from './isolation.ts';
import type { JudgeContext } from './judge-context.ts';
import { OperatorTxIDs } from './operator-tx-ids.ts';
import { Passing } from './passing.ts';
import type { ReadResult } from './quiet-read.ts';
import { QuietReads } from './quiet-reads.ts';
import { judgeRace, overlapCount } from './race.ts';
import type { Reaction } from './reaction.ts';
import type { ReplyReading } from './reading.ts';
import { decisionOf } from './reply-decision.ts';
import { oweOnePayment } from './retried.ts';
import type { Sent } from './sent.ts';
import { stopAfter, stopAfterRead } from './stop.ts';
import type { Part, Story } from './story.ts';
import { unfitting } from './unfitting-reply.ts';
import type { Wallet } from './wallet.ts';
import { Witness } from './witness.ts';

const ON: Reaction = { read: [], result: { kind: 'settled' }, stop: null };

/**
 * Judges one scenario: call by call, as they are answered.
 *
 * Pure: exchanges come from wherever they come. The caller sends the reads that a {@link Reaction} asks for.
 */
export class Judge {
  readonly story: Story;
  readonly docket: Docket;
  readonly effects = new Effects();
  readonly reads: QuietReads;
  readonly #context: JudgeContext;
  readonly #checks: ChecksByStep;
  readonly #controls: Controls;
  readonly #witness: Witness;
  readonly #txIDs = new OperatorTxIDs();
  readonly #replies = new Map<string, ReplyReading>();
  readonly #passing: Passing;
  /** Endpoints that carried out a call with a wrong signature. */
  readonly letIn = new Set<CallName>();

  constructor(story: Story, context: JudgeContext) {
    this.story = story;
    this.#context = context;
    this.docket = new Docket(context.strict, context.contract ?? CONTRACT_VERSION, (finding) =>
      context.report(finding),
    );
    this.reads = new QuietReads({
      docket: this.docket,
      effects: this.effects,
      claims: story.plan.rules,
      proven: (rule) => context.proven(rule),
      lateness: context.lateness,
      rightUnit: context.rightUnit,
      seenBefore: (what) => context.seenBefore(what),
    });
    this.#witness = new Witness(story, this.effects, context);
    this.#checks = new ChecksByStep(story);
    this.#controls = new Controls(story);
    this.#passing = new Passing((step) => context.isLasting(step));
  }

  get passes(): Tally {
    return this.docket.passes;
  }

  /** What a named step was answered, and what it was about: for `${first.reply.txID}`. */
  replyOf(stepKey: string): ReplyReading | undefined {
    return this.#replies.get(stepKey);
  }

  amountOf(stepKey: string): Money | undefined {
    return this.#witness.amountOf(stepKey);
  }

  /** A call that was sent alone. */
  observe(sent: Sent): Reaction {
    const seen = this.#witness.see(sent);
    this.#judgeReply(seen);
    const wallet = this.#context.walletOf(sent.step.session);
    if (sent.step.call === 'balance') return this.#read(seen, sent, wallet);
    const state = seen.earlier?.state;
    this.effects.follow(seen, wallet);
    if (sent.retried) oweOnePayment(seen, wallet);
    leaveOthersAlone(seen, wallet, this.#context.wallets);
    this.#distinct(seen);
    this.#expectations(seen, sent.stated);
    this.#remember(seen);
    return { ...ON, read: unfitting(seen, wallet, state, this.reads), stop: stopAfter(seen) };
  }

  /** A call outside of the story, which moves money all the same: nothing is decided by it. */
  follow(sent: Sent): void {
    const seen = this.#witness.see(sent);
    const wallet = this.#context.walletOf(sent.step.session);
    this.effects.follow(seen, wallet);
    if (sent.retried) oweOnePayment(seen, wallet);
  }

  /** Calls that were sent at the same instant. @returns how many of them overlapped */
  observeTogether(sents: readonly Sent[]): { readonly reaction: Reaction; readonly overlapped: number } {
    const wallets = new Map<Wallet, Money | undefined>();
    for (const { step } of sents) {
      const wallet = this.#context.walletOf(step.session);
      if (wallet) wallets.set(wallet, wallet.certain());
    }
    const seens = sents.map((sent) => ({ sent, seen: this.#witness.see(sent) }));
    for (const { seen } of seens) this.#judgeReply(seen);
    const overlapped = overlapCount(seens.map(({ seen }) => seen));
    // Of copies, one that was answered 200 says what became of the call; refunds come after what they refund.
    const inOrder = [...seens].sort((a, b) => orderOf(a.seen) - orderOf(b.seen));
    for (const { sent, seen } of inOrder) {
      const earlier = this.#witness.earlier(seen.part);
      this.effects.follow(
        earlier === seen.earlier ? seen : { ...seen, earlier, target: this.#witness.target(seen.part) },
        this.#context.walletOf(sent.step.session),
      );
      leaveOthersAlone(seen, this.#context.walletOf(sent.step.session), this.#context.wallets);
      this.#distinct(seen);
      this.#expectations(seen, sent.stated);
      this.#remember(seen);
    }
    for (const [wallet, before] of wallets) {
      const own = seens
        .map(({ seen }) => seen)
        .filter(({ part }) => this.#context.walletOf(part.step.session) === wallet);
      if (overlapped > 0) judgeRace({ seens: own, wallet, before }, this.docket, this.reads);
    }
    const lost = seens.find(({ seen }) => seen.answer === 'lost');
    return { reaction: lost ? { ...ON, stop: stopAfter(lost.seen) } : ON, overlapped };
  }

  /** The story is over: what was held back until its control was known, or until it is sure that it counts. */
  close(): void {
    this.#passing.close(this.docket, this.#controls);
    this.#controls.release(this.docket);
  }

  /** Steps that were answered with a status that may be another one when the same is tried again. */
  get turnedAway(): ReadonlySet<string> {
    return this.#passing.turnedAway;
  }

  #judgeReply(seen: Seen): void {
    const { part, exchange } = seen;
    const wallet = this.#context.walletOf(part.step.session);
    const answered = { part, answer: seen.answer, status: seen.reading?.status };
    this.#controls.saw(answered);
    this.#passing.saw(answered);
    if (seen.isDenied) {
      const matter = { rule: 'bet.exact-balance', step: part.step, exchange: exchange.id } as const;
      this.#passing.deny(matter, breachOfDenial(seen, wallet));
    }
    if (seen.answer === 'accepted' && !part.signedRight && part.step.expect.outcome === 'refused')
      this.letIn.add(part.step.call);
    for (const [rule, check] of this.#checks.of(part)) {
      const matter = { rule, step: part.step, exchange: exchange.id };
      const decision = decisionOf(rule, check, seen);
      if (decision) {
        const held = { ...answered, rule, exchange: exchange.id, decision };
        if (decision.kind === 'breach' && isPassing(answered.status)) this.#passing.hold(held);
        else if (check.controlled) this.#controls.hold(held);
        else this.docket.decide(matter, decision);
      }
      const offsets = check.offsets?.(seen) ?? [];
      const watched = check.watched === true && seen.answer === 'accepted';
      if ((offsets.length > 0 || watched) && wallet) {
        const { rank = 0, until = 'read', effect = '' } = check;
        // A rule that was decided by the reply still explains what the wallet shows.
        const reported = decision !== undefined && decision.kind !== 'pass';
        wallet.owe({
          rule,
          endpoint: endpointOf(rule, part.step.call),
          step: part.step,
          exchange: exchange.id,
          offsets,
          rank,
          until,
          expected: effect,
          reported,
        });
      }
      if (check.observed && wallet && check.isOdd?.(seen) !== false)
        this.reads.observe(wallet, {
          rule,
          endpoint: null,
          step: part.step,
          exchange: exchange.id,
          answered: described(seen),
        });
    }
  }

  #read(seen: Seen, sent: Sent, wallet: Wallet | null): Reaction {
    this.#remember(seen);
    const value = seen.reading?.balance.money;
    const regular = seen.answer === 'accepted' && value !== undefined && wallet !== null;
    const before = wallet ? this.reads.lastRead(wallet) : undefined;
    const result: ReadResult =
      regular && !isOdd(seen.part)
        ? this.reads.take({ wallet, value, step: sent.step, exchange: seen.exchange.id, lingered: sent.lingered })
        : { kind: 'settled' };
    const moves = sent.stated.moves;
    this.#expectations(seen, sent.stated);
    if (
      this.#context.demanding &&
      regular &&
      moves &&
      before &&
      !value.minus(before).equals(moves) &&
      sent.step.expect.outcome !== 'either'
    ) {
      this.docket.unmet(
        sent.step,
        seen.exchange.id,
        `the balance moves by ${moves}`,
        `it moved by ${value.minus(before)}`,
      );
    }
    if (regular && result.kind === 'settled') this.#readRules(seen);
    return {
      ...ON,
      result,
      stop: seen.part.step.expect.outcome === 'accepted' && !isOdd(seen.part) ? stopAfterRead(seen, value) : null,
    };
  }

  /** Rules that are about reads as such, where the read fitted. */
  #readRules(seen: Seen): void {
    for (const [rule] of this.#checks.of(seen.part)) {
      const matter = { rule, step: seen.part.step, exchange: seen.exchange.id };
      if (rule === 'balance.read-only') this.docket.decide(matter, PASS);
    }
  }

  #distinct(seen: Seen): void {
    const rule = 'reply.tx-id-distinct';
    if (!this.#checks.of(seen.part).some(([id]) => id === rule)) return;
    const decision = this.#txIDs.take(seen);
    if (decision) this.docket.decide({ rule, step: seen.part.step, exchange: seen.exchange.id }, decision);
  }

  #expectations(seen: Seen, stated: Stated): void {
    if (!this.#context.demanding) return;
    for (const { about, expected, actual } of unmetExpectations(seen, stated)) {
      // What a rule has said of the answer already is not reported a second time under the scenario's own words.
      if (this.#ruleSpoke(seen, about)) continue;
      this.docket.unmet(seen.part.step, seen.exchange.id, expected, actual);
    }
  }

  #ruleSpoke(seen: Seen, about: 'answer' | 'content'): boolean {
    return this.#checks.of(seen.part).some(([, check]) => {
      const kind = check.reply?.(seen)?.kind ?? 'pass';
      return about === 'answer' ? kind !== 'pass' : kind === 'breach';
    });
  }

  #remember(seen: Seen): void {
    const { step } = seen.part;
    // Only what a later step can refer to is kept, so that a long story needs no memory.
    if (step.name !== undefined && seen.reading && !this.#replies.has(step.key))
      this.#replies.set(step.key, seen.reading);
    if (!/x\d+$/.test(step.key) || seen.part.group !== null) return;
    const transaction = this.effects.ofStep(step.key);
    if (transaction && transaction.state !== 'unknown') this.effects.forget(transaction);
    this.#witness.forget(step.key);
  }
}

function orderOf({ part, answer }: Seen): number {
  return (
    (part.step.call === 'refund' ? 10 : 0) +
    (part.step.origin.kind === 'fresh' ? 0 : 1) +
    (answer === 'accepted' ? 0 : 0.5)
  );
}

function isOdd(part: Part): boolean {
  return part.step.expect.outcome === 'refused' || part.step.expect.outcome === 'declined';
}
