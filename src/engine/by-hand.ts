import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../contract/call-name.ts';
import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import type { JournalEvent, Received, Sending, Tally } from '../journal/event.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { Finding } from '../journal/finding.ts';
import { answerOf, mayHaveArrived } from '../judge/answer.ts';
import type { Answer } from '../judge/check.ts';
import { Judge } from '../judge/judge.ts';
import { Lateness } from '../judge/lateness.ts';
import type { Reaction } from '../judge/reaction.ts';
import { type ReplyReading, readReply } from '../judge/reading.ts';
import { RightUnit } from '../judge/right-unit.ts';
import { Story } from '../judge/story.ts';
import { PLAIN_EFFECTS } from '../judge/suspects.ts';
import { Wallet } from '../judge/wallet.ts';
import type { CallStep, Plan } from '../scenario/plan.ts';
import { type BuiltRequest, buildRequest } from '../wire/request.ts';
import { type HandCall, planByHand, readByHand, whatFollows } from './by-hand-plan.ts';
import type { ClientUnderTest, SessionUnderTest } from './run-options.ts';
import { Sender } from './sender.ts';
import { denominationOf } from './stakes.ts';
import { addressOf } from './target.ts';

export interface ByHandOptions {
  readonly client: ClientUnderTest;
  readonly session: SessionUnderTest;
  readonly hand: HandCall;
  /** The bytes of the call. */
  readonly request: BuiltRequest;
  /** The balance is read before and after, so that what the call moved can be judged. */
  readonly reads: boolean;
  /** The operator may have carried out this very call before: its txID was not made for it. */
  readonly maybeKnown: boolean;
  readonly campaignKnown: boolean;
  readonly strict: boolean;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  readonly now: () => number;
  /** Takes what is sent and received, and must have stored a `sending` when it returns. */
  readonly record?: ((event: JournalEvent) => void) | undefined;
}

/** One exchange of a call by hand, in the words of a journal. */
export interface HandExchange {
  readonly sending: Sending;
  readonly received: Received;
}

/** What came of it. */
export interface PlayedByHand {
  readonly exchanges: readonly HandExchange[];
  readonly findings: readonly Finding[];
  /** Ids of rules that were put to the test and kept. */
  readonly passed: readonly string[];
  /** The same, by endpoint. */
  readonly passes: Tally;
  /** To the first of the calls. */
  readonly answer: Answer;
  /** What the balance was before and is now; undefined: not read, or not told. */
  readonly before: Money | undefined;
  readonly after: Money | undefined;
  /** Why the balance tells nothing: somebody else is moving it. */
  readonly disturbed: boolean;
  /** What the service would do now; null: nothing in particular. */
  readonly next: string | null;
}

/** Makes one call, once or several times with the same bytes, and judges it as far as that goes. Sends nothing else but reads. */
export async function playByHand(options: ByHandOptions): Promise<PlayedByHand> {
  const { client, deadlineMs, now } = options;
  const events: JournalEvent[] = [];
  const sender = new Sender({
    wire: client.wire,
    deadlineMs,
    now,
    record: (event) => {
      options.record?.(event);
      events.push(event);
    },
    ratePerSecond: null,
    maxAtOnce: 1,
  });
  try {
    const played = await new ByHand(options, sender).play();
    return { ...played, exchanges: exchangesOf(events) };
  } finally {
    await sender.close();
  }
}

function exchangesOf(events: readonly JournalEvent[]): readonly HandExchange[] {
  return events.flatMap((sending) => {
    if (sending.event !== 'sending') return [];
    const received = events.find((event) => event.event === 'received' && event.id === sending.id);
    return received?.event === 'received' ? [{ sending, received }] : [];
  });
}

interface Read {
  readonly step: CallStep;
  readonly exchange: Exchange;
}

class ByHand {
  readonly #options: ByHandOptions;
  readonly #sender: Sender;
  readonly #findings: Finding[] = [];
  #reads = 0;
  /** False while a call is judged that the operator may have carried out before: then it moves nothing. */
  #reckons = true;

  constructor(options: ByHandOptions, sender: Sender) {
    this.#options = options;
    this.#sender = sender;
  }

  async play(): Promise<Omit<PlayedByHand, 'exchanges'>> {
    const { hand, reads, maybeKnown } = this.#options;
    const opening = reads ? await this.#read() : undefined;
    const first = await this.#call('1');
    const anchor = reads && maybeKnown ? await this.#read() : opening;
    const others: Exchange[] = [];
    for (let time = 2; time <= hand.times; time += 1) others.push(await this.#call(String(time)));
    const answer = answerOf(first, readingOf(first));
    const plan = planByHand(hand, answer);
    const wallet = reads ? this.#wallet(anchor) : null;
    const judge = this.#judge(plan, wallet);
    const [step, ...again] = plan.steps.filter((each) => each.kind === 'call');
    const observeAnchor = (): void => {
      this.#reckons = true;
      if (anchor) this.#observe(judge, anchor.step, anchor.exchange);
    };
    if (!maybeKnown) observeAnchor();
    this.#reckons = !maybeKnown;
    if (step) this.#observe(judge, step, first);
    if (maybeKnown) {
      observeAnchor();
      if (opening && anchor && step && answer === 'accepted')
        this.#onceOrNever(step, first, opening.exchange, anchor.exchange);
    }
    for (const [index, each] of again.entries()) {
      const exchange = others[index];
      if (exchange) this.#observe(judge, each, exchange);
    }
    const closing = wallet && (await this.#closing(judge, wallet));
    judge.close();
    return {
      findings: this.#findings,
      passed: Object.keys(judge.passes),
      passes: judge.passes,
      answer,
      before: balanceOf(opening?.exchange),
      after: closing?.after,
      disturbed: closing?.disturbed ?? false,
      next: mayHaveArrived(first) ? (whatFollows(hand, answer) ?? this.#ifNothingMoved(answer, opening, anchor)) : null,
    };
  }

  /** That the money stayed may be right of what was carried out before, and only of that. */
  #ifNothingMoved(answer: Answer, before: Read | undefined, after: Read | undefined): string | null {
    const { hand, maybeKnown } = this.#options;
    const [was, is] = [balanceOf(before?.exchange), balanceOf(after?.exchange)];
    if (!maybeKnown || answer !== 'accepted' || !was || !is?.equals(was) || hand.fields.type === 'free') return null;
    const orUnknown = hand.call === 'refund' ? ', or the operator does not know the bet, or never took it' : '';
    return `The ${hand.call} was accepted and moved nothing: right only if it was carried out before${orUnknown}.`;
  }

  /** What may have been carried out before moves its amount now, or nothing. */
  #onceOrNever(step: CallStep, { id }: Exchange, before: Exchange, after: Exchange): void {
    const { amount, type } = this.#options.hand.fields;
    const plain = PLAIN_EFFECTS[step.call];
    const sum = amount === undefined ? undefined : Money.read(amount);
    const moved = balanceOf(before) && balanceOf(after)?.minus(balanceOf(before) ?? Money.zero);
    // What free rounds move, the contract leaves open.
    if (!plain || !sum || !moved || type === 'free' || moved.isZero()) return;
    const effect = step.call === 'bet' ? sum.negated() : sum;
    if (moved.equals(effect)) return;
    this.#findings.push({
      rule: plain.rule,
      verdict: 'fail',
      endpoint: null,
      step: step.key,
      place: null,
      exchange: id,
      expected: `${plain.expected}, ${sum.format(2)}, or moves nothing where it was carried out before`,
      actual: `the balance moved by ${moved.format(2)}`,
      causes: [],
    });
  }

  /** The last read, and what the judge asks for when it does not fit. */
  async #closing(
    judge: Judge,
    wallet: Wallet,
  ): Promise<{ readonly after: Money | undefined; readonly disturbed: boolean }> {
    let read = await this.#read();
    let reaction = this.#observe(judge, read.step, read.exchange);
    if (reaction.result.kind === 'behind' || reaction.result.kind === 'wait') {
      await sleep(this.#options.lingerMs);
      read = await this.#read();
      reaction = this.#observe(judge, read.step, read.exchange);
    }
    let disturbed = false;
    if (reaction.result.kind === 'probe') {
      const values = [await this.#read(), await this.#read()].map(({ exchange }) => balanceOf(exchange));
      disturbed = judge.reads.probed(values) === 'somebody-else';
    }
    return { after: balanceOf(read.exchange) ?? wallet.certain(), disturbed };
  }

  #observe(judge: Judge, step: CallStep, exchange: Exchange): Reaction {
    const amount = step.origin.kind === 'fresh' ? this.#options.hand.fields.amount : undefined;
    return judge.observe({
      step,
      exchange,
      amount: amount !== undefined && step.call !== 'balance' ? Money.read(amount) : undefined,
      stated: { moves: undefined, body: [] },
      lingered: true,
    });
  }

  #judge(plan: Plan, wallet: Wallet | null): Judge {
    const { client, session, strict, deadlineMs, campaignKnown } = this.#options;
    return new Judge(new Story(plan), {
      strict,
      contract: client.contract,
      demanding: false,
      deadlineMs,
      campaignKnown,
      walletOf: () => (this.#reckons ? wallet : null),
      wallets: wallet ? [wallet] : [],
      currencyOf: () => (session.currency === undefined ? undefined : currencyByCode(session.currency)),
      proven: () => false,
      isLasting: () => true,
      seenBefore: () => false,
      lateness: new Lateness(),
      rightUnit: new RightUnit(),
      report: (finding) => this.#findings.push(finding),
    });
  }

  #wallet(anchor: Read | undefined): Wallet {
    const written = anchor && readingOf(anchor.exchange)?.balance.written;
    return new Wallet('main', denominationOf(this.#options.session.currency, {}, written ?? '').unit);
  }

  async #read(): Promise<Read> {
    const { client, session } = this.#options;
    this.#reads += 1;
    const step = readByHand(`read.${this.#reads}`);
    const request = buildRequest({ call: 'balance', ...addressOf(client), fields: { sessionID: session.sessionID } });
    return { step, exchange: await this.#send('balance', request, 'read', step.key) };
  }

  #call(key: string): Promise<Exchange> {
    const { hand, request } = this.#options;
    return this.#send(hand.call, request, 'step', key);
  }

  #send(call: CallName, request: BuiltRequest, purpose: 'read' | 'step', step: string): Promise<Exchange> {
    return this.#sender.send({ call, request, scenario: null, step, purpose });
  }
}

function readingOf({ outcome }: Exchange): ReplyReading | undefined {
  return outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
}

function balanceOf(exchange: Exchange | undefined): Money | undefined {
  return exchange && readingOf(exchange)?.balance.money;
}
