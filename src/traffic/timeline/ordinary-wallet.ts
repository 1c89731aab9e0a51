import type { CallName } from '../../contract/call-name.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import { Money } from '../../contract/money.ts';
import { readAmount } from '../../journal/call-amount.ts';
import type { KnownSession } from '../call-selection.ts';
import { isCut, loggedCall } from '../calls/logged-call.ts';
import { hasSignature, type KeysOf, NO_KEYS } from '../calls/signature.ts';
import { SignedBodies } from '../calls/signed-bodies.ts';
import { type LoggedExchange, textBody } from '../logged-exchange.ts';
import type { Survey, SurveyedWallet } from '../read/gather-by-wallet.ts';
import { ByteText } from '../read/templates/byte-text.ts';
import type { AlikeCall } from '../read/templates/line-template.ts';
import { type CallPaths, type RecordedCall, recordedCall } from '../recorded-call.ts';
import { breachesOf } from './breach.ts';
import { openClause } from './gaps.ts';
import { originOf } from './owner.ts';
import { RepeatedIds } from './repeated-ids.ts';
import type { RoundVerdict } from './round-verdict.ts';
import type { WalletVerdict } from './verdict.ts';
import { COLUMN, WalletRows } from './wallet-rows.ts';

/**
 * Finds the wallets in which nothing is unusual, while the logs are read for the first time. The calls of such a wallet are not
 * kept, which saves most of the time and the memory for a large log.
 *
 * A wallet is ordinary if all of this is true:
 *
 * - Each win was answered 200 in time. Each bet was answered 200 in time, or was declined with a 4xx.
 * - Each reply has exactly the balance that follows from the call before.
 * - Each round has its bets and then one win, or no win yet.
 *
 * All other wallets are judged by {@link judgeWallet}. For an ordinary wallet, {@link judgeWallet} would give the same verdict. A
 * test compares both.
 */
export class OrdinaryWallets implements Survey<OrdinaryWallet> {
  readonly #known: ReadonlyMap<string, KnownSession>;
  readonly #paths: CallPaths;
  readonly #keysOf: KeysOf;
  readonly #ids: RepeatedIds;
  readonly #wallets: OrdinaryWallet[] = [];
  readonly #rows = new WalletRows();
  readonly #sides = new Set<string>();
  /** For each call that serves as an example: the facts that all calls on similar lines have in common. */
  readonly #fitting = new WeakMap<LoggedExchange, CommonFacts>();
  /** The example that was used last. */
  #last: { readonly example: LoggedExchange | null; readonly facts: CommonFacts | undefined } = {
    example: null,
    facts: undefined,
  };
  /** The facts of the ordinary calls that were seen, by the kind of the call. */
  readonly #factsOfKind = new Map<string, CommonFacts>();
  /** True if any call is signed with one of the given keys. */
  isKeyProven = false;
  /** The logs whose bodies show what was signed. */
  readonly signedBodies: SignedBodies;

  constructor(
    known: ReadonlyMap<string, KnownSession>,
    { paths, folder, keysOf = () => NO_KEYS }: { paths: CallPaths; folder: string; keysOf?: KeysOf | undefined },
  ) {
    this.#known = known;
    this.#paths = paths;
    this.#keysOf = keysOf;
    this.signedBodies = new SignedBodies(keysOf);
    this.#ids = new RepeatedIds(folder, 'ids');
  }

  add(): OrdinaryWallet {
    const wallet = new OrdinaryWallet(this.#rows, this.#ids);
    this.#wallets.push(wallet);
    return wallet;
  }

  /**
   * If a key is known, each signature in the log must be verified. For this, the whole call is needed, so no call can serve as an
   * example for similar lines.
   */
  isExample(exchange: LoggedExchange): boolean {
    const { own, others } = this.#keysOf(exchange.request.url);
    if (own.length + others.length > 0 && hasSignature(exchange)) return false;
    const call = recordedCall(exchange, this.#paths);
    const facts = call && this.#factsOf(call);
    if (!facts) return false;
    this.#fitting.set(exchange, facts);
    this.#sides.add(exchange.side);
    return true;
  }

  takeAlike(wallet: OrdinaryWallet, call: AlikeCall, file: string, line: number): void {
    const { example } = call.template;
    if (this.#last.example !== example) this.#last = { example, facts: this.#fitting.get(example) };
    const { facts } = this.#last;
    if (facts) wallet.take(call, facts, file, line);
    else wallet.spoil();
  }

  takeWhole(wallet: OrdinaryWallet, call: RecordedCall): void {
    const { exchange, txID, roundID, amount } = call;
    this.#sides.add(exchange.side);
    const facts = this.#factsOf(call);
    const isText = (txID ?? '').isWellFormed() && (roundID ?? '').isWellFormed();
    if (!facts || exchange.time === null || !isText) {
      wallet.spoil();
      return;
    }
    const { time, tookMs, place } = exchange;
    const values = {
      time,
      tookMs,
      txID: bytesOf(txID),
      roundID: bytesOf(roundID),
      amount: bytesOf(amount),
      balance: bytesOf(facts.balance),
    };
    wallet.take(values, facts, place.file, place.line);
  }

  /** Ends the survey. A wallet is then ordinary, or not. */
  finish(sessionsOf: (wallet: OrdinaryWallet) => readonly string[]): void {
    // One log alone does not show what the other side saw.
    const isOneSided = this.#sides.size < 2;
    const repeated = this.#ids.wallets();
    for (const [index, wallet] of this.#wallets.entries()) {
      const currencies = sessionsOf(wallet).flatMap((session) => this.#known.get(session)?.currency ?? []);
      if (!isOneSided || repeated.has(index)) wallet.spoil();
      wallet.finish(currencies);
    }
  }

  /**
   * Returns the facts of this call that are the same for each call on a similar line of the log. Returns undefined if the call is
   * not ordinary.
   */
  #factsOf(call: RecordedCall): (CommonFacts & { readonly balance: string | null }) | undefined {
    const { exchange } = call;
    const isOfCroupier = exchange.isOfRun ?? exchange.isJudged ?? exchange.isProbe ?? exchange.isDisturbed;
    const isTest = exchange.deviation ?? exchange.mayBeDeclined ?? exchange.amount ?? exchange.verified;
    if (isOfCroupier !== undefined || isTest !== undefined) return undefined;
    if (!isWholeCall(call)) return undefined;
    const known = this.#knownFacts(call);
    if (known) return known;
    const logged = loggedCall(call, null, { number: 1, atMs: null, wallet: null }, this.#keysOf);
    if (logged.signature === 'right') {
      this.isKeyProven = true;
      this.signedBodies.note(exchange);
    }
    if ((logged.signature !== 'right' && logged.signature !== 'unknown') || logged.isSignedByOther) return undefined;
    const { status, ending, reading } = logged;
    const isDeclined = ending === 'declined' && call.call === 'bet' && isDeclinedByOperator(status);
    if ((ending !== 'accepted' && !isDeclined) || isCut(reading) || reading === null) return undefined;
    const breaches = breachesOf([logged], [], new Map(), { currency: null, isKeyProven: false });
    if (breaches.length > 0) return undefined;
    const { form, written } = reading.balance;
    if (!isDeclined && form !== 'plain') return undefined;
    const facts = {
      call: call.call,
      isDeclined,
      currency: call.currency,
      origin: originOf({ seen: call, also: null }),
      side: exchange.side,
    };
    const kind = this.#kindOf(call);
    if (kind !== undefined && this.#factsOfKind.size < MAX_KINDS) this.#factsOfKind.set(kind.text, facts);
    return { ...facts, balance: isDeclined ? null : (written ?? null) };
  }

  /** Returns the facts of a call that differs from an earlier ordinary call only in ids, amounts and balances. */
  #knownFacts(call: RecordedCall): (CommonFacts & { readonly balance: string | null }) | undefined {
    const kind = this.#kindOf(call);
    const facts = kind && this.#factsOfKind.get(kind.text);
    return facts && { ...facts, balance: facts.isDeclined ? null : kind.balance };
  }

  /** Returns the kind of a call, or undefined if its signature must be verified. */
  #kindOf(call: RecordedCall): Kind | undefined {
    const { exchange } = call;
    if (hasSignature(exchange)) {
      const { own, others } = this.#keysOf(exchange.request.url);
      const isUnread = own.length + others.length === 0 && exchange.request.headers === null;
      if (!isUnread || exchange.logged.signature?.trim() === '') return undefined;
    }
    return kindOf(call);
  }
}

function bytesOf(text: string | null): ByteText | null {
  return text === null ? null : ByteText.of(text);
}

/** Maximum number of kinds of calls whose facts are kept. A log has one kind for each call, and for each text of an error. */
const MAX_KINDS = 200;

/** Matches the body of a reply that has nothing but the balance and the operator's txID. */
const USUAL_REPLY =
  /^\{(?:"txID":"[^"\\{]{1,200}",)?"balance":"((?:0|[1-9]\d{0,17})(?:\.\d{1,18})?)"(?:,"txID":"[^"\\{]{1,200}")?\}$/;

/** The kind of a call, and the balance in its reply. */
interface Kind {
  /**
   * All that decides whether a call is ordinary, except ids, amounts, the balance and times. Calls of the same kind have the same
   * text.
   */
  readonly text: string;
  /** The balance in the reply; null for an error. */
  readonly balance: string | null;
}

/**
 * Returns the kind of a call. The caller must know that the signature of the call need not be verified. Returns undefined if the
 * reply is missing or unusual.
 */
function kindOf({ exchange, call, currency }: RecordedCall): Kind | undefined {
  const { answer, side, request } = exchange;
  if (answer.kind !== 'reply') return undefined;
  const { status, headers, body } = answer;
  if (body === null || body.truncated || body.encoding !== 'utf8' || body.data.length > MAX_KIND_BODY) return undefined;
  const balance = status === 200 ? USUAL_REPLY.exec(body.data)?.[1] : null;
  if (balance === undefined) return undefined;
  const isPath = request.url === null || request.url.startsWith('/');
  const hasTx = balance === null || body.data.includes('"txID"');
  const error = balance === null ? body.data : '';
  const text = `${call} ${status} ${side} ${currency} ${hasTx} ${isPath ? '' : request.url} ${headers?.join() ?? ''} ${error}`;
  return { text, balance };
}

/** Maximum length of the body of a kind of replies. */
const MAX_KIND_BODY = 1000;

/** True if the log shows all fields of a call about which {@link OrdinaryWallet} can decide. */
function isWholeCall(call: RecordedCall): boolean {
  if (call.call !== 'balance' && !isWholeBet(call)) return false;
  // A balance call has only the session. Some loggers write it apart from the URL.
  const isWhole = call.whole || (call.call === 'balance' && call.sessionID !== null);
  const isFree = call.frID !== null || call.type === 'free';
  return call.call !== 'refund' && isWhole && call.origTxID === null && !isFree;
}

/**
 * True for a 4xx with which the operator itself declined a bet. A 408 does not count, because a server in front of the operator may
 * have sent it. A 401 does not count either, because it does not show what happened to the bet.
 */
function isDeclinedByOperator(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 401 && status !== 408;
}

function isWholeBet({ txID, roundID, money, isBareAmount, type }: RecordedCall): boolean {
  return txID !== null && roundID !== null && money !== null && !isBareAmount && type === 'regular';
}

/** The facts that are the same for all calls like one example. */
interface CommonFacts {
  readonly call: CallName;
  readonly isDeclined: boolean;
  readonly currency: string | null;
  readonly origin: string | null;
  readonly side: LoggedExchange['side'];
}

/** The values of one call. They are valid only until the next call is taken. */
type Values = Omit<AlikeCall, 'template' | 'sessionID' | 'player'>;

/** Maximum number of rounds without a win in an ordinary wallet. */
const MAX_OPEN = 100;
/** With at least this number of decimals, a balance may have the rounding error of floating-point numbers. */
const MANY_DECIMALS = 9;
/** Times with a precision of more ms than this do not show which of two calls came first. */
const FINE_MS = 100;

/** One wallet of the survey. */
export class OrdinaryWallet implements SurveyedWallet {
  readonly #rows: WalletRows;
  readonly #row: number;
  #isOrdinary = true;
  /** True if the last call may have been in flight at the same time as another call. */
  #isLastShared = false;
  /** The kind of the last call that has a balance. */
  #lastFacts: CommonFacts | null = null;
  #lastFile: string | null = null;
  /** The first balance. Null before it. */
  #firstSaid: string | null = null;
  /** The time of the first call, if it is about money. Otherwise null. */
  #sinceMs: number | null = null;
  /** The last balance, if {@link unitsOf} can't read it. Otherwise null. */
  #said: string | null = null;
  #decimals = 0;
  /** The sum of the bets of the round in `#rows`. It has no win yet. Most wallets never have two such rounds at once. */
  #bets: Money = Money.zero;
  /** The sum of the bets of each round without a win. Null until two such rounds were open at once. Then replaces the round. */
  #open: Map<string, Money> | null = null;
  #currency: string | null = null;
  #origin: string | null = null;
  readonly #files: string[] = [];
  readonly #ids: RepeatedIds;

  constructor(rows: WalletRows, ids: RepeatedIds) {
    this.#rows = rows;
    this.#row = rows.add();
    this.#ids = ids;
  }

  get isOrdinary(): boolean {
    return this.#isOrdinary;
  }

  /** The number of calls. It is right only for an ordinary wallet. */
  get calls(): number {
    return this.#rows.get(this.#row, COLUMN.calls);
  }

  spoil(): void {
    this.#isOrdinary = false;
    this.#rows.endRound(this.#row);
    this.#open = null;
    this.#lastFacts = null;
  }

  take(values: Values, facts: CommonFacts, file: string, line: number): void {
    if (!this.#isOrdinary) return;
    this.#rows.set(this.#row, COLUMN.calls, this.calls + 1);
    if (!this.#isInOrder(values) || !this.#isSameOwner(facts) || !this.#isExpected(values, facts)) {
      this.spoil();
      return;
    }
    if (this.#lastFile !== file) {
      this.#lastFile = file;
      this.#files.push(file);
    }
    if (facts.isDeclined) return;
    if (this.calls === 1 && facts.call !== 'balance') this.#sinceMs = values.time.ms;
    this.#rows.set(this.#row, COLUMN.saidMs, values.time.ms);
    this.#rows.set(this.#row, COLUMN.line, line);
    this.#lastFacts = facts;
  }

  /**
   * True if the call came after all earlier calls. This must be true both if the logged times are beginnings and if they are ends.
   */
  #isInOrder({ time, tookMs }: Values): boolean {
    const took = tookMs ?? 0;
    if (time.laterMs !== undefined || took > REPLY_DEADLINE_MS) return false;
    const atMs = this.#rows.get(this.#row, COLUMN.atMs);
    const endMs = this.#rows.get(this.#row, COLUMN.endMs);
    if (time.ms < atMs || time.ms - took < this.#rows.get(this.#row, COLUMN.beginMs)) return false;
    const margin = time.precisionMs > FINE_MS ? time.precisionMs : 0;
    const isShared = time.ms < endMs + margin || time.ms - took < atMs + margin;
    // The first balance of a wallet is reliable only if no other call was in flight at this time. So the second call must not
    // overlap with the first call.
    if (isShared && this.calls === 2) return false;
    this.#isLastShared = isShared;
    this.#rows.set(this.#row, COLUMN.atMs, time.ms);
    this.#rows.set(this.#row, COLUMN.beginMs, time.ms - took);
    this.#rows.set(this.#row, COLUMN.endMs, Math.max(endMs, time.ms + took));
    return true;
  }

  /** False if the player may have several wallets: in several currencies, or at several operators. */
  #isSameOwner({ currency, origin }: CommonFacts): boolean {
    if (currency !== null) {
      if (this.#currency !== null && this.#currency !== currency) return false;
      this.#currency = currency;
    }
    if (origin !== null) {
      if (this.#origin !== null && this.#origin !== origin) return false;
      this.#origin = origin;
    }
    return true;
  }

  #isExpected({ txID, roundID, amount, balance }: Values, { call, isDeclined }: CommonFacts): boolean {
    if (call === 'balance') return balance !== null && this.#isSaid(balance, null, 1);
    if (txID === null || roundID === null || amount === null) return false;
    this.#ids.add('transaction', txID, this.#row);
    if (isDeclined) {
      this.#ids.add('round', roundID, this.#row);
      // An operator must accept a bet of exactly the balance. Without a balance before the bet, it is unknown whether the operator took
      // the bet.
      const money = amountOf(amount);
      return money !== undefined && this.#firstSaid !== null && !this.#balance().equals(money);
    }
    if (balance === null) return false;
    if (call === 'bet') {
      const bet = amountOf(amount);
      return bet?.isZero() === false && this.#opens(roundID, bet) && this.#isSaid(balance, amount, -1);
    }
    return this.#closes(roundID) && this.#isSaid(balance, amount, 1);
  }

  #opens(roundID: ByteText, bet: Money): boolean {
    const rows = this.#rows;
    const row = this.#row;
    const isSame = rows.isRound(row, roundID);
    const before = this.#open ? this.#open.get(roundID.toString()) : isSame ? this.#bets : undefined;
    if (!before) this.#ids.add('round', roundID, row);
    const bets = before ? before.plus(bet) : bet;
    if (!this.#open && (isSame || (!rows.hasRound(row) && rows.openRound(row, roundID)))) {
      this.#bets = bets;
      return true;
    }
    const round = rows.round(row);
    this.#open ??= new Map(round === null ? [] : [[round, this.#bets]]);
    rows.endRound(row);
    this.#open.set(roundID.toString(), bets);
    return this.#open.size <= MAX_OPEN;
  }

  /** Ends a round. Returns false if the round has no accepted bet. */
  #closes(roundID: ByteText): boolean {
    if (this.#open) return this.#open.delete(roundID.toString());
    if (!this.#rows.isRound(this.#row, roundID)) return false;
    this.#rows.endRound(this.#row);
    return true;
  }

  /**
   * True if the reply has the balance that follows from the previous balance, or if it has the first balance of the wallet.
   *
   * @param change the amount of the call; null for a balance call
   */
  #isSaid(text: ByteText, change: ByteText | null, sign: 1 | -1): boolean {
    const isFirst = this.#firstSaid === null;
    const before = this.#rows.get(this.#row, COLUMN.units);
    const units = unitsOf(text);
    const changed = change === null ? 0 : unitsOf(change);
    if (Number.isNaN(units + changed + (isFirst ? 0 : before))) {
      if (!this.#isExactlySaid(text.toString(), change?.toString() ?? null, sign)) return false;
    } else if (!isFirst && units !== before + sign * changed) return false;
    const decimals = decimalsOf(text);
    if (decimals >= MANY_DECIMALS) return false;
    if (decimals > this.#decimals) this.#decimals = decimals;
    this.#rows.set(this.#row, COLUMN.units, units);
    this.#rows.set(this.#row, COLUMN.decimals, decimals);
    this.#said = Number.isNaN(units) ? text.toString() : null;
    this.#firstSaid ??= text.toString();
    return true;
  }

  /** Does the same for amounts that {@link unitsOf} can't read. */
  #isExactlySaid(text: string, change: string | null, sign: 1 | -1): boolean {
    const said = readAmount(text);
    const changed = change === null ? Money.zero : readAmount(change);
    if (!said || !changed) return false;
    if (this.#firstSaid === null) return true;
    return said.equals(this.#balance().plus(sign === 1 ? changed : changed.negated()));
  }

  /** The balance after the last call. */
  #balance(): Money {
    if (this.#firstSaid === null) return Money.zero;
    const [units, decimals] = [this.#rows.get(this.#row, COLUMN.units), this.#rows.get(this.#row, COLUMN.decimals)];
    return moneyOf(this.#said ?? amountText(units, decimals));
  }

  /** Ends the survey of the wallet. `currencies` are the configured currencies of its sessions. */
  finish(currencies: readonly string[]): void {
    for (const currency of currencies) {
      if (this.#currency !== null && this.#currency !== currency) this.spoil();
      this.#currency ??= currency;
    }
    const allowed = this.#currency === null ? null : (currencyByCode(this.#currency)?.decimals ?? null);
    if (allowed !== null && this.#decimals > allowed) this.spoil();
    if (this.#lastFacts === null || (this.#isLastShared && this.calls > 1)) this.spoil();
  }

  /**
   * Returns the verdict on an ordinary wallet.
   *
   * @param number the number of the last call of the wallet
   * @param unread the parts of the logs that were not read and may matter to this wallet, each as a clause
   */
  verdict(
    owner: { readonly wallet: string; readonly player: string | null; readonly sessions: readonly string[] },
    number: number,
    unread: readonly string[],
  ): WalletVerdict {
    const balance = this.#balance();
    const round = this.#rows.round(this.#row);
    const open = this.#open ?? (round === null ? [] : [[round, this.#bets] as const]);
    const rounds = [...open].map(([roundID, bets]): RoundVerdict => openRound(roundID, bets, number));
    const isSure = unread.length === 0;
    const call = this.#lastCall(owner, number);
    const said = { balance, call };
    const worlds: WalletVerdict['books']['worlds'] = [];
    return {
      wallet: owner.wallet,
      player: owner.player,
      currency: this.#currency,
      sessions: owner.sessions,
      calls: [call],
      evidence: { calls: this.calls, files: [...new Set(this.#files)] },
      books: {
        transactions: [],
        worlds,
        isAnchored: true,
        firstSaid: { balance: moneyOf(this.#firstSaid), call },
        lastSaid: said,
        deviations: [],
        unknown: null,
      },
      since: this.#sinceMs === null ? null : { number: number - this.calls + 1, atMs: this.#sinceMs },
      rounds: isSure ? rounds : rounds.map((round) => ({ ...round, should: null, booked: null, difference: null })),
      debts: [],
      possibleDebts: [],
      should: isSure ? balance : null,
      booked: isSure ? balance : null,
      difference: isSure ? Money.zero : null,
      unknowns: [...unread, ...(rounds.length > 0 ? [openClause(rounds)] : [])],
      serviceFaults: [],
    };
  }

  /** Returns the last call whose reply has a balance. It has only the data that is printed. */
  #lastCall(owner: { readonly player: string | null; readonly sessions: readonly string[] }, number: number) {
    const facts = this.#lastFacts;
    if (facts === null) throw new Error('the wallet is not ordinary');
    const { call } = facts;
    const place = { file: this.#files.at(-1) ?? '', line: this.#rows.get(this.#row, COLUMN.line) };
    const balance = this.#balance();
    const saidMs = this.#rows.get(this.#row, COLUMN.saidMs);
    const [session] = owner.sessions;
    const exchange: LoggedExchange = {
      place,
      side: facts.side,
      time: { ms: saidMs, precisionMs: 1 },
      tookMs: null,
      request: { method: null, url: null, headers: null, body: 'unknown' },
      answer: {
        kind: 'reply',
        status: 200,
        headers: null,
        body: textBody(JSON.stringify({ balance: balance.toString() })),
      },
      logged: {
        call,
        ...(session !== undefined && { session }),
        ...(owner.player !== null && { player: owner.player }),
      },
    };
    const seen = recordedCall(exchange);
    if (seen === null) throw new Error('the last call is no call');
    return loggedCall(seen, null, { number, atMs: saidMs, wallet: null }, () => NO_KEYS);
  }
}

function openRound(roundID: string, bets: Money, firstCall: number): RoundVerdict {
  const result = bets.negated();
  const sums = { should: result, booked: result, difference: Money.zero };
  return { roundID, state: 'open', bets, wins: Money.zero, debts: [], firstCall, ...sums };
}

/** The amounts that were read last. Most bets have one of a few amounts, so each of them is read only once. */
const AMOUNTS = new Map<number, Money>();
const MAX_AMOUNTS = 1000;

function amountOf(text: ByteText): Money | undefined {
  const units = unitsOf(text);
  if (Number.isNaN(units)) return readAmount(text.toString());
  // An amount is kept as it was written, so 5.0 and 5.00 are different here.
  const key = units * (UNIT_DECIMALS + 1) + decimalsOf(text);
  const known = AMOUNTS.get(key);
  if (known) return known;
  const money = readAmount(text.toString());
  if (AMOUNTS.size >= MAX_AMOUNTS) AMOUNTS.clear();
  if (money) AMOUNTS.set(key, money);
  return money;
}

/** Reads a balance that was read before. */
function moneyOf(said: string | null): Money {
  return (said === null ? undefined : readAmount(said)) ?? Money.zero;
}

/** Decimals of a unit of {@link unitsOf}, and the maximum number of characters of an amount. */
const UNIT_DECIMALS = 4;
const MAX_DIGITS = 11;
const [ZERO, NINE, POINT] = [0x30, 0x39, 0x2e];

/**
 * Reads an amount as a whole number of 0.0001, which is exact for amounts of at most 11 characters. Returns NaN for any other text.
 * This takes less time than {@link Money}, and large logs have many amounts.
 */
function unitsOf(text: ByteText): number {
  const { length } = text;
  if (length === 0 || length > MAX_DIGITS) return Number.NaN;
  let units = 0;
  let decimals = -1;
  for (let at = 0; at < length; at += 1) {
    const sign = text.at(at);
    if (sign === POINT && decimals < 0 && at > 0) decimals = 0;
    else if (sign < ZERO || sign > NINE) return Number.NaN;
    else {
      // A plain decimal has no zero before other digits.
      if (at === 1 && decimals < 0 && units === 0) return Number.NaN;
      units = units * 10 + sign - ZERO;
      if (decimals >= 0) decimals += 1;
    }
  }
  if (decimals === 0 || decimals > UNIT_DECIMALS) return Number.NaN;
  return units * 10 ** (UNIT_DECIMALS - Math.max(0, decimals));
}

/** Writes an amount as it was read by {@link unitsOf}. */
function amountText(units: number, decimals: number): string {
  const digits = String(units).padStart(UNIT_DECIMALS + 1, '0');
  const whole = digits.slice(0, -UNIT_DECIMALS);
  return decimals === 0 ? whole : `${whole}.${digits.slice(-UNIT_DECIMALS).slice(0, decimals)}`;
}

function decimalsOf(text: ByteText): number {
  const { length } = text;
  for (let at = 0; at < length; at += 1) if (text.at(at) === POINT) return length - at - 1;
  return 0;
}
