import type { SignKind } from '../../contract/deviation.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { DAY_MS } from '../../contract/limits.ts';
import { AMOUNT_PATTERN, type Money } from '../../contract/money.ts';
import { isServerError } from '../../reply/status.ts';
import { literalText } from '../../scenario/write.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { RecordedCall } from '../recorded-call.ts';
import { changedAfterSigning, requestEdits, signatureSent } from './request-edits.ts';
import type { Signing } from './signing.ts';

/** If a connection broke within this time in ms after sending, it counts as broken immediately after sending. */
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

  /** True for a balance call as the service sends it. */
  get isPlainRead(): boolean {
    return this.call === 'balance' && Object.keys(this.#rest).length === 0;
  }

  /** True if the operator may decline the call, or must. */
  get maybeDeclined(): boolean {
    const { expect } = this.#rest;
    return expect !== undefined && expect !== 'accepted';
  }

  get isTampered(): boolean {
    return this.#rest.tamper !== undefined;
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

export interface StepBuilderOptions {
  /** Numbers of the calls that got a wrong reply in the record. Their steps expect the reply that the contract requires. */
  readonly wrong: ReadonlySet<number>;
  readonly signing: Signing;
  /**
   * For each call whose amount depends on the balance: the amount minus the balance before the call. The key is the number of the
   * call.
   */
  readonly scarce?: ReadonlyMap<number, Money>;
  /** True if the test has the key of a second client. */
  readonly hasOtherClient?: boolean;
  /** Numbers of the calls without a reply in time, whose connection the replay breaks. */
  readonly cutOff?: ReadonlySet<number>;
}

/** Makes steps from calls. Remembers for each id the step that used it first. */
export class StepBuilder {
  /** The alias of each session. */
  readonly aliases = new Map<string, string>();
  /** Numbers of the calls whose amount depends on the balance of the test session. */
  readonly ofBalance = new Set<number>();
  /** True if a call is signed with the key of a second client. */
  needsOtherClient = false;
  readonly #wrong: ReadonlySet<number>;
  readonly #scarce: ReadonlyMap<number, Money>;
  readonly #hasOtherClient: boolean;
  readonly #cutOff: ReadonlySet<number>;
  /** The steps of bets whose amount depends on the balance. */
  readonly #scarceSteps = new Set<StepDraft>();
  readonly #transactions = new Map<string, StepDraft>();
  readonly #rounds = new Map<string, StepDraft>();
  readonly #refunded = new Set<string>();
  /** The first step with each signature of the journal of a run. */
  readonly #bySignature = new Map<string, StepDraft>();
  /** The steps of bets that the operator may or must decline. */
  readonly #declinable = new Set<StepDraft>();
  /** Refunds whose bet has not been sent yet, by the `txID` of the bet. */
  readonly #refundsBeforeBet = new Map<
    string,
    { readonly seen: RecordedCall; readonly fields: Record<string, JsonValue> }[]
  >();
  readonly #counts = new Map<string, number>();

  readonly #signing: Signing;
  /** The kind of signature of each step's call. */
  readonly #signed = new Map<StepDraft, SignKind>();

  constructor({ wrong, signing, scarce = new Map(), hasOtherClient = false, cutOff = new Set() }: StepBuilderOptions) {
    this.#wrong = wrong;
    this.#signing = signing;
    this.#scarce = scarce;
    this.#hasOtherClient = hasOtherClient;
    this.#cutOff = cutOff;
  }

  /** Makes the step for a call that is sent alone. */
  step(call: LoggedCall): StepDraft {
    return this.#part(call);
  }

  /**
   * Makes a refund that follows a bet of the whole balance, if the operator declined this bet in the record. If the operator
   * accepts the bet now, this refund gives back the money that the following calls need. The refund of a declined bet must be
   * answered 200 too. Null for all other calls.
   */
  undo({ number, ending }: LoggedCall, part: StepDraft): JsonObject | null {
    const over = this.#scarce.get(number);
    if (ending !== 'declined' || !over?.isZero()) return null;
    const { session } = this.#session(part.seen);
    return { refund: { of: this.#nameOf(part), ...(session !== undefined && { session }) }, expect: 'either' };
  }

  /**
   * Returns the steps for calls that were in flight at the same time. If several of these calls have the same request, they become
   * one step that sends several copies.
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
      const isUnsure = copies.length > 0 || group.some(({ seen }) => seen.call === 'refund');
      if (isUnsure || this.#scarce.has(call.number)) part.set('expect', 'either');
      parts.push({ part, at });
    }
    return parts.map(({ part }) => part);
  }

  #part(logged: LoggedCall): StepDraft {
    const { seen } = logged;
    const first = seen.txID === null ? undefined : this.#transactions.get(seen.txID);
    const changes = first && this.#changesOf(logged, first);
    const isAgain = first !== undefined && (changes !== undefined || isSame(first.seen, seen));
    const part = isAgain ? new StepDraft('resend', this.#nameOf(first), logged) : this.#call(logged);
    if (changes) part.set('tamper', { body: changes });
    this.#break(part, logged);
    if (this.#isScarce(logged) || (first && this.#scarceSteps.has(first))) this.ofBalance.add(logged.number);
    const isRefunded = seen.call !== 'balance' && seen.txID !== null && this.#refunded.has(seen.txID);
    if ((mayBeDeclined(logged) && !this.#isWrong(logged)) || isRefunded || this.#isWinWithoutBet(seen))
      part.set('expect', 'either');
    this.#expectDecline(part, logged);
    this.#sign(part, logged, isAgain ? first : undefined);
    if (seen.txID !== null && !first) this.#transactions.set(seen.txID, part);
    if (seen.call === 'bet' && !first) this.#resolveEarlyRefunds(part);
    if (seen.roundID !== null && !this.#rounds.has(seen.roundID)) this.#rounds.set(seen.roundID, part);
    const signature = signatureSent(seen);
    if (signature !== undefined && !this.#bySignature.has(signature)) this.#bySignature.set(signature, part);
    if (!isAgain && this.#scarce.has(logged.number)) this.#scarceSteps.add(part);
    if (!isAgain && seen.call === 'bet' && part.maybeDeclined) this.#declinable.add(part);
    if (seen.call === 'refund' && seen.origTxID !== null) this.#refunded.add(seen.origTxID);
    return part;
  }

  /**
   * True if the reply to the call is wrong. If the operator wrongly declined one bet of exactly the balance, all bets of exactly
   * the balance count as wrongly declined.
   */
  #isWrong({ number }: LoggedCall): boolean {
    if (this.#wrong.has(number)) return true;
    if (!this.#scarce.get(number)?.isZero()) return false;
    return [...this.#scarce].some(([other, over]) => over.isZero() && this.#wrong.has(other));
  }

  /** True if the amount of the call depends on the balance, or on the amount of a bet that itself depends on the balance. */
  #isScarce({ seen, number }: LoggedCall): boolean {
    if (this.#scarce.has(number)) return true;
    const bet = seen.call === 'refund' ? this.#transactions.get(seen.origTxID ?? '') : this.#scarceBetOf(seen);
    return bet !== undefined && this.#scarceSteps.has(bet);
  }

  /**
   * Returns the bet of a win. Returns undefined unless the amount of the bet depends on the balance, and the win is at least as
   * high as this bet.
   */
  #scarceBetOf({ call, roundID, money }: RecordedCall): StepDraft | undefined {
    const bet = call === 'win' && roundID !== null ? this.#rounds.get(roundID) : undefined;
    if (!bet || !this.#scarceSteps.has(bet) || !money || !bet.seen.money) return undefined;
    return money.compare(bet.seen.money) >= 0 ? bet : undefined;
  }

  /**
   * True for a win without a bet in its round. Also true for a win whose bet was refunded or may be declined. The contract does not
   * define the reply to such a win.
   */
  #isWinWithoutBet({ call, roundID, frID }: RecordedCall): boolean {
    if (call !== 'win' || frID !== null) return false;
    const bet = roundID === null ? undefined : this.#rounds.get(roundID);
    if (bet?.call !== 'bet') return true;
    return this.#declinable.has(bet) || (bet.seen.txID !== null && this.#refunded.has(bet.seen.txID));
  }

  /**
   * Returns the fields that were changed after signing, if the call has the signature of the earlier call `first`. Otherwise
   * returns undefined.
   */
  #changesOf(logged: LoggedCall, first: StepDraft): JsonObject | undefined {
    const signature = signatureSent(logged.seen);
    if (this.#kindOf(logged) !== 'of-other-body' || signature === undefined) return undefined;
    return this.#bySignature.get(signature) === first ? changedAfterSigning(first.seen, logged.seen) : undefined;
  }

  /** A bet that is higher than the balance must be declined. */
  #expectDecline(part: StepDraft, { number, ending, code }: LoggedCall): void {
    const over = this.#scarce.get(number);
    if (!over || over.isZero() || over.isNegative()) return;
    const isWrong = this.#wrong.has(number);
    if (isWrong || code === 'insufficient_funds')
      part.set('expect', { outcome: 'declined', code: 'insufficient_funds' });
    else part.set('expect', ending === 'declined' ? 'declined' : 'either');
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
   * Breaks the connection at the same point as in the record. If only the time of the break is known, breaks the connection after
   * the same time. If the service had no reply in time, breaks the connection immediately after sending.
   */
  #break(part: StepDraft, { seen, number }: LoggedCall): void {
    if (this.#cutOff.has(number)) {
      part.set('break', 'sent');
      return;
    }
    const { answer, tookMs, deviation } = seen.exchange;
    if (answer.kind !== 'none' || (answer.reason !== 'broken' && answer.reason !== 'aborted')) return;
    const isAtOnce = tookMs === null || tookMs < AT_ONCE_MS;
    part.set('break', deviation?.brokenAt ?? (isAtOnce ? 'sent' : pauseText(tookMs)));
  }

  /**
   * Signs the call as in the record. If the call repeats an earlier call and has the same kind of signature, it keeps the earlier
   * signature.
   */
  #sign(part: StepDraft, logged: LoggedCall, first: StepDraft | undefined): void {
    const kind = this.#kindOf(logged);
    this.#signed.set(part, kind);
    // If the query is changed after signing, the signature is wrong already. Then the step needs no key `sign`.
    if (kind !== ((first && this.#signed.get(first)) ?? 'valid') && !part.isTampered) part.set('sign', kind);
    if (kind === 'other-client') this.needsOtherClient = true;
    if (kind === 'upper-case') part.set('expect', 'either');
    else if (kind !== 'valid') part.set('expect', 'refused');
  }

  /** Returns the kind of signature for a step. If the record does not show the kind, the call gets a correct signature. */
  #kindOf({ number }: LoggedCall): SignKind {
    const kind = this.#signing.get(number) ?? 'valid';
    return kind === 'other-client' && !this.#hasOtherClient ? 'wrong-key' : kind;
  }

  #call(logged: LoggedCall): StepDraft {
    const { seen } = logged;
    const signature = signatureSent(seen);
    const signer = signature === undefined ? undefined : this.#bySignature.get(signature)?.seen;
    const edits = requestEdits(seen, this.#kindOf(logged), signer);
    const isExpected = logged.ending === 'accepted' || this.#isWrong(logged);
    if (seen.call === 'balance') {
      const read = new StepDraft('balance', this.#session(seen), logged);
      if (edits.query) read.set('query', edits.query);
      if (edits.tamper) read.set('tamper', edits.tamper);
      if (edits.headerCase) read.set('header-case', edits.headerCase);
      if (edits.query ?? edits.headerCase) read.set('expect', isExpected ? 'accepted' : 'either');
      return read;
    }
    const fields: Record<string, JsonValue> = {};
    const set: Record<string, JsonValue> = {};
    const drop: string[] = [...(edits.drop ?? [])];
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
      // The recorded amount is not a valid amount. So it must be written as a text that is not read as an expression of the
      // scenario language.
      set.amount = literalText(seen.amount);
    } else if (!this.#isAmountOfTarget(seen)) fields.amount = this.#amountText(logged);
    if (seen.type === 'free') fields.type = 'free';
    const first = seen.txID === null ? undefined : this.#transactions.get(seen.txID);
    if (first) fields.txID = `\${${this.#nameOf(first)}.txID}`;
    Object.assign(fields, this.#session(seen));
    const part = new StepDraft(seen.call, fields, logged);
    const isInvalid = Object.keys(set).length > 0 || drop.length > 0;
    Object.assign(set, edits.set);
    const isRaw = bare !== undefined && !Number.isInteger(bare) && seen.call !== 'refund';
    if (isRaw) part.set('body', this.#raw(seen, bare));
    const body = {
      ...(Object.keys(set).length > 0 && { set }),
      ...(drop.length > 0 && { drop }),
      ...(edits.format !== undefined && { format: edits.format }),
    };
    const isEdited = Object.keys(body).length > 0;
    if (isEdited && !isRaw) part.set('body', body);
    if (edits.headerCase) part.set('header-case', edits.headerCase);
    if (isEdited || edits.headerCase) part.set('expect', isExpected ? 'accepted' : 'either');
    // The contract does not define the reply to a second refund, or to a `txID` that another kind of call has already
    // used.
    if (first || isOpen || isInvalid || isRaw) part.set('expect', 'either');
    return part;
  }

  /**
   * Writes the amount: as recorded, or relative to the balance if the bet took the whole balance or more. For the win of such a
   * bet, writes the amount relative to the bet.
   */
  #amountText(logged: LoggedCall): string {
    const { seen, number } = logged;
    const over = this.#scarce.get(number);
    if (over) {
      const { session } = this.#session(seen);
      return sumText(session === undefined ? 'balance' : `balance.${session}`, over);
    }
    const bet = this.#scarceBetOf(seen);
    if (bet?.seen.money && seen.money) return sumText(`${this.#nameOf(bet)}.amount`, seen.money.minus(bet.seen.money));
    return seen.amount ?? '';
  }

  /** Makes a refund refer to its bet. Returns true if the bet was already refunded. */
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

  /** Writes the whole body as text, with the amount as a JSON number. A scenario can't contain a fraction as a number. */
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

/** Writes the sum of a name and an amount as an expression. */
function sumText(name: string, more: Money): string {
  if (more.isZero()) return `\${${name}}`;
  return `\${${name} ${more.isNegative() ? '-' : '+'} ${more.absolute().toString()}}`;
}

/**
 * True if the operator may decline the call: a bet that was declined, any other call of a campaign that was declined, or a call
 * whose reply was not logged. Other wins and refunds that were declined must be answered 200.
 */
function mayBeDeclined({ ending, status, seen }: LoggedCall): boolean {
  switch (ending) {
    case 'declined':
      return seen.call === 'bet' || (seen.type === 'free' && !isServerError(status));
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

/**
 * Writes a duration as people write it in a scenario, rounded to two or three digits: `300ms`, `1.2s`, `45s`, `12m`. The longest
 * duration is a day.
 */
export function pauseText(ms: number): string {
  const max = Math.min(ms, DAY_MS);
  if (max < 1000) return `${Math.max(1, Math.round(max < 100 ? max : Math.round(max / 10) * 10))}ms`;
  if (max < 10_000) return `${Math.round(max / 100) / 10}s`;
  if (max < 600_000) return `${Math.round(max / 1000)}s`;
  return `${Math.round(max / 60_000)}m`;
}
