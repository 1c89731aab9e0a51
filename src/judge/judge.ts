import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Currency } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import { CONTRACT_VERSION, type ContractVersion } from '../contract/versions.ts';
import type { Tally } from '../journal/event.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { Finding } from '../journal/finding.ts';
import type { CallStep } from '../scenario/plan.ts';
import { answerOf } from './answer.ts';
import {
  asOfForm,
  breach,
  type Decision,
  described,
  isOfForm,
  isPassing,
  isTurnedAway,
  PASS,
  type RuleCheck,
  type Seen,
  UNKNOWN_CAMPAIGN,
} from './check.ts';
import { ChecksByStep, checkOf } from './checks/all.ts';
import { addsField } from './checks/robustness.ts';
import { isOfExpired } from './checks/session.ts';
import { Controls, type Held } from './controls.ts';
import { breachOfDenial, isDenied } from './denied.ts';
import { Docket, endpointOf } from './docket.ts';
import { Effects } from './effects.ts';
import { type Stated, unmetExpectations } from './expectation.ts';
import { bySum } from './expected-sum.ts';
import type { Lateness } from './lateness.ts';
import { QuietReads, type ReadResult } from './quiet-reads.ts';
import { judgeRace, overlapCount } from './race.ts';
import { type ReplyReading, readReply } from './reading.ts';
import type { RightUnit } from './right-unit.ts';
import type { Part, Story } from './story.ts';
import { PLAIN_EFFECTS } from './suspects.ts';
import type { Transaction } from './transaction.ts';
import type { Wallet } from './wallet.ts';

/** What the judge must know of the world around a scenario. */
export interface JudgeContext {
  readonly strict: boolean;
  /** Rules that came with a later version decide nothing. Left out: the latest. */
  readonly contract?: ContractVersion | undefined;
  /** Whether what a scenario states of a reply beyond the rules is a demand of its own. */
  readonly demanding: boolean;
  readonly deadlineMs: number;
  readonly campaignKnown: boolean;
  /** The wallet of a session alias; null for a session that the operator never issued. */
  walletOf(alias: string): Wallet | null;
  /** The wallets of all sessions of the scenario. */
  readonly wallets: readonly Wallet[];
  currencyOf(alias: string): Currency | undefined;
  /** True when other scenarios of the run have shown the rule to be broken. */
  proven(rule: string): boolean;
  /** True when the step was answered as by one who is too busy, or who failed, each time that the scenario was played. */
  isLasting(step: string): boolean;
  /** True when the same, in these words, was seen in an earlier attempt at the scenario; it is remembered for the next. */
  seenBefore(what: string): boolean;
  /** What the run has seen of effects that show late. */
  readonly lateness: Lateness;
  /** What the run has seen to be in the right unit. */
  readonly rightUnit: RightUnit;
  report(finding: Finding): void;
}

/** One call as it went out. */
export interface Sent {
  readonly step: CallStep;
  readonly exchange: Exchange;
  /** The amount in its body, where it can be read. */
  readonly amount: Money | undefined;
  readonly stated: Stated;
  /** For a transaction of before: how it was answered then, and the sum that it moved. */
  readonly before?: { readonly reply: ReplyReading; readonly effect: Money };
  /** It was sent before, in the same words, and answered as by one who is too busy. */
  readonly retried?: boolean;
  /** It was sent several times, and each time the connection was closed without a reply, though others were answered. */
  readonly closes?: boolean;
  /** For reads: true when nothing that was sent before can land any more. */
  readonly lingered: boolean;
}

/** What is to be done after a call was judged. */
export interface Reaction {
  /** Wallets whose reply did not fit, to be read at once. */
  readonly read: readonly Wallet[];
  readonly result: ReadResult;
  /** The story cannot go on, and why. `connection`: not the operator's fault, so it may be played again. */
  readonly stop: {
    readonly verdict: 'skip' | 'inconclusive';
    readonly reason: string;
    readonly connection: boolean;
    readonly causes: readonly RuleId[];
  } | null;
}

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
  readonly #txIDs = new Map<string, string>();
  readonly #amounts = new Map<string, Money>();
  readonly #replies = new Map<string, ReplyReading>();
  /** Breaches that only count when they are seen again. */
  readonly #passing: Held[] = [];
  /** Bets that were declined for want of money that was there. */
  readonly #denied: { readonly step: CallStep; readonly exchange: string; readonly decision: Decision }[] = [];
  readonly #turnedAway = new Set<string>();
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
    this.#checks = new ChecksByStep(story);
    this.#controls = new Controls(story);
  }

  get passes(): Tally {
    return this.docket.passes;
  }

  /** What a named step was answered, and what it was about: for `${first.reply.txID}`. */
  replyOf(stepKey: string): ReplyReading | undefined {
    return this.#replies.get(stepKey);
  }

  amountOf(stepKey: string): Money | undefined {
    return this.#amounts.get(stepKey);
  }

  /** A call that was sent alone. */
  observe(sent: Sent): Reaction {
    const seen = this.#see(sent);
    this.#judgeReply(seen);
    const wallet = this.#context.walletOf(sent.step.session);
    if (sent.step.call === 'balance') return this.#read(seen, sent, wallet);
    const state = seen.earlier?.state;
    this.effects.follow(seen, wallet);
    if (sent.retried) this.#oncePaid(seen, wallet);
    this.#leaveOthersAlone(seen, wallet);
    this.#distinct(seen);
    this.#expectations(seen, sent.stated);
    this.#remember(seen);
    return { ...ON, read: this.#unfitting(seen, wallet, state), stop: stopAfter(seen) };
  }

  /** A call outside of the story, which moves money all the same: nothing is decided by it. */
  follow(sent: Sent): void {
    const seen = this.#see(sent);
    const wallet = this.#context.walletOf(sent.step.session);
    this.effects.follow(seen, wallet);
    if (sent.retried) this.#oncePaid(seen, wallet);
  }

  /** Calls that were sent at the same instant. @returns how many of them overlapped */
  observeTogether(sents: readonly Sent[]): { readonly reaction: Reaction; readonly overlapped: number } {
    const wallets = new Map<Wallet, Money | undefined>();
    for (const { step } of sents) {
      const wallet = this.#context.walletOf(step.session);
      if (wallet) wallets.set(wallet, wallet.certain());
    }
    const seens = sents.map((sent) => ({ sent, seen: this.#see(sent) }));
    for (const { seen } of seens) this.#judgeReply(seen);
    const overlapped = overlapCount(seens.map(({ seen }) => seen));
    // Of copies, one that was answered 200 says what became of the call; refunds come after what they refund.
    const inOrder = [...seens].sort((a, b) => orderOf(a.seen) - orderOf(b.seen));
    for (const { sent, seen } of inOrder) {
      const earlier = this.#earlier(seen.part);
      this.effects.follow(
        earlier === seen.earlier ? seen : { ...seen, earlier, target: this.#target(seen.part) },
        this.#context.walletOf(sent.step.session),
      );
      this.#leaveOthersAlone(seen, this.#context.walletOf(sent.step.session));
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
    // One answer of that kind may be an accident of the moment; told again, the story shows whether it is.
    const { hasBreach } = this.docket;
    for (const held of this.#passing.splice(0)) {
      const { rule, part, exchange, decision } = held;
      const isLasting = this.#context.isLasting(part.step.key);
      const counts = isLasting || (hasBreach && !mayFail(held));
      if (counts && checkOf(rule)?.controlled) this.#controls.hold(held);
      else if (counts) this.docket.decide({ rule, step: part.step, exchange }, decision);
      else this.docket.decide({ rule, step: part.step, exchange }, { kind: 'skip', reason: NOT_ALWAYS });
    }
    for (const { step, exchange, decision } of this.#denied.splice(0))
      if (this.#context.isLasting(step.key))
        this.docket.decide({ rule: 'bet.exact-balance', step, exchange }, decision);
    this.#controls.release(this.docket);
  }

  /** Steps that were answered with a status that may be another one when the same is tried again. */
  get turnedAway(): ReadonlySet<string> {
    return this.#turnedAway;
  }

  #see(sent: Sent): Seen {
    const { step, exchange } = sent;
    const part = this.story.part(step);
    const reading = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply) : undefined;
    const earlier = this.#earlier(part);
    const currency = this.#context.currencyOf(step.session);
    const wallet = this.#context.walletOf(step.session);
    const amount = sent.amount ?? (part.source ? earlier?.amount : undefined);
    if (amount) this.#amounts.set(step.key, amount);
    const seen: Omit<Seen, 'isDenied'> = {
      part,
      story: this.story,
      exchange,
      answer: answerOf(exchange, reading),
      reading,
      closes: sent.closes === true,
      amount,
      effect: sent.before ? sent.before.effect : (this.#effectOf(part, amount) ?? Money.zero),
      earlier: sent.before ? beforeOf(part, sent.before) : earlier,
      target: this.#target(part),
      amountOf: (other) => this.#amounts.get(other.step.key),
      currency,
      unit: wallet?.unit ?? Money.of('1'),
      deadlineMs: this.#context.deadlineMs,
      campaignKnown: this.#context.campaignKnown,
      freeBetsTakeMoney: this.effects.freeBetsTakeMoney,
      wholeBalance: bySum(step, 'amount') === 'balance',
      isBeyond: step.call === 'bet' && amount !== undefined && (wallet?.certain()?.compare(amount) ?? 0) < 0,
    };
    return { ...seen, isDenied: isDenied(seen, wallet) };
  }

  #effectOf(part: Part, amount: Money | undefined): Money | undefined {
    const call: CallName = part.step.call;
    if (call === 'refund') return this.#target(part)?.amount ?? amount;
    return call === 'bet' ? amount?.negated() : amount;
  }

  #earlier(part: Part): Transaction | undefined {
    const of = part.source ?? part.namesake;
    return of ? this.effects.ofStep(of.step.key) : undefined;
  }

  #target(part: Part): Transaction | undefined {
    const { step } = part.source ?? part;
    if (step.call === 'win') return step.winOf === undefined ? undefined : this.effects.ofStep(step.winOf);
    return step.refund?.kind === 'step' ? this.effects.ofStep(step.refund.of) : undefined;
  }

  #judgeReply(seen: Seen): void {
    const { part, exchange } = seen;
    const wallet = this.#context.walletOf(part.step.session);
    const answered = { part, answer: seen.answer, status: seen.reading?.status };
    this.#controls.saw(answered);
    if (isPassing(answered.status) && part.step.expect.outcome !== 'either') this.#turnedAway.add(part.step.key);
    if (seen.isDenied) {
      // Told again, the story shows whether it was an accident of the moment.
      this.#turnedAway.add(part.step.key);
      this.#denied.push({ step: part.step, exchange: exchange.id, decision: breachOfDenial(seen, wallet) });
    }
    if (seen.answer === 'accepted' && !part.signedRight && part.step.expect.outcome === 'refused')
      this.letIn.add(part.step.call);
    for (const [rule, check] of this.#checks.of(part)) {
      const matter = { rule, step: part.step, exchange: exchange.id };
      const decision = decisionOf(rule, check, seen);
      if (decision) {
        const held = { ...answered, rule, exchange: exchange.id, decision };
        if (decision.kind === 'breach' && isPassing(answered.status)) this.#passing.push(held);
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

  /** A call that failed and was sent again until it was answered 200 may have been carried out each time. */
  #oncePaid({ part, exchange, effect, answer }: Seen, wallet: Wallet | null): void {
    const { step } = part;
    const rule = step.call === 'win' ? 'win.retried' : step.call === 'refund' ? 'refund.retried' : undefined;
    if (!rule || !wallet || answer !== 'accepted' || effect.isZero()) return;
    wallet.owe({
      rule,
      endpoint: null,
      step,
      exchange: exchange.id,
      offsets: ['twice', 'three times', 'four times'].map((times, more) => ({
        by: effect.times(Money.of(String(more + 1))),
        meaning: `the ${step.call} was paid ${times}, though it was answered with an error first`,
      })),
      rank: 0,
      until: 'read',
      expected: `a ${step.call} that is sent again until it is answered 200 is paid once`,
      reported: false,
    });
  }

  /** The balance of a reply to a call that was sent alone must be a possible one; if it isn't, the wallet is read. */
  #unfitting(seen: Seen, wallet: Wallet | null, before: Transaction['state'] | undefined): Wallet[] {
    const { part, reading, answer } = seen;
    const { step } = part;
    if (!wallet || answer === 'broken' || step.origin.kind === 'earlier') return [];
    const settledBySomebodyElse =
      answer === 'accepted' && step.expect.outcome !== 'accepted' && step.expect.outcome !== 'either';
    if (settledBySomebodyElse || answer === 'error-200') return [wallet];
    // The reply to what may have been carried out before tells the balance of then.
    const replay = part.source !== null && before !== 'refused' && before !== 'none';
    const said = reading?.balance.money;
    if (answer !== 'accepted' || replay || !said || part.namesake) return [];
    // The refund of a bet that the operator may not know can tell any balance, 0 for one.
    const mustTell = step.call !== 'refund' || seen.target?.answer === 'accepted';
    if (mustTell ? wallet.hear(said, step.origin.kind === 'fresh') : wallet.allows(said)) {
      if (mustTell && wallet.forks.length === 0) wallet.vouch(step.key);
      return [];
    }
    const rule = step.call === 'refund' ? oddRefund(seen, wallet, said) : PLAIN_EFFECTS[step.call]?.rule;
    if (rule === undefined) return [];
    this.reads.oddReply(wallet, {
      rule,
      ifReadFits: step.call !== 'refund' ? 'breach' : rule === 'refund.restore' ? 'warn' : 'nothing',
      step,
      exchange: seen.exchange.id,
      expected: `the reply tells the balance after the ${step.call}, ${wallet.possible().join(' or ')}`,
      actual: `it says ${reading?.balance.written}, and the next read says otherwise`,
    });
    return [wallet];
  }

  /** Whatever a call moves, it moves in one wallet: the next read of the others tells. */
  #leaveOthersAlone(seen: Seen, own: Wallet | null): void {
    const { part, effect, exchange } = seen;
    // What a call has moved that should have been refused, and whose money it was, is anybody's guess.
    if (seen.answer === 'accepted' && (!part.signedRight || own === null)) {
      if (part.step.call === 'refund' && own === null) return;
      for (const wallet of this.#context.wallets) wallet.leaveOpen(part.step.key);
      return;
    }
    if (own === null || effect.isZero() || part.step.call === 'balance' || seen.answer !== 'accepted') return;
    // Whose money a call moves whose signature was wrong is a matter of the signature.
    if (!part.signedRight) return;
    if (part.target && part.target.step.session !== part.step.session) return;
    for (const other of this.#context.wallets) {
      if (other === own || !other.known) continue;
      other.owe({
        rule: 'session.isolated',
        endpoint: null,
        step: part.step,
        exchange: exchange.id,
        offsets: [
          {
            by: effect,
            meaning: `the ${part.step.call} of ${seen.amount} in another player's session moved this player's money`,
          },
        ],
        rank: 0,
        until: 'read',
        expected: "another player's balance is left alone",
        reported: false,
      });
    }
  }

  #distinct(seen: Seen): void {
    const { part, reading, answer } = seen;
    const txID = reading?.txID;
    const rule = 'reply.tx-id-distinct';
    if (answer !== 'accepted' || !txID || !this.#checks.of(part).some(([id]) => id === rule)) return;
    const owner = this.#txIDs.get(txID);
    if (this.#txIDs.size < 10_000) this.#txIDs.set(txID, part.step.key);
    this.docket.decide(
      { rule, step: part.step, exchange: seen.exchange.id },
      owner === undefined || owner === part.step.key
        ? PASS
        : breach(
            'different bets and wins get different operator txIDs',
            `${JSON.stringify(txID)} was the txID of step ${owner} already`,
          ),
    );
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
    this.#amounts.delete(step.key);
  }
}

/** The rule under which the odd balance in the reply to a refund is told; undefined: it may be so. */
function oddRefund({ part, target }: Seen, wallet: Wallet, said: Money): RuleId | undefined {
  if (part.step.refund?.kind !== 'step' || part.refundsBefore > 0 || target?.state !== 'reversed') return undefined;
  switch (target.answer) {
    case 'accepted':
      return 'refund.restore';
    case 'broken':
    case 'late':
    case 'failed': {
      // The operator may not know the bet, or may only just be taking it.
      const taken = wallet.certain()?.plus(target.effect);
      if (said.isZero() || taken?.equals(said) !== false) return undefined;
      return target.answer === 'broken' ? 'refund.broken-connection' : 'refund.after-error';
    }
    case 'error-200':
    case 'refused':
    case 'declined':
    case 'lost':
      return undefined;
  }
}

/** What the reply alone decides about a rule. */
function decisionOf(rule: RuleId, check: RuleCheck, seen: Seen): Decision | undefined {
  // Without a reply there is nothing to decide, unless it came and is not in the coding that it names.
  if (seen.answer === 'lost' && !seen.closes)
    return rule === 'reply.json' && isGarbled(seen) ? breachOfCoding(seen) : undefined;
  const decision = check.reply?.(seen);
  const ofForm = isOfForm(seen.reading?.status) && rule !== 'signature.accepted' && !rule.startsWith('reply.');
  // Want of money tells nothing of rounds, of repeats, or of what else a bet was to show.
  if (seen.isDenied && !rule.startsWith('reply.') && (decision?.kind === 'breach' || decision?.kind === 'warn'))
    return { kind: 'undecided', reason: `it was ${described(seen)}, though there was enough` };
  return decision && ofForm ? asOfForm(decision) : decision;
}

/** A bet as the service sends it may fail, if not each time: it is refunded. */
function mayFail({ part: { step, signedRight }, status }: Held): boolean {
  return step.call === 'bet' && step.expect.outcome === 'accepted' && signedRight && status === 500;
}

const NOT_ALWAYS = 'it was answered as by one who is too busy, though not each time that it was tried';

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

function beforeOf(part: Part, before: { readonly reply: ReplyReading; readonly effect: Money }): Transaction {
  return {
    txID: '',
    part,
    amount: before.effect.absolute(),
    wallet: null,
    effect: before.effect,
    state: 'applied',
    answer: 'accepted',
    reply: before.reply,
  };
}

/** A story can't go on without a call that it needed; what it found until then stands. */
function stopAfter(seen: Seen): Reaction['stop'] {
  const { part, answer } = seen;
  const { step } = part;
  if (seen.closes) return null;
  if (answer === 'lost') return stopForWantOfReply(seen);
  if (step.expect.outcome !== 'accepted' || answer === 'accepted' || answer === 'broken') return null;
  if (step.origin.kind !== 'fresh' || step.call === 'refund') return null;
  const status = seen.reading?.status ?? 0;
  if ((step.type === 'free' || step.campaign) && !seen.campaignKnown && status >= 400 && status < 500) {
    return { verdict: 'skip', reason: UNKNOWN_CAMPAIGN, connection: false, causes: [] };
  }
  const isFurther = (step.call === 'bet' && part.betsBefore > 0) || (step.call === 'win' && part.winsBefore > 0);
  if (isFurther && status >= 400 && status < 500 && status !== 401) {
    return {
      verdict: 'skip',
      reason: `the operator declines a further ${step.call} of a round`,
      connection: false,
      causes: [],
    };
  }
  if (answer === 'declined' && addsField(part)) {
    return {
      verdict: 'skip',
      reason: `the operator declines a ${step.call} with a field that it does not know`,
      connection: false,
      causes: [],
    };
  }
  // A huge amount is the operator's to refuse.
  if (seen.story.plan.needs.largeAmounts && answer !== 'refused')
    return {
      verdict: 'skip',
      reason: 'the operator declines an amount that large',
      connection: false,
      causes: [],
    };
  const limit =
    seen.reading &&
    (isTurnedAway(seen.reading.status) ||
      ['bet_limit', 'loss_limit', 'time_limit', 'account_blocked'].includes(seen.reading.code ?? ''));
  const causes: RuleId[] =
    answer === 'refused' || isOfForm(status)
      ? ['signature.accepted']
      : answer === 'late'
        ? ['reply.deadline']
        : answer === 'error-200'
          ? ['reply.error-is-not-200']
          : seen.isDenied
            ? ['bet.exact-balance']
            : [];
  return {
    verdict: limit ? 'skip' : 'inconclusive',
    reason: `the ${step.call} of step ${step.key} was ${described(seen)}`,
    connection: false,
    causes,
  };
}

function stopAfterRead(seen: Seen, value: Money | undefined): Reaction['stop'] {
  if (seen.answer === 'lost') return stopForWantOfReply(seen);
  if (seen.answer === 'accepted' && value) return null;
  const causes: RuleId[] = seen.answer === 'refused' ? ['signature.accepted'] : ['balance.read'];
  const isHidden = seen.answer === 'declined' && isOfExpired(seen.part, seen.story.plan);
  return {
    verdict: isHidden || isTurnedAway(seen.reading?.status) ? 'skip' : 'inconclusive',
    reason: `the balance could not be read: ${described(seen)}`,
    connection: false,
    causes,
  };
}

function stopForWantOfReply(seen: Seen): NonNullable<Reaction['stop']> {
  const garbled = isGarbled(seen);
  return {
    verdict: 'inconclusive',
    reason: lostReason(seen),
    connection: !garbled,
    causes: garbled ? ['reply.json'] : [],
  };
}

/** A 200 came as a whole, but its body is not in the coding that its headers name: no accident of the connection. */
function isGarbled({ exchange: { outcome } }: Seen): boolean {
  return outcome.kind === 'none' && outcome.reason === 'bad-encoding' && outcome.head?.status === 200;
}

function breachOfCoding({ exchange: { outcome } }: Seen): Decision {
  return breach(
    'the body of a 200 is in the coding that its headers name',
    outcome.kind === 'none' ? outcome.detail : 'it is not',
  );
}

function lostReason(seen: Seen): string {
  const { outcome } = seen.exchange;
  return outcome.kind === 'none'
    ? `the connection failed (${outcome.reason}): ${outcome.detail}`
    : 'the connection failed';
}
