import { LRUCache } from 'lru-cache';
import type { CallName } from '../../contract/call-name.ts';
import { REQUEST_SCHEMAS } from '../../contract/calls.ts';
import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import type { Money } from '../../contract/money.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { describeProblem } from '../../reply/problems.ts';
import { signatureProblem } from '../../reply/signature.ts';
import { isServerError, isWorthRetrying } from '../../reply/status.ts';
import type { Deviation } from '../books/deviation.ts';
import type { KnownSession } from '../call-selection.ts';
import { loggedCall } from '../calls/logged-call.ts';
import { NO_KEYS } from '../calls/signature.ts';
import type { Transaction } from '../calls/transaction.ts';
import type { CallPaths, RecordedCall } from '../recorded-call.ts';
import { breachesOf, replyAnswerTo } from '../timeline/breach.ts';
import { effectCertainty, type Owner } from './effect-certainty.ts';
import type { JudgedCall } from './proxied-call.ts';
import { loggedRequest, signatureOf, withReply } from './proxied-exchange.ts';
import { type EndedCall, type PendingCall, Wallet } from './wallet.ts';
import { type LastBalance, ruleOf, type WalletHistory } from './wallet-history.ts';

/** A finding about one proxied call. */
export interface TrafficFinding {
  /**
   * The rule; null for a balance that no call explains. Such a balance breaks no rule, because operators move money for
   * other reasons too.
   */
  readonly rule: RuleId | null;
  readonly verdict: 'fail' | 'warn' | 'note' | 'pass';
  readonly call: CallName;
  readonly exchange: string;
  readonly text: string;
}

/** The balance in the reply to a call, and the balance that follows from the calls before this call. */
export interface BalanceCheck {
  readonly exchange: string;
  /** The balance in the reply; null if the reply has none. */
  readonly said: Money | null;
  /** Every balance that is possible after the call. Null if it is not known. */
  readonly expected: readonly Money[] | null;
  /**
   * `unknown` means that the balance was not compared. For example, it is the first balance of the wallet, another call was in
   * flight, or the reply may be the stored reply to an earlier attempt.
   */
  readonly result: 'right' | 'wrong' | 'unknown';
}

export interface TrafficJudgeOptions {
  readonly paths: CallPaths;
  /** The keys that the service may sign with. A signature is correct if it matches one of these keys. */
  readonly keys: readonly string[];
  /** The known sessions by their sessionID. */
  readonly sessions: ReadonlyMap<string, KnownSession>;
  report(finding: TrafficFinding): void;
  /**
   * True for a bet that the service has not sent before, so that the operator cannot know it. Without this function, the operator
   * may know each bet that the judge has not seen.
   */
  isUnsent?(txID: string): boolean;
  /**
   * Returns the number by which findings name a call. Later calls must have higher numbers. Without this function, the judge counts
   * the calls itself.
   */
  numberOf?(call: JudgedCall): number;
  /** Is called once for each judged call. */
  onBalance?(check: BalanceCheck): void;
}

/**
 * Maximum number of wallets in memory. The least recently used wallets are forgotten first. `MAX_KEYS` is the maximum number of
 * sessions, and the maximum number of transactions.
 */
const MAX_WALLETS = 20_000;
const MAX_KEYS = 200_000;
/**
 * The number of equal errors in a row that count as a failure, although each of them may be temporary. The errors must also last
 * for at least `LASTING_MS` milliseconds.
 */
const LASTING = 3;
const LASTING_MS = 10_000;

/**
 * Judges proxied calls. It knows only the traffic that passed through the proxy. If this traffic is not enough to decide, it
 * reports nothing.
 */
export class TrafficJudge {
  readonly #options: TrafficJudgeOptions;
  readonly #wallets: LRUCache<string, Wallet>;
  #forgottenWallets = 0;
  /** The wallet that each transaction belongs to, by txID. */
  readonly #owners = new LRUCache<string, Owner>({ max: MAX_KEYS });
  readonly #pending = new Map<
    string,
    { readonly wallet: Wallet; readonly call: PendingCall; readonly seen: RecordedCall }
  >();
  /** Sessions with accepted calls. The value is true if at least one of these calls was signed with a known key. */
  readonly #goodSessions = new LRUCache<string, boolean>({ max: MAX_KEYS });
  /** For each session without a known player: the last call that moved money, and the balance in its reply. */
  readonly #movers = new LRUCache<string, { readonly number: number; readonly said: Money | null }>({
    max: MAX_WALLETS,
  });
  /** Numbers of the calls that were in flight at the same time as another call that moves money in the same wallet. */
  readonly #overlapped = new LRUCache<string, true>({ max: MAX_KEYS });
  readonly #inRow = new Map<string, { count: number; readonly since: number }>();
  #number = 0;

  constructor(options: TrafficJudgeOptions) {
    this.#options = options;
    this.#wallets = new LRUCache<string, Wallet>({
      max: MAX_WALLETS,
      dispose: (wallet, _, reason) => {
        if (reason !== 'evict') return;
        this.#forgottenWallets += 1;
        wallet.history.forgetAll();
      },
    });
  }

  get forgottenWallets(): number {
    return this.#forgottenWallets;
  }

  requested(proxiedCall: JudgedCall): void {
    const seen = proxiedCall.requestBody.isCut ? null : loggedRequest(proxiedCall, this.#options.paths);
    if (!seen) return;
    const wallet = this.#walletOf(seen.sessionID);
    this.#number = this.#options.numberOf?.(proxiedCall) ?? this.#number + 1;
    const call = wallet.begin(this.#number, seen.call !== 'balance');
    this.#pending.set(proxiedCall.id, { wallet, call, seen });
  }

  /**
   * Judges a call after its end.
   *
   * @param outcome null if the outcome is unknown
   */
  ended(proxiedCall: JudgedCall, outcome: Outcome | null): void {
    const known = this.#pending.get(proxiedCall.id);
    if (!known) return;
    const { wallet, call, seen } = known;
    this.#pending.delete(proxiedCall.id);
    const isCut = outcome?.kind === 'reply' && outcome.reply.body.truncated;
    if (outcome === null || isCut || !proxiedCall.isWhole) {
      wallet.drop(call);
      wallet.history.loosen();
      return;
    }
    const session = seen.sessionID === null ? undefined : this.#options.sessions.get(seen.sessionID);
    const full = withReply(seen, proxiedCall, outcome, session);
    const logged = loggedCall(
      full,
      null,
      {
        number: call.number,
        atMs: full.exchange.time?.ms ?? null,
        wallet: wallet.name,
      },
      // `#signature` verifies signatures from the proxied bytes, so no keys are needed here.
      () => NO_KEYS,
    );
    const ended: EndedCall = {
      pending: call,
      proxiedCall,
      logged,
      signature: signatureOf(proxiedCall, this.#options.keys),
      isWellFormed: isWellFormed(proxiedCall),
    };
    for (const one of wallet.end(ended)) this.#judge(one, wallet);
  }

  /** Handles a change of a player's balance that no call shows. The next balance of the player is accepted. */
  balanceChanged(player: string, currency: string): void {
    this.#wallets.get(walletName(player, currency))?.balanceChanged();
  }

  /** Is called if calls were left out because there were too many. After that, no balance is known. */
  missed(): void {
    for (const { wallet, call } of this.#pending.values()) wallet.drop(call);
    this.#pending.clear();
    for (const wallet of this.#wallets.values()) {
      wallet.history.forgetAll();
      wallet.history.loosen();
    }
  }

  #walletOf(sessionID: string | null): Wallet {
    const session = sessionID === null ? undefined : this.#options.sessions.get(sessionID);
    const player = session?.player ?? null;
    const name = player === null ? `session ${sessionID ?? ''}` : walletName(player, session?.currency ?? '');
    const wallet =
      this.#wallets.get(name) ??
      new Wallet(name, player === null, {
        onForgotten: (key) => this.#owners.set(key.slice(key.indexOf(' ') + 1), 'forgotten'),
        isUnsent: (txID) => this.#options.isUnsent?.(txID) === true,
      });
    this.#wallets.set(name, wallet);
    return wallet;
  }

  #judge(ended: EndedCall, wallet: Wallet): void {
    const { logged, pending, signature } = ended;
    const { history } = wallet;
    if (pending.overlapped) this.#overlapped.set(String(logged.number), true);
    const owner = logged.seen.txID === null ? undefined : this.#owners.get(logged.seen.txID);
    const certainty = effectCertainty(ended, wallet, owner, (txID) => this.#owners.get(txID));
    const transaction = history.enter(logged);
    if (transaction?.txID != null && owner === undefined)
      this.#owners.set(transaction.txID, { wallet: wallet.name, key: transaction.key });
    const { sessionID } = logged.seen;
    const isVerified = sessionID === null ? undefined : this.#goodSessions.get(sessionID);
    const isGood = isVerified !== undefined;
    this.#signature(ended, isVerified === true);
    this.#reply(ended, wallet, transaction, { isUncertain: certainty !== 'certain', isGood });
    if (logged.done === 'yes' && sessionID !== null)
      this.#goodSessions.set(sessionID, isVerified === true || signature === 'right');
    if (certainty === 'certain') this.#book(ended, wallet, transaction);
    else {
      history.book(logged, transaction, false);
      this.#balance(ended, null, 'unknown');
      if (logged.done !== 'no') {
        if (transaction) history.uncertain.add(transaction.key);
        history.loosen();
        if (certainty !== 'uncertain') this.#wallets.get(certainty.alsoIn)?.history.loosen();
      }
    }
    if (wallet.isAlias && logged.seen.call !== 'balance' && logged.done !== 'no') {
      const said = pending.overlapped ? null : logged.balance;
      this.#movers.set(wallet.name, { number: logged.number, said });
    }
    if (signature === 'right' && logged.done === 'yes') this.#pass('signature.accepted', ended);
    if ((signature === 'wrong' || signature === 'missing') && logged.ending === 'refused')
      this.#pass(signature === 'wrong' ? 'signature.mismatch' : 'signature.missing', ended);
  }

  #book(ended: EndedCall, wallet: Wallet, transaction: Transaction | undefined): void {
    const { logged, pending, proxiedCall } = ended;
    const { history } = wallet;
    const before = history.lastBalance;
    const deviations = history.book(logged, transaction, !pending.overlapped);
    // After a change of unknown size, the next balance can't be compared, so it is accepted as right.
    let result: BalanceCheck['result'] = deviations.length === 0 && history.fits(logged) ? 'right' : 'unknown';
    if (result === 'right') {
      if (logged.seen.call === 'bet') this.#pass('bet.debit', ended);
      if (logged.seen.call === 'win') this.#pass('win.credit', ended);
    }
    for (const deviation of deviations) {
      if (wallet.isAlias && this.#maySharePlayer(wallet, before, deviation)) continue;
      result = 'wrong';
      const rule = ruleOf(deviation, (transaction) => this.#hasOverlap(transaction));
      const { said, expected, causes } = deviation;
      const decimals = currencyByCode(logged.seen.currency ?? '')?.decimals ?? 0;
      const sum = `the balance is ${said.format(decimals)}, but must be ${expected.format(decimals)}`;
      const [cause] = causes;
      const again = cause?.repeat ? ` (call ${cause.repeat.number})` : '';
      const text = cause
        ? `${sum}: ${cause.text}${again}`
        : `${sum}: no call that passed through the proxy explains the difference`;
      this.#find(rule, rule === null ? 'note' : verdictOf(rule), logged.seen.call, proxiedCall.id, text);
    }
    this.#balance(ended, history, result);
  }

  #balance({ logged, proxiedCall }: EndedCall, history: WalletHistory | null, result: BalanceCheck['result']): void {
    this.#options.onBalance?.({
      exchange: proxiedCall.id,
      said: logged.balance,
      expected: history?.expected ?? null,
      result,
    });
  }

  /**
   * True if a call of another session may explain a wrong balance, because both sessions may belong to the same player. The other
   * session counts only if it has moved money since the last known balance. It does not count if its own last balance differs from
   * the balances of this wallet before and after the call.
   */
  #maySharePlayer(wallet: Wallet, before: LastBalance | null, { said, expected, causes }: Deviation): boolean {
    if (before === null) return true;
    const own = expected.minus(before.balance);
    const causeOverlapped = causes.some(({ transaction }) => this.#hasOverlap(transaction));
    for (const [name, other] of this.#movers.entries()) {
      if (name === wallet.name || other.number < before.number) continue;
      if (causeOverlapped || other.said === null || other.said.equals(said) || other.said.equals(said.minus(own)))
        return true;
    }
    return false;
  }

  #hasOverlap({ attempts }: Transaction): boolean {
    return attempts.some(({ number }) => this.#overlapped.has(String(number)));
  }

  /**
   * Reports a wrong signature, and a reply that is wrong for the signature.
   *
   * @param isVerified true if the operator accepted an earlier call of the session that had a correct signature
   */
  #signature(ended: EndedCall, isVerified: boolean): void {
    const { logged, proxiedCall, isWellFormed, signature } = ended;
    const found = signatureProblem({ ...logged, signature, answer: replyAnswerTo(logged), isKeyProven: isVerified });
    if (!found) return;
    const [rule, problem] = found;
    const { call } = logged.seen;
    // A 401 for a correct signature may have another reason: the session is not valid, or the format of the call is wrong. The 401
    // is certainly a breach if the format is right, and the operator has accepted an earlier call of this session.
    const isCertain = isVerified && isWellFormed;
    if (rule === 'signature.accepted' && !(isCertain && this.#isLasting(`${rule} ${call}`, proxiedCall))) return;
    this.#find(
      rule,
      problem.kind === 'breach' ? verdictOf(rule) : 'warn',
      call,
      proxiedCall.id,
      describeProblem(problem),
    );
  }

  #reply(
    ended: EndedCall,
    { history }: Wallet,
    transaction: Transaction | undefined,
    { isUncertain, isGood }: { readonly isUncertain: boolean; readonly isGood: boolean },
  ): void {
    const { logged, pending, proxiedCall } = ended;
    const { call } = logged.seen;
    const found = breachesOf([logged], transaction ? [transaction] : [], history.bets, {
      currency: logged.seen.currency,
      isKeyProven: false,
    });
    // Signature rules are left out here because `#signature` judges them.
    const own = found.filter(({ call: number, rule }) => number === logged.number && !rule.startsWith('signature.'));
    const counted = own.filter(({ rule }) => {
      if (isAboutReply(rule)) return rule !== 'reply.deadline' || !pending.overlapped;
      if (isUncertain || pending.overlapped) return false;
      // The operator may decline a balance call because the session has ended. The proxy cannot know this.
      if (rule === 'balance.read' && !isServerError(logged.status) && logged.status !== 200) return false;
      return isGood || logged.done === 'yes';
    });
    for (const { rule, verdict, text } of counted) {
      // A refund of an unknown bet cannot conflict with another call. So if such a refund is answered 409, the breach counts at
      // once. For other calls, a 409 must occur several times.
      const isBetUnknown = logged.status === 409 && call === 'refund' && !history.bets.has(logged.seen.origTxID ?? '');
      const forMs = isBetUnknown ? 0 : LASTING_MS;
      if (isWorthRetrying(logged.status) && !this.#isLasting(`${rule} ${call} ${logged.status}`, proxiedCall, forMs))
        continue;
      this.#find(rule, verdict, call, proxiedCall.id, text);
    }
    if (logged.done !== 'yes' || logged.ending !== 'accepted') return;
    for (const key of this.#inRow.keys()) if (key.includes(` ${call}`)) this.#inRow.delete(key);
    if (own.length === 0) for (const rule of GOOD_REPLY) this.#pass(rule, ended);
  }

  /**
   * Counts one more occurrence of a result. Returns true if the result has occurred often enough, and over a long enough time, so
   * that it is probably not a temporary problem.
   */
  #isLasting(what: string, { start }: JudgedCall, forMs = LASTING_MS): boolean {
    const row = this.#inRow.get(what) ?? { count: 0, since: start };
    row.count += 1;
    this.#inRow.set(what, row);
    return row.count >= LASTING && start - row.since >= forMs;
  }

  #pass(rule: RuleId, { logged, proxiedCall }: EndedCall): void {
    this.#find(rule, 'pass', logged.seen.call, proxiedCall.id, '');
  }

  #find(rule: RuleId | null, verdict: TrafficFinding['verdict'], call: CallName, exchange: string, text: string): void {
    this.#options.report({ rule, verdict, call, exchange, text });
  }
}

/** Returns the name of the wallet of a known player. */
function walletName(player: string, currency: string): string {
  return `player ${player} ${currency}`;
}

const GOOD_REPLY = ['reply.success-is-200', 'reply.json', 'money.decimal-string'] as const satisfies readonly RuleId[];

function verdictOf(rule: RuleId): 'fail' | 'warn' | 'note' {
  const { level } = ruleById(rule);
  return level === 'MUST' ? 'fail' : level === 'SHOULD' ? 'warn' : 'note';
}

/** True if a rule is only about the format of a reply, so that it applies to every call. */
function isAboutReply(rule: RuleId): boolean {
  return /^(?:reply|money)\./.test(rule);
}

function isWellFormed({ call, url, requestBody }: JudgedCall): boolean {
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
