import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import type { Money } from '../../contract/money.ts';
import { type HeaderList, header } from '../../journal/exchange.ts';
import type { Verdict } from '../../journal/finding.ts';
import { answerOfReply, isPublishedCode, type ReplyAnswer } from '../../reply/classify.ts';
import { describeProblem, problemsOf, type ReplyProblem, verdictOnTime } from '../../reply/problems.ts';
import { signatureProblem } from '../../reply/signature.ts';
import { isBusy, isClientError, isServerError, isSuccess, isWorthRetrying } from '../../reply/status.ts';
import { hasFloatRest } from '../books/float-rest.ts';
import { isCut, isPerhapsDeclined, isReplaced, isRightlyDeclined, type LoggedCall, met } from '../calls/logged-call.ts';
import { isClientClosed } from '../calls/outcome.ts';
import { type Bets, isBefore, isBetKnown, isUndueRefund, type Transaction, wasBefore } from '../calls/transaction.ts';
import { isMasked } from '../masked.ts';
import type { RecordedCall } from '../recorded-call.ts';

/** A rule that the reply to one call breaks, as a failure or as a warning. */
export interface Breach {
  readonly call: number;
  readonly rule: RuleId;
  readonly verdict: Extract<Verdict, 'fail' | 'warn'>;
  readonly text: string;
  /** Other rules that, if they are broken, explain this breach. Left out if there are none, or if they are not known. */
  readonly causes?: readonly RuleId[];
}

/**
 * Finds the rules that single replies break, and the rules that the replies to repeated calls break. Leaves out calls that croupier
 * has judged already.
 *
 * @param currency the currency of the wallet; null if it is unknown
 * @param isKeyProven true if a call is signed correctly with one of the given keys, so the operator has the same keys
 */
export function breachesOf(
  calls: readonly LoggedCall[],
  transactions: readonly Transaction[],
  bets: Bets,
  { currency, isKeyProven }: { readonly currency: string | null; readonly isKeyProven: boolean },
): readonly Breach[] {
  const judged = new Set(calls.flatMap(({ number, seen }) => (seen.exchange.isJudged ? [number] : [])));
  return [
    ...calls.flatMap((call) => [
      ...signatureBreaches(call, isKeyProven),
      ...replyBreaches(call, calls, bets, currency),
    ]),
    ...transactions.flatMap((transaction) => transactionBreaches(transaction, { transactions, bets, calls })),
    ...wrongDeclines(calls),
  ]
    .filter(({ call }) => !judged.has(call))
    .toSorted((a, b) => a.call - b.call);
}

function breach(call: LoggedCall, rule: RuleId, text: string, isWarning = false): Breach {
  return { call: call.number, rule, verdict: isWarning || ruleById(rule).level !== 'MUST' ? 'warn' : 'fail', text };
}

function breachFrom(call: LoggedCall, rule: RuleId, problem: ReplyProblem): Breach {
  return breach(call, rule, describeProblem(problem), problem.kind !== 'breach');
}

/** Classifies the reply to a call by its status and body. Returns null if no reply is known. */
export function replyAnswerTo({ seen, status, reading }: LoggedCall): ReplyAnswer | null {
  return status === null ? null : answerOfReply(seen.call, status, reading);
}

function signatureBreaches(call: LoggedCall, isKeyProven: boolean): readonly Breach[] {
  // The log has only the beginning of the body. The missing part may contain a code that says why the call was answered 401.
  if (isCodeCut(call)) return [];
  const problem = signatureProblem({ ...call, answer: replyAnswerTo(call), isKeyProven });
  return problem ? [breachFrom(call, ...problem)] : [];
}

function replyBreaches(
  call: LoggedCall,
  calls: readonly LoggedCall[],
  bets: Bets,
  currency: string | null,
): readonly Breach[] {
  const { status, ending } = call;
  switch (ending) {
    case 'lost':
    case 'not-sent':
    case 'unknown':
      return [];
    case 'late':
      return [...deadlineBreaches(call), ...(isSuccess(status) ? bodyBreaches(call, bets, currency) : [])];
    case 'accepted':
    case 'error-200':
    case 'declined':
    case 'refused':
    case 'failed':
      // The operator did not write the reply that the service received.
      if (isReplaced(call)) return [];
      return [...bodyBreaches(call, bets, currency), ...errorBreaches(call, calls)];
  }
}

function deadlineBreaches(call: LoggedCall): readonly Breach[] {
  const { seen, alsoSeen } = call;
  // The operator's own log shows that the operator replied in time. So the reply was lost or delayed on its way to the service.
  const own = alsoSeen?.exchange;
  const isLostOnTheWay = seen.exchange.answer.kind === 'none' && own?.answer.kind === 'reply';
  if (isLostOnTheWay && own?.tookMs != null && own.tookMs < REPLY_DEADLINE_MS) return [];
  const tookMs = Math.max(seen.exchange.tookMs ?? 0, alsoSeen?.exchange.tookMs ?? 0);
  if (gaveUpEarly(call)) return [];
  const isWhole = tookMs > REPLY_DEADLINE_MS && (alsoSeen !== null || seen.exchange.answer.kind === 'reply');
  const verdict = verdictOnTime(isWhole, tookMs, REPLY_DEADLINE_MS);
  return typeof verdict === 'object' ? [breachFrom(call, 'reply.deadline', verdict)] : [];
}

/**
 * True if the service stopped waiting before the deadline. Then it is not known whether the reply would have come in time. Allows for the
 * precision of the time in the log.
 */
function gaveUpEarly({ seen, alsoSeen }: LoggedCall): boolean {
  return [seen, alsoSeen].some((view) => {
    if (view == null || view.exchange.tookMs === null) return false;
    const { tookMs, time, answer, side } = view.exchange;
    const isGivenUp =
      answer.kind === 'none' ? side === 'service' : answer.kind === 'reply' && isClientClosed(answer.status);
    return isGivenUp && tookMs < REPLY_DEADLINE_MS - Math.max(EARLY_MS, time?.precisionMs ?? 0);
  });
}

/** A client may measure its time-out less exactly than its log shows the time. */
const EARLY_MS = 100;

function bodyBreaches(call: LoggedCall, bets: Bets, currency: string | null): readonly Breach[] {
  const { status, reading, seen, ending } = call;
  const answer = replyAnswerTo(call);
  if (status === null || answer === null || hasMasked(reading) || ending === 'unknown') return [];
  const problems = problemsOf({
    call: seen.call,
    answer,
    status,
    reading,
    contentType: contentType(call),
    currency: currency === null ? undefined : currencyByCode(currency),
    isBetKnown: seen.call === 'refund' && isBetKnown(seen.origTxID, call, bets),
  });
  const found = problems.flatMap(([rule, problem]) =>
    problem.kind === 'note' || mayBeAfterCut(rule, reading) ? [] : [breachFrom(call, rule, problem)],
  );
  const written = reading?.balance.written;
  if (answer !== 'accepted' || written === undefined || !hasFloatRest(written)) return found;
  // The rounding error is also the cause of the many decimals of the balance. So the number of decimals is not reported as a
  // second breach.
  return [
    ...found.filter(({ rule }) => rule !== 'money.precision'),
    breach(call, 'money.exact', `the balance ${written} has the rounding error of binary floating-point numbers`),
  ];
}

/** True if the logger has cut the body of an error before the place where its code may be. */
function isCodeCut({ reading, code, ending }: LoggedCall): boolean {
  return isCut(reading) && code === null && ending !== 'accepted';
}

/** True if the log has only the beginning of the body, and the missing part may have what the rule requires. */
function mayBeAfterCut(rule: RuleId, reading: LoggedCall['reading']): boolean {
  if (!isCut(reading)) return false;
  const isMissing = {
    'reply.tx-id': reading?.txIDForm === 'missing',
    'reply.error-message': reading?.messageForm === 'missing',
    'money.decimal-string': reading?.balance.form === 'missing',
  };
  return (
    rule === 'reply.json' ||
    rule === 'signature.message' ||
    rule === 'balance.read' ||
    (isMissing[rule as keyof typeof isMissing] ?? false)
  );
}

/** True if the log does not show all values of the body. */
function hasMasked(reading: LoggedCall['reading']): boolean {
  return Object.values(reading?.object ?? {}).some((value) => typeof value === 'string' && isMasked(value));
}

/** Returns the content type of the reply, undefined if the reply had none, and null if its headers were not logged. */
function contentType({ seen, alsoSeen }: LoggedCall): string | null | undefined {
  const headers = headersOf(seen) ?? (alsoSeen === null ? null : headersOf(alsoSeen));
  return headers === null ? null : header(headers, 'content-type');
}

/** Returns the headers of the reply, or null if they were not logged. */
function headersOf({ exchange: { answer } }: RecordedCall): HeaderList | null {
  return answer.kind === 'reply' && answer.headers !== null && answer.headers.length > 0 ? answer.headers : null;
}

/** Returns the rules that are broken because an error reply is not allowed for its call. */
function errorBreaches(call: LoggedCall, calls: readonly LoggedCall[]): readonly Breach[] {
  const { ending, seen, code, status } = call;
  if (
    mayDecline(call) ||
    isPassing(call, [call], calls) ||
    // The operator asks for another attempt. A balance call moves no money, so nothing depends on this one.
    (seen.call === 'balance' && isClientError(status) && isWorthRetrying(status)) ||
    ending === 'accepted' ||
    ending === 'error-200' ||
    ending === 'refused'
  )
    return [];
  if (seen.call === 'bet' && status === 500 && code === 'insufficient_funds')
    return [
      breach(
        call,
        'bet.insufficient-funds',
        'the operator answered insufficient_funds with status 500, so the service must send a refund',
        true,
      ),
    ];
  // An operator may answer with a published code which says that the session has ended or that the account is blocked. Such a reply
  // breaks no rule.
  const isCodeKnown = (call.reading !== null && !isCodeCut(call)) || isServerError(status);
  return seen.call === 'balance' && (status === 500 || (!isPublishedCode(code) && isCodeKnown))
    ? [breach(call, 'balance.read', `the operator answered the balance call with ${status}`)]
    : [];
}

/** True if the operator declined a call and perhaps had a right to do so. Such a reply proves no breach. */
function mayDecline(call: LoggedCall): boolean {
  return isRightlyDeclined(call) || isPerhapsDeclined(call);
}

/**
 * Returns the bets of exactly the balance that were declined with `insufficient_funds`. The replies directly before and after
 * the bet must contain the same balance.
 */
function wrongDeclines(calls: readonly LoggedCall[]): readonly Breach[] {
  return calls.flatMap((bet, index) => {
    const { amount, code, ending } = bet;
    const [before, after] = [calls[index - 1], calls[index + 1]];
    if (
      bet.seen.call !== 'bet' ||
      bet.seen.type === 'free' ||
      ending !== 'declined' ||
      code !== 'insufficient_funds' ||
      mayDecline(bet)
    )
      return [];
    if (amount === null || !before || !after || !wasBefore(before, bet) || !wasBefore(bet, after)) return [];
    const held = balanceAfter(before);
    const isSame = held !== null && (balanceBefore(after)?.equals(held) ?? false);
    if (!isSame || amount.isZero() || !held.equals(amount)) return [];
    return [
      breach(
        bet,
        'bet.exact-balance',
        `a bet of ${amount} was declined with insufficient_funds, but the balance was ${held} in the replies before and after it`,
      ),
    ];
  });
}

/** The balance after a call, from its reply. Null if it is not certain. */
function balanceAfter({ seen, ending, balance }: LoggedCall): Money | null {
  return ending === 'accepted' && seen.call !== 'refund' ? balance : null;
}

/** Returns the balance before a call. It is computed from the balance in the reply to this call. Null if it is not certain. */
function balanceBefore(call: LoggedCall): Money | null {
  const said = balanceAfter(call);
  if (said === null || call.seen.call === 'balance') return said;
  if (call.amount === null) return null;
  return call.seen.call === 'bet' ? said.plus(call.amount) : said.minus(call.amount);
}

interface WalletCalls {
  readonly transactions: readonly Transaction[];
  readonly bets: Bets;
  readonly calls: readonly LoggedCall[];
}

function transactionBreaches(transaction: Transaction, { transactions, bets, calls }: WalletCalls): readonly Breach[] {
  const { call, attempts } = transaction;
  const found: Breach[] = [];
  const first = attempts.find(({ done, ending }) => done === 'yes' && ending === 'accepted');
  if (call === 'refund' && !isUndueRefund(transaction, transactions, bets))
    found.push(...refundBreaches(transaction, bets, calls));
  if (!first) return found;
  const refunds = transactions.filter((one) => one.call === 'refund' && one.origTxID === transaction.txID);
  for (const again of attempts.filter((one) => one.number > first.number && !mayDecline(one) && !isReplaced(one))) {
    const rule = `idempotency.${call}` as const;
    if (amountsDiffer(first, again)) {
      if (again.ending === 'accepted')
        found.push(
          breach(
            again,
            'idempotency.conflicting-body',
            'the operator accepted the same txID again with a different amount',
            true,
          ),
        );
      continue;
    }
    if (again.ending === 'declined' || again.ending === 'failed' || again.ending === 'error-200') {
      const isRefunded = call === 'bet' && refunds.some((refund) => isBefore(refund.attempts, [again]));
      if (isRefunded || isReplyUnlogged(first) || isPassing(again, attempts, calls)) continue;
      found.push(
        breach(
          again,
          rule,
          `the call repeats call ${first.number}, which was answered 200, but it was answered ${again.status}`,
        ),
      );
    } else if (again.ending === 'accepted') found.push(...replayBreaches(first, again, rule));
  }
  return found;
}

/** True if both sides logged a call, and the service's log does not show which reply the service got. */
function isReplyUnlogged({ seen, alsoSeen }: LoggedCall): boolean {
  return alsoSeen !== null && seen.exchange.answer.kind === 'unknown';
}

/**
 * Returns the rules that are broken because a refund was not answered 200. An operator must accept a refund even if it does not
 * know the bet of the refund.
 */
function refundBreaches(
  { origTxID, attempts }: Transaction,
  bets: Bets,
  calls: readonly LoggedCall[],
): readonly Breach[] {
  const declined = attempts.filter(
    (one) =>
      !isReplaced(one) &&
      (one.ending === 'declined' || one.ending === 'failed' || one.ending === 'error-200') &&
      !mayDecline(one) &&
      !isPassing(one, attempts, calls),
  );
  return declined.map((attempt) => {
    const status = attempt.status ?? 'with an error';
    const text = `a refund must be answered 200, even if its bet is not known, but it was answered ${status}`;
    return breach(attempt, isBetKnown(origTxID, attempt, bets) ? 'refund.restore' : 'refund.unknown', text);
  });
}

/**
 * True if the operator perhaps declined a call only for the moment: its status invites another attempt. And a later attempt was
 * accepted, or another call of the wallet was in flight, or the operator said only once that it was too
 * busy.
 */
function isPassing(call: LoggedCall, attempts: readonly LoggedCall[], calls: readonly LoggedCall[]): boolean {
  if (!isWorthRetrying(call.status) || call.status === 500) return false;
  if (attempts.some(({ number, ending }) => number > call.number && ending === 'accepted')) return true;
  if (isBusy(call.status) && attempts.filter(({ status }) => isBusy(status)).length === 1) return true;
  return calls.some((other) => other.number !== call.number && met(call, other) !== 'no');
}

function amountsDiffer(a: LoggedCall, b: LoggedCall): boolean {
  return a.amount !== null && b.amount !== null && !a.amount.equals(b.amount);
}

function replayBreaches(first: LoggedCall, again: LoggedCall, rule: RuleId): readonly Breach[] {
  const found: Breach[] = [];
  if (first.replyTxID !== null && again.replyTxID !== null && first.replyTxID !== again.replyTxID) {
    found.push(
      breach(
        again,
        rule,
        `the call repeats call ${first.number}, but was answered with another txID, so it was carried out again`,
      ),
    );
  } else if (first.balance !== null && again.balance !== null && !first.balance.equals(again.balance)) {
    const said = `${again.balance} instead of ${first.balance}`;
    found.push(
      breach(
        again,
        'idempotency.same-reply',
        `the call repeats call ${first.number}, but was answered with another balance: ${said}`,
      ),
    );
  }
  return found;
}
