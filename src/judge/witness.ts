import type { CallName } from '../contract/call-name.ts';
import { Money } from '../contract/money.ts';
import { answerOf } from './answer.ts';
import type { Seen } from './check.ts';
import { isDenied } from './denied.ts';
import type { Effects } from './effects.ts';
import { bySum } from './expected-sum.ts';
import type { JudgeContext } from './judge-context.ts';
import { type ReplyReading, readReply } from './reading.ts';
import type { Sent } from './sent.ts';
import type { Part, Story } from './story.ts';
import type { Transaction } from './transaction.ts';

/** Puts each call together with what the story, and what was sent before it, say of it. */
export class Witness {
  readonly #story: Story;
  readonly #effects: Effects;
  readonly #context: JudgeContext;
  readonly #amounts = new Map<string, Money>();

  constructor(story: Story, effects: Effects, context: JudgeContext) {
    this.#story = story;
    this.#effects = effects;
    this.#context = context;
  }

  /** What was sent, with all that is known of it. */
  see(sent: Sent): Seen {
    const { step, exchange } = sent;
    const part = this.#story.part(step);
    const reading = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply) : undefined;
    const earlier = this.earlier(part);
    const currency = this.#context.currencyOf(step.session);
    const wallet = this.#context.walletOf(step.session);
    const amount = sent.amount ?? (part.source ? earlier?.amount : undefined);
    if (amount) this.#amounts.set(step.key, amount);
    const seen: Omit<Seen, 'isDenied'> = {
      part,
      story: this.#story,
      exchange,
      answer: answerOf(exchange, reading),
      reading,
      closes: sent.closes === true,
      amount,
      effect: sent.before ? sent.before.effect : (this.#effectOf(part, amount) ?? Money.zero),
      earlier: sent.before ? beforeOf(part, sent.before) : earlier,
      target: this.target(part),
      amountOf: (other) => this.#amounts.get(other.step.key),
      currency,
      unit: wallet?.unit ?? Money.of('1'),
      deadlineMs: this.#context.deadlineMs,
      campaignKnown: this.#context.campaignKnown,
      freeBetsTakeMoney: this.#effects.freeBetsTakeMoney,
      wholeBalance: bySum(step, 'amount') === 'balance',
      isBeyond: step.call === 'bet' && amount !== undefined && (wallet?.certain()?.compare(amount) ?? 0) < 0,
    };
    return { ...seen, isDenied: isDenied(seen, wallet) };
  }

  #effectOf(part: Part, amount: Money | undefined): Money | undefined {
    const call: CallName = part.step.call;
    if (call === 'refund') return this.target(part)?.amount ?? amount;
    return call === 'bet' ? amount?.negated() : amount;
  }

  /** What is known of the call that this one repeats, or whose `txID` it bears. */
  earlier(part: Part): Transaction | undefined {
    const of = part.source ?? part.namesake;
    return of ? this.#effects.ofStep(of.step.key) : undefined;
  }

  /** What is known of the call that a refund names; for a win, of its bet. */
  target(part: Part): Transaction | undefined {
    const { step } = part.source ?? part;
    if (step.call === 'win') return step.winOf === undefined ? undefined : this.#effects.ofStep(step.winOf);
    return step.refund?.kind === 'step' ? this.#effects.ofStep(step.refund.of) : undefined;
  }

  /** What a step was about, once it has been sent. */
  amountOf(stepKey: string): Money | undefined {
    return this.#amounts.get(stepKey);
  }

  /** Forgets a step that nothing can refer to any more. */
  forget(stepKey: string): void {
    this.#amounts.delete(stepKey);
  }
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
