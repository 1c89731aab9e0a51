import type { RefundTarget, Template } from './plan.ts';
import type { EarlierCall, StoryCall, StoryResend } from './scenario.ts';

type Sent = StoryCall | StoryResend;

interface Ids {
  readonly txID: string;
  readonly roundID: string;
  readonly unknown: string;
}

/** The ids of a story's calls, each made when it is first asked for, and which call belongs to which. */
export class CallIds {
  readonly #sent: readonly Sent[];
  readonly #named: ReadonlyMap<string, Sent>;
  readonly #uuid: () => string;
  readonly #made = new Map<StoryCall, Ids>();
  readonly #instances = new Map<Sent, CallIds[]>();
  /** The step whose ids are this book's own, and the book that knows the others. */
  readonly #own: { readonly step: StoryCall; readonly others: CallIds } | undefined;

  constructor(sent: readonly Sent[], uuid: () => string, own?: { readonly step: StoryCall; readonly others: CallIds }) {
    this.#sent = sent;
    this.#named = new Map(sent.flatMap((step) => (step.name ? [[step.name.text, step] as const] : [])));
    this.#uuid = uuid;
    this.#own = own;
  }

  /** The ids of one more instance of a repeated step; kept nowhere. */
  fresh(step: Sent): CallIds {
    return step.kind === 'call' ? new CallIds(this.#sent, this.#uuid, { step, others: this }) : this;
  }

  /** The ids of the index-th of several calls at once; the last one's are those that later steps refer to. */
  instance(step: Sent, index: number): CallIds {
    if (step.kind !== 'call' || index === (step.times ?? 1) - 1) return this;
    const instances = this.#instances.get(step) ?? [];
    this.#instances.set(step, instances);
    const found = instances[index] ?? this.fresh(step);
    instances[index] = found;
    return found;
  }

  #idsOf(step: StoryCall): Ids {
    if (this.#own && this.#own.step !== step) return this.#own.others.#idsOf(step);
    const found = this.#made.get(step) ?? { txID: this.#uuid(), roundID: this.#uuid(), unknown: this.#uuid() };
    this.#made.set(step, found);
    return found;
  }

  txID(step: StoryCall): Template {
    return this.#txID(step, new Set());
  }

  #txID(step: StoryCall, seen: Set<StoryCall>): Template {
    const given = step.fields.txID;
    if (!given) return { kind: 'literal', value: this.#idsOf(step).txID };
    return this.#known(given, seen.add(step));
  }

  /** `${first.txID}` and `${first.roundID}` are known when the scenario is planned. */
  #known(template: Template, seen: Set<StoryCall>): Template {
    if (template.kind !== 'expression' || template.expression.kind !== 'name') return template;
    const [head, property, ...rest] = template.expression.path;
    const step = this.#callNamed(head);
    if (!step || rest.length > 0 || seen.has(step)) return template;
    if (property === 'txID') return this.#txID(step, seen);
    if (property === 'roundID') return this.#roundID(step, seen) ?? template;
    return template;
  }

  /** @returns undefined when the call carries none */
  roundID(step: StoryCall): Template | undefined {
    return this.#roundID(step, new Set());
  }

  #roundID(step: StoryCall, seen: Set<StoryCall>): Template | undefined {
    const own: Template = { kind: 'literal', value: this.#idsOf(step).roundID };
    if (seen.has(step)) return own;
    seen.add(step);
    const { round } = step.fields;
    switch (round?.kind) {
      case 'none':
        return undefined;
      case 'new':
        return own;
      case 'given':
        return this.#known(round.id, seen);
      case 'of-step': {
        const other = this.#callNamed(round.name.text);
        return other ? this.#roundID(other, seen) : own;
      }
      case undefined: {
        const bet =
          step.call === 'win' ? this.#latestBet(step) : step.call === 'refund' ? this.targetOf(step) : undefined;
        return bet ? (this.#roundID(bet, seen) ?? own) : own;
      }
    }
  }

  origTxID(step: StoryCall): Template {
    if (step.fields.of?.kind === 'unknown') return { kind: 'literal', value: this.#idsOf(step).unknown };
    const target = this.targetOf(step);
    if (target) return this.txID(target);
    return step.fields.origTxID
      ? this.#known(step.fields.origTxID, new Set())
      : { kind: 'literal', value: this.#idsOf(step).unknown };
  }

  refundTarget(step: StoryCall): RefundTarget {
    if (step.fields.of?.kind === 'unknown') return { kind: 'unknown' };
    const target = this.targetOf(step);
    return target ? { kind: 'step', of: this.keyOf(target) } : { kind: 'id' };
  }

  /** The call that a refund gives back. */
  targetOf(step: StoryCall): StoryCall | undefined {
    if (step.call !== 'refund') return undefined;
    const { of, origTxID } = step.fields;
    if (of) return of.kind === 'step' ? this.#callNamed(of.name.text) : undefined;
    if (!origTxID) return this.#latestBet(step);
    if (origTxID.kind !== 'expression' || origTxID.expression.kind !== 'name') return undefined;
    const { path } = origTxID.expression;
    return path.length === 2 && path[1] === 'txID' ? this.#callNamed(path[0]) : undefined;
  }

  /** The bet whose round a win shares. */
  betOfRound(step: StoryCall): StoryCall | undefined {
    const { round } = step.fields;
    if (!round) return this.#latestBet(step);
    if (round.kind === 'new' || round.kind === 'none') return undefined;
    if (round.kind === 'of-step') {
      const named = this.#callNamed(round.name.text);
      if (named?.call === 'bet') return named;
    }
    const id = JSON.stringify(this.roundID(step));
    const bets = this.#sent.filter(
      (each): each is StoryCall => each.kind === 'call' && each.call === 'bet' && !isSerial(each),
    );
    return bets.find((bet) => JSON.stringify(this.roundID(bet)) === id);
  }

  /** The key of the planned step by which a call is known to others: the first copy's, the last one's of several. */
  keyOf(step: StoryCall): string {
    if (step.copies !== undefined) return `${step.key}x1`;
    return step.times === undefined ? step.key : `${step.key}x${step.times}`;
  }

  /** What a resend sends again, through other resends; a call of an earlier time has no step. */
  original(step: StoryResend): StoryCall | EarlierCall | undefined {
    let at: Sent | undefined = step;
    for (let hops = 0; at && hops <= this.#sent.length; hops += 1) {
      if (at.kind === 'call') return at;
      if ('from' in at.of) return at.of;
      at = this.#named.get(at.of.text);
    }
    return undefined;
  }

  #callNamed(name: string): StoryCall | undefined {
    const found = this.#named.get(name);
    const call = found?.kind === 'resend' ? this.original(found) : found;
    return call && 'key' in call ? call : undefined;
  }

  /** The latest bet before a step in the same session. One of a long series (`times`) has no ids that others could know. */
  #latestBet(step: StoryCall): StoryCall | undefined {
    const earlier = this.#sent.filter(
      (each): each is StoryCall => each.kind === 'call' && each.call === 'bet' && each.order < step.order,
    );
    return earlier.findLast((bet) => bet.session.text === step.session.text && !isSerial(bet));
  }
}

function isSerial(step: StoryCall): boolean {
  return step.times !== undefined && step.within === undefined;
}
