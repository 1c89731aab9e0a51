import { AMOUNT_PATTERN } from '../../contract/calls.ts';
import type { SignKind } from '../../contract/deviation.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { DAY_MS } from '../../contract/limits.ts';
import { literalText } from '../../scenario/write.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { RecordedCall } from '../recorded-call.ts';
import type { Signing } from './signing.ts';

/**
 * Maximum time in ms after sending. A connection that broke within this time counts as broken immediately after
 * sending.
 */
const AT_ONCE_MS = 20;
/** Smallest offset in ms between parallel calls that is kept. */
const MIN_OFFSET_MS = 1;
const ORDINALS = ['main', 'second', 'third', 'fourth'] as const;

/** A step of the scenario that is being built. It gets a name when another step refers to it. */
export class StepDraft {
  readonly call: RecordedCall['call'];
  readonly seen: RecordedCall;
  readonly numbers: number[];
  readonly #verb: string;
  readonly #value: string | Record<string, JsonValue>;
  readonly #rest: Record<string, JsonValue> = {};
  #name: string | undefined;

  constructor(verb: string, value: string | Record<string, JsonValue>, { seen, number }: LoggedCall) {
    this.#verb = verb;
    this.#value = value;
    this.call = seen.call;
    this.seen = seen;
    this.numbers = [number];
  }

  get stepName(): string | undefined {
    return this.#name;
  }

  name(name: string): void {
    this.#name = name;
  }

  set(key: string, value: JsonValue): void {
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

/** Makes steps from calls. It remembers which step first used each id. */
export class StepBuilder {
  /** The alias of each session. */
  readonly aliases = new Map<string, string>();
  readonly #wrong: ReadonlySet<number>;
  readonly #transactions = new Map<string, StepDraft>();
  readonly #rounds = new Map<string, StepDraft>();
  readonly #refunded = new Set<string>();
  /** Refunds whose bet has not been sent yet, by the `txID` of the bet. */
  readonly #refundsBeforeBet = new Map<
    string,
    { readonly seen: RecordedCall; readonly fields: Record<string, JsonValue> }[]
  >();
  readonly #counts = new Map<string, number>();

  readonly #signing: Signing;
  /** The kind of signature of each step's call. */
  readonly #signed = new Map<StepDraft, SignKind>();

  /**
   * Creates the builder.
   *
   * @param wrong numbers of the calls with a wrong reply; their steps expect the reply that the contract requires
   */
  constructor(wrong: ReadonlySet<number>, signing: Signing) {
    this.#wrong = wrong;
    this.#signing = signing;
  }

  /** Makes the step for a call that is sent alone. */
  step(call: LoggedCall): StepDraft {
    return this.#part(call);
  }

  /**
   * Returns the steps for calls that were in flight at the same time. Calls with the same request at the same time
   * become one step that sends several copies.
   *
   * @param offsets when each call is sent, in ms after the first
   */
  stepsAtOnce(group: readonly LoggedCall[], offsets: readonly number[]): readonly StepDraft[] {
    const parts: { readonly part: StepDraft; readonly at: string | undefined }[] = [];
    for (const [index, call] of group.entries()) {
      const offset = offsets[index] ?? 0;
      const at = offset < MIN_OFFSET_MS ? undefined : pauseText(offset);
      const copies = parts.filter(({ part }) => call.seen.txID !== null && isSame(part.seen, call.seen));
      const original = copies.find((one) => one.at === at)?.part;
      if (original && this.#kindOf(call) === this.#signed.get(original)) {
        original.numbers.push(call.number);
        original.set('expect', 'either');
        continue;
      }
      const part = this.#part(call);
      if (at !== undefined) part.set('at', at);
      if (copies.length > 0 || group.some(({ seen }) => seen.call === 'refund')) part.set('expect', 'either');
      parts.push({ part, at });
    }
    return parts.map(({ part }) => part);
  }

  #part(logged: LoggedCall): StepDraft {
    const { seen } = logged;
    const first = seen.txID === null ? undefined : this.#transactions.get(seen.txID);
    const isAgain = first !== undefined && isSame(first.seen, seen);
    const part = isAgain ? new StepDraft('resend', this.#nameOf(first), logged) : this.#call(logged);
    this.#break(part, logged);
    const isRefunded = seen.call !== 'balance' && seen.txID !== null && this.#refunded.has(seen.txID);
    if ((mayBeDeclined(logged) && !this.#wrong.has(logged.number)) || isRefunded) part.set('expect', 'either');
    this.#sign(part, logged, isAgain ? first : undefined);
    if (seen.txID !== null && !first) this.#transactions.set(seen.txID, part);
    if (seen.call === 'bet' && !first) this.#resolveEarlyRefunds(part);
    if (seen.roundID !== null && !this.#rounds.has(seen.roundID)) this.#rounds.set(seen.roundID, part);
    if (seen.call === 'refund' && seen.origTxID !== null) this.#refunded.add(seen.origTxID);
    return part;
  }

  /** Makes refunds that came before their bet refer to the step of the bet. A step may refer to a later step. */
  #resolveEarlyRefunds(bet: StepDraft): void {
    const { txID, amount, roundID } = bet.seen;
    for (const { seen, fields } of (txID === null ? undefined : this.#refundsBeforeBet.get(txID)) ?? []) {
      fields.of = this.#nameOf(bet);
      if (seen.amount === amount) delete fields.amount;
      if (seen.roundID === roundID) delete fields.round;
    }
    if (txID !== null) this.#refundsBeforeBet.delete(txID);
  }

  /**
   * Breaks the connection at the recorded point of the call. If only the time is known, the connection is broken after
   * the same time.
   */
  #break(part: StepDraft, { seen }: LoggedCall): void {
    const { answer, tookMs, deviation } = seen.exchange;
    if (answer.kind !== 'none' || (answer.reason !== 'broken' && answer.reason !== 'aborted')) return;
    const isAtOnce = tookMs === null || tookMs < AT_ONCE_MS;
    part.set('break', deviation?.brokenAt ?? (isAtOnce ? 'sent' : pauseText(tookMs)));
  }

  /**
   * Signs the call as in the record. A repeated call keeps the signature of its first attempt if both signatures were
   * of the same kind.
   */
  #sign(part: StepDraft, logged: LoggedCall, first: StepDraft | undefined): void {
    const kind = this.#kindOf(logged);
    this.#signed.set(part, kind);
    if (kind !== ((first && this.#signed.get(first)) ?? 'valid')) part.set('sign', kind);
    if (kind === 'upper-case') part.set('expect', 'either');
    else if (kind !== 'valid') part.set('expect', 'refused');
  }

  /** Returns the kind of signature for a step. If it is unknown in the record, the call gets a correct signature. */
  #kindOf({ number }: LoggedCall): SignKind {
    return this.#signing.get(number) ?? 'valid';
  }

  #call(logged: LoggedCall): StepDraft {
    const { seen } = logged;
    if (seen.call === 'balance') return new StepDraft('balance', this.#session(seen), logged);
    const fields: Record<string, JsonValue> = {};
    const set: Record<string, JsonValue> = {};
    const drop: string[] = [];
    let isOpen = false;
    if (seen.call === 'refund') isOpen = this.#target(seen, fields);
    else {
      if (seen.call === 'bet' && seen.txID !== null && this.#refundsBeforeBet.has(seen.txID))
        this.#rounds.delete(seen.roundID ?? '');
      this.#round(seen, fields, drop);
    }
    const bare = seen.isBareAmount ? Number(seen.amount) : undefined;
    if (bare !== undefined && Number.isInteger(bare)) set.amount = bare;
    else if (seen.amount === null) {
      if (seen.whole) drop.push('amount');
    } else if (!AMOUNT_PATTERN.test(seen.amount)) {
      // The recorded amount is not valid. It must not be read as an expression of the scenario language.
      set.amount = literalText(seen.amount);
    } else if (!this.#isAmountOfTarget(seen)) fields.amount = seen.amount;
    if (seen.type === 'free') fields.type = 'free';
    const first = seen.txID === null ? undefined : this.#transactions.get(seen.txID);
    if (first) fields.txID = `\${${this.#nameOf(first)}.txID}`;
    Object.assign(fields, this.#session(seen));
    const part = new StepDraft(seen.call, fields, logged);
    const isRaw = bare !== undefined && !Number.isInteger(bare) && seen.call !== 'refund';
    if (isRaw) part.set('body', this.#raw(seen, bare));
    const body = { ...(Object.keys(set).length > 0 && { set }), ...(drop.length > 0 && { drop }) };
    const isEdited = Object.keys(body).length > 0;
    if (isEdited && !isRaw) part.set('body', body);
    // The contract does not define the reply to a second refund, or to a `txID` that another kind of call has already
    // used.
    if (first || isOpen || isEdited || isRaw) part.set('expect', 'either');
    return part;
  }

  /** Refers to the bet of a refund. Returns true if the bet was already refunded. */
  #target(seen: RecordedCall, fields: Record<string, JsonValue>): boolean {
    const bet = seen.origTxID === null ? undefined : this.#transactions.get(seen.origTxID);
    if (bet?.call === 'bet' || bet?.call === 'win') fields.of = this.#nameOf(bet);
    else if (bet) fields.origTxID = `\${${this.#nameOf(bet)}.txID}`;
    else {
      fields.of = 'unknown';
      if (seen.origTxID !== null)
        this.#refundsBeforeBet.set(seen.origTxID, [
          ...(this.#refundsBeforeBet.get(seen.origTxID) ?? []),
          { seen, fields },
        ]);
    }
    if (seen.roundID === null) {
      if (seen.whole) fields.round = 'none';
    } else if (bet?.seen.roundID !== seen.roundID) {
      const round = this.#rounds.get(seen.roundID);
      if (round) fields.round = this.#nameOf(round);
      else if (bet) fields.round = 'new';
    }
    return seen.origTxID !== null && this.#refunded.has(seen.origTxID);
  }

  /** Writes a whole body in which the amount is a JSON number, because a scenario can write fractions only as text. */
  #raw(seen: RecordedCall, amount: number): string {
    const alias = seen.sessionID === null ? 'main' : (this.aliases.get(seen.sessionID) ?? 'main');
    const session = alias === 'main' ? 'session' : `session.${alias}`;
    const type = seen.type === 'free' ? 'free' : 'regular';
    return `{"amount":${amount},"roundID":"\${self.roundID}","sessionID":"\${${session}}","txID":"\${self.txID}","type":"${type}"}`;
  }

  #isAmountOfTarget({ call, origTxID, amount }: RecordedCall): boolean {
    const bet = call === 'refund' && origTxID !== null ? this.#transactions.get(origTxID) : undefined;
    return bet?.call === 'bet' && bet.seen.amount === amount;
  }

  #round({ call, roundID, whole }: RecordedCall, fields: Record<string, JsonValue>, drop: string[]): void {
    const first = roundID === null ? undefined : this.#rounds.get(roundID);
    if (first) fields.round = this.#nameOf(first);
    else if (roundID === null && whole) drop.push('roundID');
    else if (call === 'win') fields.round = 'new';
  }

  #session({ sessionID }: RecordedCall): { readonly session?: string } {
    if (sessionID === null) return {};
    const known = this.aliases.get(sessionID);
    const alias = known ?? ORDINALS[this.aliases.size] ?? `session${this.aliases.size + 1}`;
    this.aliases.set(sessionID, alias);
    return alias === 'main' ? {} : { session: alias };
  }

  #nameOf(part: StepDraft): string {
    if (part.stepName !== undefined) return part.stepName;
    const count = (this.#counts.get(part.call) ?? 0) + 1;
    this.#counts.set(part.call, count);
    const name = `${part.call}${count}`;
    part.name(name);
    return name;
  }
}

/** True if the operator may have declined the call: it was declined in the record, or its reply was not logged. */
function mayBeDeclined({ ending }: LoggedCall): boolean {
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

function isSame(a: RecordedCall, b: RecordedCall): boolean {
  const fields = ['call', 'txID', 'sessionID', 'amount', 'roundID', 'origTxID', 'type', 'frID'] as const;
  return fields.every((field) => a[field] === b[field]);
}

/** Writes a duration as people write it in a scenario, rounded to two or three digits: `300ms`, `1.2s`, `45s`, `12m`. At most a day. */
export function pauseText(ms: number): string {
  const max = Math.min(ms, DAY_MS);
  if (max < 1000) return `${Math.max(1, Math.round(max < 100 ? max : Math.round(max / 10) * 10))}ms`;
  if (max < 10_000) return `${Math.round(max / 100) / 10}s`;
  if (max < 600_000) return `${Math.round(max / 1000)}s`;
  return `${Math.round(max / 60_000)}m`;
}
