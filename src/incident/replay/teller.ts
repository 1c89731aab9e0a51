import { AMOUNT_PATTERN } from '../../contract/calls.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { bodyText } from '../../journal/exchange.ts';
import type { SignKind } from '../../scenario/plan.ts';
import { literalText } from '../../scenario/write.ts';
import type { SeenCall } from '../seen-call.ts';
import type { ToldCall } from '../story/told-call.ts';
import { pauseText } from './pause-text.ts';
import type { Signing } from './signing.ts';

/** A connection that was broken this soon was broken at once. */
const AT_ONCE_MS = 20;
/** Calls leave no closer to each other than this, whatever the clock says. */
const LEAST_OFFSET_MS = 1;
const ORDINALS = ['main', 'second', 'third', 'fourth'] as const;

/** A step as it grows: it gets a name when a later one speaks of it. */
export class Part {
  readonly call: SeenCall['call'];
  readonly seen: SeenCall;
  readonly numbers: number[];
  readonly #verb: string;
  readonly #value: string | Record<string, JsonValue>;
  readonly #rest: Record<string, JsonValue> = {};
  #name: string | undefined;

  constructor(verb: string, value: string | Record<string, JsonValue>, { seen, number }: ToldCall) {
    this.#verb = verb;
    this.#value = value;
    this.call = seen.call;
    this.seen = seen;
    this.numbers = [number];
  }

  get named(): string | undefined {
    return this.#name;
  }

  name(name: string): void {
    this.#name = name;
  }

  say(key: string, value: JsonValue): void {
    this.#rest[key] = value;
  }

  json(): JsonObject {
    const value = typeof this.#value === 'string' || Object.keys(this.#value).length > 0 ? this.#value : null;
    const copies = this.numbers.length > 1 ? { copies: this.numbers.length } : {};
    const { expect, ...rest } = this.#rest;
    const named = this.#name === undefined ? {} : { as: this.#name };
    return { [this.#verb]: value, ...named, ...copies, ...rest, ...(expect !== undefined && { expect }) };
  }
}

/** Makes steps of calls: knows which ids were met before, and in which step. */
export class Teller {
  /** By session. */
  readonly aliases = new Map<string, string>();
  readonly #wrong: ReadonlySet<number>;
  readonly #transactions = new Map<string, Part>();
  readonly #rounds = new Map<string, Part>();
  readonly #over = new Set<string>();
  /** Refunds of bets that have not been sent yet, by the bet's `txID`. */
  readonly #early = new Map<string, { readonly seen: SeenCall; readonly fields: Record<string, JsonValue> }[]>();
  readonly #counts = new Map<string, number>();

  readonly #signing: Signing;
  /** How the call was signed whose bytes a step makes. */
  readonly #signed = new Map<Part, SignKind>();

  /** @param wrong calls, by number, that should have been answered otherwise: the contract says how */
  constructor(wrong: ReadonlySet<number>, signing: Signing) {
    this.#wrong = wrong;
    this.#signing = signing;
  }

  /** The step of a call that leaves alone. */
  tell(call: ToldCall): Part {
    return this.#part(call);
  }

  /**
   * The steps of calls that were under way together; the same bytes at the same moment are one step with copies.
   *
   * @param offsets when each leaves, in ms after the first
   */
  tellAtOnce(group: readonly ToldCall[], offsets: readonly number[]): readonly Part[] {
    const parts: { readonly part: Part; readonly at: string | undefined }[] = [];
    for (const [index, call] of group.entries()) {
      const offset = offsets[index] ?? 0;
      const at = offset < LEAST_OFFSET_MS ? undefined : pauseText(offset);
      const twins = parts.filter(({ part }) => call.seen.txID !== null && isSame(part.seen, call.seen));
      const twin = twins.find((one) => one.at === at)?.part;
      if (twin && this.#kindOf(call) === this.#signed.get(twin)) {
        twin.numbers.push(call.number);
        twin.say('expect', 'either');
        continue;
      }
      const part = this.#part(call);
      if (at !== undefined) part.say('at', at);
      if (twins.length > 0 || group.some(({ seen }) => seen.call === 'refund')) part.say('expect', 'either');
      parts.push({ part, at });
    }
    return parts.map(({ part }) => part);
  }

  #part(told: ToldCall): Part {
    const { seen } = told;
    const first = seen.txID === null ? undefined : this.#transactions.get(seen.txID);
    const isAgain = first !== undefined && isSame(first.seen, seen);
    const part = isAgain ? new Part('resend', this.#nameOf(first), told) : this.#call(told);
    this.#break(part, told);
    const isOver = seen.call !== 'balance' && seen.txID !== null && this.#over.has(seen.txID);
    if ((isLeftOpen(told) && !this.#wrong.has(told.number)) || isOver) part.say('expect', 'either');
    this.#sign(part, told, isAgain ? first : undefined);
    if (seen.txID !== null && !first) this.#transactions.set(seen.txID, part);
    if (seen.call === 'bet' && !first) this.#claim(part);
    if (seen.roundID !== null && !this.#rounds.has(seen.roundID)) this.#rounds.set(seen.roundID, part);
    if (seen.call === 'refund' && seen.origTxID !== null) this.#over.add(seen.origTxID);
    return part;
  }

  /** Refunds that came before their bet name it all the same: a step may be named before it is made. */
  #claim(bet: Part): void {
    const { txID, amount, roundID } = bet.seen;
    for (const { seen, fields } of (txID === null ? undefined : this.#early.get(txID)) ?? []) {
      fields.of = this.#nameOf(bet);
      if (seen.amount === amount) delete fields.amount;
      if (seen.roundID === roundID) delete fields.round;
    }
    if (txID !== null) this.#early.delete(txID);
  }

  /** A connection is broken where it was; where only that it broke is known, as long after the call as it did. */
  #break(part: Part, { seen }: ToldCall): void {
    const { answer, tookMs, oddly } = seen.exchange;
    if (answer.kind !== 'none' || (answer.reason !== 'broken' && answer.reason !== 'aborted')) return;
    const isAtOnce = tookMs === null || tookMs < AT_ONCE_MS;
    part.say('break', oddly?.brokenAt ?? (isAtOnce ? 'sent' : pauseText(tookMs)));
  }

  /** Signed wrongly as it was; what is sent again keeps its signature, unless it was another one. */
  #sign(part: Part, told: ToldCall, first: Part | undefined): void {
    const kind = this.#kindOf(told);
    this.#signed.set(part, kind);
    if (kind !== ((first && this.#signed.get(first)) ?? 'valid')) part.say('sign', kind);
    if (kind === 'upper-case') part.say('expect', 'either');
    else if (kind !== 'valid') part.say('expect', 'refused');
  }

  /** What nobody can tell is signed right. */
  #kindOf({ number }: ToldCall): SignKind {
    return this.#signing.get(number) ?? 'valid';
  }

  #call(told: ToldCall): Part {
    const { seen } = told;
    if (seen.call === 'balance') return new Part('balance', this.#session(seen), told);
    const fields: Record<string, JsonValue> = {};
    const set: Record<string, JsonValue> = {};
    const drop: string[] = [];
    let isOpen = false;
    if (seen.call === 'refund') isOpen = this.#target(seen, fields);
    else {
      if (seen.call === 'bet' && seen.txID !== null && this.#early.has(seen.txID))
        this.#rounds.delete(seen.roundID ?? '');
      this.#round(seen, fields, drop);
    }
    const bare = bareAmount(seen);
    if (bare !== undefined && Number.isInteger(bare)) set.amount = bare;
    else if (seen.amount === null) {
      if (seen.whole) drop.push('amount');
    } else if (!AMOUNT_PATTERN.test(seen.amount)) {
      // It is no amount either way, and must not be taken for an expression.
      set.amount = literalText(seen.amount);
    } else if (!this.#isAmountOfTarget(seen)) fields.amount = seen.amount;
    if (seen.type === 'free') fields.type = 'free';
    const first = seen.txID === null ? undefined : this.#transactions.get(seen.txID);
    if (first) fields.txID = `\${${this.#nameOf(first)}.txID}`;
    Object.assign(fields, this.#session(seen));
    const part = new Part(seen.call, fields, told);
    const isRaw = bare !== undefined && !Number.isInteger(bare) && seen.call !== 'refund';
    if (isRaw) part.say('body', this.#raw(seen, bare));
    const body = { ...(Object.keys(set).length > 0 && { set }), ...(drop.length > 0 && { drop }) };
    const isEdited = Object.keys(body).length > 0;
    if (isEdited && !isRaw) part.say('body', body);
    // What a call of another kind with a txID that was used does, or a second refund, the contract leaves open.
    if (first || isOpen || isEdited || isRaw) part.say('expect', 'either');
    return part;
  }

  /** @returns true where the bet was given back before */
  #target(seen: SeenCall, fields: Record<string, JsonValue>): boolean {
    const bet = seen.origTxID === null ? undefined : this.#transactions.get(seen.origTxID);
    if (bet?.call === 'bet' || bet?.call === 'win') fields.of = this.#nameOf(bet);
    else if (bet) fields.origTxID = `\${${this.#nameOf(bet)}.txID}`;
    else {
      fields.of = 'unknown';
      if (seen.origTxID !== null)
        this.#early.set(seen.origTxID, [...(this.#early.get(seen.origTxID) ?? []), { seen, fields }]);
    }
    if (seen.roundID === null) {
      if (seen.whole) fields.round = 'none';
    } else if (bet?.seen.roundID !== seen.roundID) {
      const round = this.#rounds.get(seen.roundID);
      if (round) fields.round = this.#nameOf(round);
      else if (bet) fields.round = 'new';
    }
    return seen.origTxID !== null && this.#over.has(seen.origTxID);
  }

  /** A scenario writes no fractions but as text, so that a body which had one is written out. */
  #raw(seen: SeenCall, amount: number): string {
    const alias = seen.sessionID === null ? 'main' : (this.aliases.get(seen.sessionID) ?? 'main');
    const session = alias === 'main' ? 'session' : `session.${alias}`;
    const type = seen.type === 'free' ? 'free' : 'regular';
    return `{"amount":${amount},"roundID":"\${self.roundID}","sessionID":"\${${session}}","txID":"\${self.txID}","type":"${type}"}`;
  }

  #isAmountOfTarget({ call, origTxID, amount }: SeenCall): boolean {
    const bet = call === 'refund' && origTxID !== null ? this.#transactions.get(origTxID) : undefined;
    return bet?.call === 'bet' && bet.seen.amount === amount;
  }

  #round({ call, roundID, whole }: SeenCall, fields: Record<string, JsonValue>, drop: string[]): void {
    const first = roundID === null ? undefined : this.#rounds.get(roundID);
    if (first) fields.round = this.#nameOf(first);
    else if (roundID === null && whole) drop.push('roundID');
    else if (call === 'win') fields.round = 'new';
  }

  #session({ sessionID }: SeenCall): { readonly session?: string } {
    if (sessionID === null) return {};
    const known = this.aliases.get(sessionID);
    const alias = known ?? ORDINALS[this.aliases.size] ?? `session${this.aliases.size + 1}`;
    this.aliases.set(sessionID, alias);
    return alias === 'main' ? {} : { session: alias };
  }

  #nameOf(part: Part): string {
    if (part.named !== undefined) return part.named;
    const count = (this.#counts.get(part.call) ?? 0) + 1;
    this.#counts.set(part.call, count);
    const name = `${part.call}${count}`;
    part.name(name);
    return name;
  }
}

/** What was declined may have been declined rightly, and what nobody wrote down may have been. */
function isLeftOpen({ ending }: ToldCall): boolean {
  switch (ending) {
    case 'declined':
    case 'refused':
    case 'unknown':
      return true;
    case 'accepted':
    case 'error-200':
    case 'failed':
    case 'late':
    case 'lost':
    case 'not-sent':
      return false;
  }
}

/** An amount that was sent as a number of JSON, where text belongs. */
function bareAmount({ exchange }: SeenCall): number | undefined {
  const { body } = exchange.request;
  if (body === null || body === 'untold') return undefined;
  try {
    const { amount } = JSON.parse(bodyText(body)) as { readonly amount?: unknown };
    return typeof amount === 'number' && Number.isFinite(amount) ? amount : undefined;
  } catch {
    return undefined;
  }
}

function isSame(a: SeenCall, b: SeenCall): boolean {
  const fields = ['call', 'txID', 'sessionID', 'amount', 'roundID', 'origTxID', 'type', 'frID'] as const;
  return fields.every((field) => a[field] === b[field]);
}
