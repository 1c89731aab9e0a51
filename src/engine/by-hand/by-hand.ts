import { setTimeout as sleep } from 'node:timers/promises';
import type { CallName } from '../../contract/call-name.ts';
import { currencyWith } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';
import type { JournalEvent, Received, Sending, Tally } from '../../journal/event.ts';
import type { Exchange } from '../../journal/exchange.ts';
import type { Finding } from '../../journal/finding.ts';
import { isEndedSession, isUnknownSession } from '../../journal/network/unknown-session.ts';
import { PLAIN_EFFECTS } from '../../judge/attribution/candidates.ts';
import { RightUnit } from '../../judge/attribution/units.ts';
import { Judge, type Reaction } from '../../judge/judge.ts';
import { PlannedCalls } from '../../judge/planned-calls.ts';
import { BalancesOfOthers } from '../../judge/reads/balances-of-others.ts';
import { GivenTxIDs } from '../../judge/reads/given-tx-ids.ts';
import { StaleReadHistory } from '../../judge/reads/stale-reads.ts';
import { Wallet } from '../../judge/wallet/wallet.ts';
import { type Answer, answerOf, mayHaveArrived } from '../../reply/classify.ts';
import { type ReplyReading, readReply } from '../../reply/read.ts';
import type { CallStep, Plan } from '../../scenario/plan/plan.ts';
import { type BuiltRequest, buildRequest } from '../../wire/request.ts';
import { type CallToSend, Sender } from '../calls/sender.ts';
import { addressOf, type ClientUnderTest, type SessionUnderTest } from '../run-options.ts';
import { denominationOf } from '../stakes.ts';
import { type ManualCall, nextAction, planByHand, readByHand } from './plan.ts';

export interface ByHandOptions {
  readonly client: ClientUnderTest;
  readonly session: SessionUnderTest;
  readonly call: ManualCall;
  /** The request of the call, with its exact bytes. */
  readonly request: BuiltRequest;
  /** True if the balance is read before and after the call, so that the effect of the call can be judged. */
  readonly reads: boolean;
  /** The configured numbers of decimals, by currency. */
  readonly decimals: Readonly<Record<string, number>>;
  /** True if the user chose the ids of the call, so that the operator may already have carried out the same call. */
  readonly maybeKnown: boolean;
  readonly campaignKnown: boolean;
  readonly strict: boolean;
  readonly deadlineMs: number;
  readonly lingerMs: number;
  readonly now: () => number;
  /** The id of the run if the calls get a `traceparent` header. Absent: no call gets one. */
  readonly tracedRunID?: string | undefined;
  /** Receives every event. A `sending` event must be stored when this function returns. */
  readonly record?: ((event: JournalEvent) => void) | undefined;
}

/** One exchange of a call that the user sent with `croupier call`, as journal events. */
export interface ManualExchange {
  readonly sending: Sending;
  readonly received: Received;
}

/** The result of a call that the user sent with `croupier call`. */
export interface ManualResult {
  readonly exchanges: readonly ManualExchange[];
  readonly findings: readonly Finding[];
  /** Ids of the rules that were tested and passed. */
  readonly passed: readonly string[];
  /** The number of passed tests of each rule, by endpoint. */
  readonly passes: Tally;
  /** The answer to the first call. The answers to repeated calls are not included. */
  readonly answer: Answer;
  /** The balances before and after the call. Undefined if a balance was not read, or if the reply does not contain it. */
  readonly before: Money | undefined;
  readonly after: Money | undefined;
  /** True if somebody else changes the balance at the same time. Then the balance does not show which effect the call had. */
  readonly disturbed: boolean;
  /** Text that says what the real service would do next. Null if it would do nothing in particular. */
  readonly next: string | null;
}

/**
 * Sends one call, once or several times with the same bytes, and judges the replies as far as possible. Sends no other calls
 * except reads of the balance.
 */
export async function playByHand(options: ByHandOptions): Promise<ManualResult> {
  const { client, deadlineMs, now, tracedRunID } = options;
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
    tracedRunID,
  });
  try {
    const played = await new ByHand(options, sender).play();
    return { ...played, exchanges: exchangesOf(events) };
  } finally {
    await sender.close();
  }
}

function exchangesOf(events: readonly JournalEvent[]): readonly ManualExchange[] {
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
  /** The exchanges whose replies say that the session is not open: the operator does not know it, or it has ended. */
  readonly #closed = new Set<string>();
  #reads = 0;
  /**
   * False while croupier judges a call that the operator may have carried out before. If so, the call moves no money, so croupier
   * must not change the expected balance of the wallet.
   */
  #tracksWallet = true;

  constructor(options: ByHandOptions, sender: Sender) {
    this.#options = options;
    this.#sender = sender;
  }

  async play(): Promise<Omit<ManualResult, 'exchanges'>> {
    const { call: manual, reads, maybeKnown } = this.#options;
    const opening = reads ? await this.#read() : undefined;
    const first = await this.#call('1');
    const anchor = reads && maybeKnown ? await this.#read() : opening;
    const others: Exchange[] = [];
    for (let time = 2; time <= manual.times; time += 1) others.push(await this.#call(String(time)));
    const answer = answerOf(first, readingOf(first));
    const plan = planByHand(manual, answer);
    const wallet = reads ? this.#wallet(anchor) : null;
    const judge = this.#judge(plan, wallet);
    const [step, ...again] = plan.steps.filter((each) => each.kind === 'call');
    const observeAnchor = (): void => {
      this.#tracksWallet = true;
      if (anchor) this.#observe(judge, anchor.step, anchor.exchange);
    };
    if (!maybeKnown) observeAnchor();
    this.#tracksWallet = !maybeKnown;
    if (step) this.#observe(judge, step, first);
    if (maybeKnown) {
      observeAnchor();
      if (opening && anchor && step && answer === 'accepted')
        this.#judgeSingleEffect(step, first, opening.exchange, anchor.exchange);
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
      next: mayHaveArrived(first)
        ? (nextAction(manual, answer) ?? this.#ifNothingMoved(answer, opening, anchor))
        : null,
    };
  }

  /**
   * Returns advice for a call that was accepted but did not change the balance. Such a reply is right only if the operator had
   * already carried out the call.
   */
  #ifNothingMoved(answer: Answer, before: Read | undefined, after: Read | undefined): string | null {
    const { call: manual, maybeKnown } = this.#options;
    const [was, is] = [balanceOf(before?.exchange), balanceOf(after?.exchange)];
    if (!maybeKnown || answer !== 'accepted' || !was || !is?.equals(was) || manual.fields.type === 'free') return null;
    const orUnknown =
      manual.call === 'refund' ? ', if the operator does not know the bet, or if the bet took nothing' : '';
    return `The ${manual.call} was accepted but moved no money. This is right only if the ${manual.call} was carried out before${orUnknown}.`;
  }

  /**
   * Judges the effect of a call that the operator may have carried out before. The call must move exactly its amount, or nothing.
   */
  #judgeSingleEffect(step: CallStep, { id }: Exchange, before: Exchange, after: Exchange): void {
    const { amount, fields } = this.#options.call;
    const plain = PLAIN_EFFECTS[step.call];
    const moved = balanceOf(before) && balanceOf(after)?.minus(balanceOf(before) ?? Money.zero);
    // The contract does not define how much money a call of a free round moves. So such a call is not judged here.
    if (!plain || !amount || !moved || fields.type === 'free' || moved.isZero()) return;
    const effect = step.call === 'bet' ? amount.negated() : amount;
    if (moved.equals(effect)) return;
    this.#findings.push({
      rule: plain.rule,
      verdict: 'fail',
      endpoint: null,
      step: step.key,
      place: null,
      exchange: id,
      expected: `${plain.expected} (${amount.format(2)}), or does not change the balance if the call was carried out before`,
      actual: `the balance moved by ${moved.format(2)}`,
      causes: [],
    });
  }

  /** Reads the balance after the calls. If the judge does not expect this balance, waits or reads again, as the judge decides. */
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

  /**
   * If the session is not open, the user may have mistyped its id. Then neither a balance that could not be read nor a status 401
   * decides anything.
   */
  #withoutClosedSession(finding: Finding): Finding {
    const isOfSession = finding.rule === 'balance.read' || finding.rule === 'signature.accepted';
    const isOpen = isOfSession && finding.exchange !== null && this.#closed.has(finding.exchange);
    return isOpen ? { ...finding, verdict: 'inconclusive' } : finding;
  }

  #observe(judge: Judge, step: CallStep, exchange: Exchange): Reaction {
    return judge.observe({
      step,
      exchange,
      amount: step.origin.kind === 'fresh' && step.call !== 'balance' ? this.#options.call.amount : undefined,
      stated: { moves: undefined, body: [] },
      lingered: true,
    });
  }

  #judge(plan: Plan, wallet: Wallet | null): Judge {
    const { client, session, strict, deadlineMs, campaignKnown, decimals } = this.#options;
    return new Judge(new PlannedCalls(plan), {
      strict,
      contract: client.contract,
      demanding: false,
      deadlineMs,
      campaignKnown,
      walletOf: () => (this.#tracksWallet ? wallet : null),
      wallets: wallet ? [wallet] : [],
      currencyOf: () => (session.currency === undefined ? undefined : currencyWith(session.currency, decimals)),
      proven: () => false,
      isLasting: () => true,
      failsAtRandom: () => false,
      seenBefore: () => false,
      staleReads: new StaleReadHistory(),
      rightUnit: new RightUnit(),
      balancesOfOthers: new BalancesOfOthers(),
      givenTxIDs: new GivenTxIDs(),
      report: (finding) => this.#findings.push(this.#withoutClosedSession(finding)),
    });
  }

  #wallet(anchor: Read | undefined): Wallet {
    const shown = (anchor && readingOf(anchor.exchange))?.balance.decimals ?? 0;
    const { session, decimals, client } = this.#options;
    const { unit } = denominationOf(session.currency, { stakes: {}, decimals, client }, shown);
    return new Wallet('main', unit, session.currency ?? null);
  }

  async #read(): Promise<Read> {
    const { client, session } = this.#options;
    this.#reads += 1;
    const step = readByHand(`read.${this.#reads}`);
    const request = buildRequest({ call: 'balance', ...addressOf(client), fields: { sessionID: session.sessionID } });
    return { step, exchange: await this.#send('balance', request, { purpose: 'read', step: step.key }) };
  }

  #call(key: string): Promise<Exchange> {
    const { call: manual, request } = this.#options;
    const { amount, fields } = manual;
    return this.#send(manual.call, request, { purpose: 'step', step: key, amount: amount && fields.amount });
  }

  async #send(
    call: CallName,
    request: BuiltRequest,
    how: Pick<CallToSend, 'purpose' | 'step' | 'amount'>,
  ): Promise<Exchange> {
    const exchange = await this.#sender.send({ call, request, scenario: null, ...how });
    if (isUnknownSession(exchange.outcome) || isEndedSession(call, exchange.outcome)) this.#closed.add(exchange.id);
    return exchange;
  }
}

function readingOf({ outcome }: Exchange): ReplyReading | undefined {
  return outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
}

function balanceOf(exchange: Exchange | undefined): Money | undefined {
  return exchange && readingOf(exchange)?.balance.money;
}
