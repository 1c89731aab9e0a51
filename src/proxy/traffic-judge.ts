import type { CallName } from '../contract/call-name.ts';
import { REQUEST_SCHEMAS } from '../contract/calls.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { CallPaths, SeenCall } from '../incident/seen-call.ts';
import { breachesOf } from '../incident/story/breach.ts';
import type { Deviation } from '../incident/story/deviation.ts';
import { NO_KEYS } from '../incident/story/signature.ts';
import type { KnownSession } from '../incident/story/story.ts';
import { tellCall } from '../incident/story/told-call.ts';
import type { Transaction } from '../incident/story/transaction.ts';
import type { Outcome } from '../journal/exchange.ts';
import { isPassing } from '../judge/check.ts';
import { BoundedMap } from './bounded.ts';
import type { Crossing } from './crossing.ts';
import { oddnessOf } from './oddness.ts';
import { answered, seenRequest } from './seen-crossing.ts';
import { signatureBreach } from './signature-breach.ts';
import type { Signatures } from './signatures.ts';
import { type Ended, type UnderWay, Wallet } from './wallet.ts';
import { type LastSaid, ruleOf } from './wallet-books.ts';

/** Something that was decided about a call that passed. */
export interface TrafficFinding {
  /** null: a balance that nothing explains. That breaks no rule: money moves for reasons of the operator's own too. */
  readonly rule: RuleId | null;
  readonly verdict: 'fail' | 'warn' | 'note' | 'pass';
  readonly call: CallName;
  readonly exchange: string;
  readonly text: string;
}

export interface TrafficJudgeOptions {
  readonly paths: CallPaths;
  readonly signatures: Signatures;
  /** By sessionID. */
  readonly sessions: ReadonlyMap<string, KnownSession>;
  report(finding: TrafficFinding): void;
}

/** Sessions and transactions beyond these are forgotten, the oldest first: what is forgotten is unknown again. */
const MOST_WALLETS = 20_000;
const MOST_KEYS = 200_000;
/** A status that may be another one next time counts once it was seen so often, and over so many ms, with no success in between. */
const LASTING = 3;
const LASTING_MS = 10_000;

/** Judges calls as they pass. It knows only what passed: where that is not enough to tell, nothing is held against the operator. */
export class TrafficJudge {
  readonly #options: TrafficJudgeOptions;
  readonly #wallets: BoundedMap<Wallet>;
  /** Which wallet a transaction belongs to; null: it was forgotten. */
  readonly #owners = new BoundedMap<{ readonly wallet: string; readonly key: string } | null>(MOST_KEYS);
  readonly #underWay = new Map<string, { readonly wallet: Wallet; readonly call: UnderWay; readonly seen: SeenCall }>();
  /** Sessions of which calls were accepted; true: with a signature that a known key gives. */
  readonly #goodSessions = new BoundedMap<boolean>(MOST_KEYS);
  /** Sessions whose player isn't known, with the number of the last call that moved their money, and what was answered. */
  readonly #movers = new BoundedMap<{ readonly number: number; readonly said: Money | null }>(MOST_WALLETS);
  /** Calls that met another one about money of their wallet. */
  readonly #met = new BoundedMap<true>(MOST_KEYS);
  readonly #inRow = new Map<string, { count: number; readonly since: number }>();
  #number = 0;

  constructor(options: TrafficJudgeOptions) {
    this.#options = options;
    this.#wallets = new BoundedMap(MOST_WALLETS, (wallet) => wallet.books.forgetAll());
  }

  get forgottenWallets(): number {
    return this.#wallets.forgotten;
  }

  requested(crossing: Crossing): void {
    const seen = crossing.requestBody.isCut ? null : seenRequest(crossing, this.#options.paths);
    if (!seen) return;
    const wallet = this.#walletOf(seen.sessionID);
    this.#number += 1;
    const call = wallet.begin(this.#number, seen.call !== 'balance');
    this.#underWay.set(crossing.id, { wallet, call, seen });
  }

  /** @param outcome null: it can't be told how it ended */
  ended(crossing: Crossing, outcome: Outcome | null): void {
    const known = this.#underWay.get(crossing.id);
    if (!known) return;
    const { wallet, call, seen } = known;
    this.#underWay.delete(crossing.id);
    const isCut = outcome?.kind === 'reply' && outcome.reply.body.truncated;
    if (outcome === null || isCut || !crossing.isWhole) {
      wallet.drop(call);
      wallet.books.loosen();
      return;
    }
    const session = seen.sessionID === null ? undefined : this.#options.sessions.get(seen.sessionID);
    const full = answered(seen, crossing, outcome, session);
    const told = tellCall(
      full,
      null,
      {
        number: call.number,
        atMs: full.exchange.time?.ms ?? null,
        wallet: wallet.name,
      },
      // Signatures are verified from the bytes that passed, and more is known of them here.
      () => NO_KEYS,
    );
    const ended: Ended = {
      underWay: call,
      crossing,
      told,
      signature: this.#options.signatures.check(crossing),
      isWellFormed: isWellFormed(crossing),
    };
    for (const one of wallet.end(ended)) this.#judge(one, wallet);
  }

  /** Not everything was seen: what is known of balances is not, any more. */
  missed(): void {
    for (const { wallet, call } of this.#underWay.values()) wallet.drop(call);
    this.#underWay.clear();
    for (const wallet of this.#wallets.values()) {
      wallet.books.forgetAll();
      wallet.books.loosen();
    }
  }

  #walletOf(sessionID: string | null): Wallet {
    const session = sessionID === null ? undefined : this.#options.sessions.get(sessionID);
    const player = session?.player ?? null;
    const name = player === null ? `session ${sessionID ?? ''}` : `player ${player} ${session?.currency ?? ''}`;
    const wallet =
      this.#wallets.get(name) ?? new Wallet(name, player === null, (key) => this.#owners.set(plain(key), null));
    this.#wallets.set(name, wallet);
    return wallet;
  }

  #judge(ended: Ended, wallet: Wallet): void {
    const { told, underWay, signature } = ended;
    const { books } = wallet;
    if (underWay.met) this.#met.set(String(told.number), true);
    const owner = told.seen.txID === null ? undefined : this.#owners.get(told.seen.txID);
    const oddness = oddnessOf(ended, wallet, owner, (txID) => this.#owners.get(txID));
    const transaction = books.enter(told);
    if (transaction?.txID != null && owner === undefined)
      this.#owners.set(transaction.txID, { wallet: wallet.name, key: transaction.key });
    const { sessionID } = told.seen;
    const isVerified = sessionID === null ? undefined : this.#goodSessions.get(sessionID);
    const isGood = isVerified !== undefined;
    this.#signature(ended, isVerified === true);
    this.#reply(ended, wallet, transaction, { isOdd: oddness !== 'usual', isGood });
    if (told.done === 'yes' && sessionID !== null)
      this.#goodSessions.set(sessionID, isVerified === true || signature === 'right');
    if (oddness === 'usual') this.#book(ended, wallet, transaction);
    else {
      books.book(told, transaction, false);
      if (told.done !== 'no') {
        if (transaction) books.odd.add(transaction.key);
        books.loosen();
        if (oddness !== 'odd') this.#wallets.get(oddness.alsoOf)?.books.loosen();
      }
    }
    if (wallet.isAlias && told.seen.call !== 'balance' && told.done !== 'no') {
      const said = underWay.met ? null : told.balance;
      this.#movers.set(wallet.name, { number: told.number, said });
    }
    if (signature === 'right' && told.done === 'yes') this.#pass('signature.accepted', ended);
    if ((signature === 'wrong' || signature === 'missing') && told.ending === 'refused')
      this.#pass(signature === 'wrong' ? 'signature.mismatch' : 'signature.missing', ended);
  }

  #book(ended: Ended, wallet: Wallet, transaction: Transaction | undefined): void {
    const { told, underWay, crossing } = ended;
    const { books } = wallet;
    const before = books.lastSaid;
    const deviations = books.book(told, transaction, !underWay.met);
    if (deviations.length === 0 && before !== null && books.fits(told)) {
      if (told.seen.call === 'bet') this.#pass('bet.debit', ended);
      if (told.seen.call === 'win') this.#pass('win.credit', ended);
    }
    for (const deviation of deviations) {
      if (wallet.isAlias && this.#mayBeAnothers(wallet, before, deviation)) continue;
      const rule = ruleOf(deviation, (transaction) => this.#wasAtOnce(transaction));
      const { said, expected, causes } = deviation;
      const sum = `the balance is ${said}, and must be ${expected}`;
      const [cause] = causes;
      const again = cause?.repeat ? ` (call ${cause.repeat.number})` : '';
      const text = cause ? `${sum}: ${cause.text}${again}` : `${sum}: no call that passed here explains it`;
      this.#find(rule, rule === null ? 'note' : verdictOf(rule), told.seen.call, crossing.id, text);
    }
  }

  /**
   * Who plays in a session isn't known: another one that moved money meanwhile may be the same player's. It is not when its balance is
   * one that this wallet can't have had.
   */
  #mayBeAnothers(wallet: Wallet, before: LastSaid | null, { said, expected, causes }: Deviation): boolean {
    if (before === null) return true;
    const own = expected.minus(before.balance);
    const hadAtOnce = causes.some(({ transaction }) => this.#wasAtOnce(transaction));
    for (const [name, other] of this.#movers.entries()) {
      if (name === wallet.name || other.number < before.number) continue;
      if (hadAtOnce || other.said === null || other.said.equals(said) || other.said.equals(said.minus(own)))
        return true;
    }
    return false;
  }

  #wasAtOnce({ attempts }: Transaction): boolean {
    return attempts.some(({ number }) => this.#met.has(String(number)));
  }

  #signature(ended: Ended, isGood: boolean): void {
    const found = signatureBreach(ended, isGood);
    if (!found) return;
    if (found.isPassing && !this.#isLasting(`${found.rule} ${ended.told.seen.call}`, ended.crossing)) return;
    this.#find(found.rule, found.verdict, ended.told.seen.call, ended.crossing.id, found.text);
  }

  #reply(
    ended: Ended,
    { books }: Wallet,
    transaction: Transaction | undefined,
    { isOdd, isGood }: { readonly isOdd: boolean; readonly isGood: boolean },
  ): void {
    const { told, underWay, crossing } = ended;
    const { call } = told.seen;
    const found = breachesOf([told], transaction ? [transaction] : [], books.bets, {
      currency: told.seen.currency,
      isKeyProven: false,
    });
    const own = found.filter(({ call: number }) => number === told.number);
    const counted = own.filter(({ rule }) => {
      if (isAboutReply(rule)) return rule !== 'reply.deadline' || !underWay.met;
      if (isOdd || underWay.met) return false;
      // Whether a read may be refused depends on the session, of which only the operator knows.
      if (rule === 'balance.read' && (told.status ?? 0) < 500 && told.status !== 200) return false;
      return isGood || told.done === 'yes';
    });
    for (const { rule, verdict, text } of counted) {
      const mayPass = isPassing(told.status ?? undefined) || told.status === 409;
      // A conflict with a bet that never was is none.
      const isBlind = told.status === 409 && call === 'refund' && !books.bets.has(told.seen.origTxID ?? '');
      const forMs = isBlind ? 0 : LASTING_MS;
      if (mayPass && !this.#isLasting(`${rule} ${call} ${told.status}`, crossing, forMs)) continue;
      this.#find(rule, verdict, call, crossing.id, text);
    }
    if (told.done !== 'yes' || told.ending !== 'accepted') return;
    for (const key of this.#inRow.keys()) if (key.includes(` ${call}`)) this.#inRow.delete(key);
    if (own.length === 0) for (const rule of GOOD_REPLY) this.#pass(rule, ended);
  }

  /** @returns true when it was so for as long as makes an accident unlikely, and never otherwise in between */
  #isLasting(what: string, { start }: Crossing, forMs = LASTING_MS): boolean {
    const row = this.#inRow.get(what) ?? { count: 0, since: start };
    row.count += 1;
    this.#inRow.set(what, row);
    return row.count >= LASTING && start - row.since >= forMs;
  }

  #pass(rule: RuleId, { told, crossing }: Ended): void {
    this.#find(rule, 'pass', told.seen.call, crossing.id, '');
  }

  #find(rule: RuleId | null, verdict: TrafficFinding['verdict'], call: CallName, exchange: string, text: string): void {
    this.#options.report({ rule, verdict, call, exchange, text });
  }
}

const GOOD_REPLY = ['reply.success-is-200', 'reply.json', 'money.decimal-string'] as const satisfies readonly RuleId[];

function verdictOf(rule: RuleId): 'fail' | 'warn' | 'note' {
  const { level } = ruleById(rule);
  return level === 'MUST' ? 'fail' : level === 'SHOULD' ? 'warn' : 'note';
}

/** What a reply is like, whatever was asked. */
function isAboutReply(rule: RuleId): boolean {
  return /^(?:reply|money|signature)\./.test(rule);
}

function isWellFormed({ call, url, requestBody }: Crossing): boolean {
  if (call === null) return false;
  try {
    const sent: unknown =
      call === 'balance'
        ? Object.fromEntries(new URL(url).searchParams)
        : JSON.parse(requestBody.bytes().toString('utf8'));
    return REQUEST_SCHEMAS[call].safeParse(sent).success;
  } catch {
    return false;
  }
}

function plain(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}
