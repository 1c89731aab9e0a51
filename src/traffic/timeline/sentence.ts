import { currencyByCode } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import { Money } from '../../contract/money.ts';
import type { Cause } from '../books/deviation.ts';
import { isSameButForRest } from '../books/float-rest.ts';
import { isCut, type LoggedCall } from '../calls/logged-call.ts';
import type { Transaction } from '../calls/transaction.ts';
import type { Debt } from './debt.ts';
import type { RoundVerdict } from './round-verdict.ts';
import type { WalletVerdict } from './verdict.ts';
import type { WalletState } from './wallet-state.ts';

/**
 * Writes an amount with its currency, in the decimals of the currency. If the currency is unknown, at least two
 * decimals are written.
 */
function amountText(amount: Money, currency: string | null): string {
  const decimals = currency === null ? 2 : (currencyByCode(currency)?.decimals ?? 0);
  const text = amount.format(decimals);
  return currency === null ? text : `${text} ${currency}`;
}

/** Writes a moment in UTC, to the second. */
function timeText(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/**
 * The length of two lines of a ticket, in characters. Each id counts as {@link ID_LENGTH} characters, so that the sentence is
 * the same when a capsule has replaced the ids with aliases.
 */
const MAX_TICKET = 240;
const ID_LENGTH = 20;

/** A verdict for a ticket. */
interface Ticket {
  readonly sentence: string;
  /** True if the sentence describes each debt. Otherwise it gives only the sums. */
  readonly isComplete: boolean;
}

/** Writes the verdict on a wallet in one or two sentences, which can be pasted into a ticket. They fill at most two lines. */
export function walletSentence(verdict: WalletVerdict): string {
  return ticketOf(verdict).sentence;
}

/**
 * Writes each debt of the wallet as a sentence, with its cause and the calls that show it. Returns nothing if
 * {@link walletSentence} has said the same.
 */
export function debtSentences(verdict: WalletVerdict): readonly string[] {
  if (ticketOf(verdict).isComplete) return [];
  const clauses = debtGroups(verdict.debts).map((same) => clauseOf(same, verdict.currency));
  const rest = clauses.length - MAX_DEBTS;
  return [
    ...clauses.slice(0, MAX_DEBTS).map((clause) => `${upper(clause)}.`),
    ...(rest > 0 ? [`… and ${rest} more (--json prints all)`] : []),
  ];
}

/** Maximum number of debts in the text. */
const MAX_DEBTS = 50;

/** Chooses the most detailed text that fits into {@link MAX_TICKET}, or else the shortest one. */
function ticketOf(verdict: WalletVerdict): Ticket {
  const balances = DETAILS.map((detail) => balanceSentence(verdict, detail));
  const { debts, currency } = verdict;
  if (debts.length === 0) {
    const sentence = balances.find((balance) => isShort(balance, verdict)) ?? balances.at(-1) ?? '';
    return { sentence, isComplete: true };
  }
  const all = debtGroups(debts).length <= MAX_CLAUSES;
  const whats = [
    { what: debtClauses(debts, currency, 'all'), isComplete: all },
    { what: debtClauses(debts, currency, 'no calls'), isComplete: false },
    { what: sumClauses(debts, currency), isComplete: false },
  ];
  const tickets = whats.flatMap(({ what, isComplete }) =>
    balances.map((balance): Ticket => ({ sentence: `${balance} ${upper(what)}.`, isComplete })),
  );
  const shortest = tickets.at(-1) ?? { sentence: '', isComplete: false };
  return tickets.find(({ sentence }) => isShort(sentence, verdict)) ?? shortest;
}

function isShort(sentence: string, verdict: WalletVerdict): boolean {
  const transactions = verdict.debts.flatMap(({ transaction, deviation }) => [
    ...(transaction ? [transaction] : []),
    ...(deviation?.causes ?? []).map((cause) => cause.transaction),
  ]);
  const ids = new Set([
    nameOf(verdict),
    ...transactions.flatMap(({ txID }) => (txID === null ? [] : [`txID ${txID}`])),
  ]);
  const counted = [...ids].reduce((text, id) => text.replaceAll(id, 'x'.repeat(ID_LENGTH)), lower(sentence));
  return counted.length <= MAX_TICKET;
}

/**
 * The forms of a sentence about a balance: the whole sentence, without the time of the balance, or also without the reason why
 * a value is unknown.
 */
const DETAILS = ['all', 'no time', 'no reason'] as const;

/** The forms of a clause about a debt: whole, or without the calls that show the debt. */
type DebtDetail = 'all' | 'no calls';

function balanceSentence(verdict: WalletVerdict, detail: (typeof DETAILS)[number]): string {
  const who = nameOf(verdict);
  const money = (amount: Money): string => amountText(amount, verdict.currency);
  const { should, booked, difference, debts, unknowns } = verdict;
  const said = verdict.books.lastSaid;
  const [doubt] = unknowns;
  const because = (reason: string | undefined): string =>
    detail === 'no reason'
      ? '. The reasons are listed'
      : `: ${reason ?? 'the logs do not show the outcome of some calls'}`;
  if (difference === null) return `It is unknown whether ${who} has the correct balance${because(doubt)}.`;
  const off = `${money(difference.absolute())} ${difference.isNegative() ? 'too little' : 'too much'}`;
  // If something is unknown, the text must not say that the balance is correct.
  const isClear = difference.isZero() && doubt === undefined;
  if (should === null || booked === null) {
    const sum = isClear
      ? 'By these calls, nothing is owed.'
      : difference.isZero()
        ? `It is also unknown whether something is owed${because(doubt)}.`
        : `By these calls, it is ${off}.`;
    return `The balance of ${who} is unknown. ${sum}`;
  }
  const when = said?.call.atMs == null || detail !== 'all' ? '' : ` at ${timeText(said.call.atMs)}`;
  const isSaid = said !== null && isSameButForRest(said.balance, booked);
  const has = isSaid
    ? `the operator said ${money(booked)}${when}`
    : `by these calls the operator has booked ${money(booked)}`;
  const result = !difference.isZero()
    ? `which is ${off}`
    : debts.length > 0
      ? 'so the sum is correct, but something must still be done'
      : isClear
        ? 'so nothing is owed'
        : 'which is equal, but not all is known';
  return `${upper(who)} should have ${money(should)}${doubt === undefined ? '' : ' by the calls so far'}, and ${has}, ${result}.`;
}

/** Writes who owes which sum, and how many calls the service must still send. */
function sumClauses(debts: readonly Debt[], currency: string | null): string {
  const ofOperator = debts.filter(({ owedBy }) => owedBy === 'operator');
  const ofPlayer = debts.filter(({ owedBy }) => owedBy === 'player');
  const refunds = debts.filter(({ kind }) => kind === 'missing-refund' || kind === 'refund-pending').length;
  const wins = debts.filter(({ kind }) => kind === 'win-pending').length;
  const sum = (some: readonly Debt[]): string =>
    // If the logs do not show the amount of a call, `amount` is zero here.
    some.some(({ amount }) => amount.isZero())
      ? 'money'
      : amountText(
          some.reduce((total, { amount }) => total.plus(amount), Money.zero),
          currency,
        );
  return [
    ...(ofOperator.length > 0 ? [`the operator owes the player ${sum(ofOperator)}${forWhat(ofOperator)}`] : []),
    ...(ofPlayer.length > 0
      ? [`the player has ${sum(ofPlayer)} that belongs to the operator${forWhat(ofPlayer)}`]
      : []),
    ...(refunds > 0 ? [mustBeSent('refund', refunds)] : []),
    ...(wins > 0 ? [mustBeSent('win', wins)] : []),
  ].join('; ');
}

function forWhat(debts: readonly Debt[]): string {
  const transactions = new Set(debts.map(({ transaction }) => transaction));
  const [first] = transactions;
  if (transactions.size > 1) return ` for ${transactions.size} transactions`;
  return first ? ` for the ${name(first)}` : '';
}

function mustBeSent(call: 'refund' | 'win', count: number): string {
  return count === 1
    ? `a ${call} must be sent until it is answered 200`
    : `${count} ${call}s must be sent until they are answered 200`;
}

/** Writes the state of a wallet in one short line, for a list of many wallets. */
export function walletLine(verdict: WalletVerdict, state: WalletState): string {
  const { difference, debts, unknowns, currency } = verdict;
  const who = nameOf(verdict);
  const off =
    difference === null || difference.isZero()
      ? ''
      : `${amountText(difference.absolute(), currency)} ${difference.isNegative() ? 'too little' : 'too much'}: `;
  switch (state) {
    case 'owed':
      return `${who}: ${off}${debtClauses(debts, currency)}`;
    case 'broken':
      return `${who}: nothing is owed, but a reply breaks a rule`;
    case 'unknown':
      return `${who}: not known, because ${unknowns[0] ?? 'the logs do not show the outcome of some calls'}`;
    case 'right':
      return `${who}: nothing is owed`;
  }
}

/** Writes the calls and the balance on which the verdict on a wallet rests. */
export function evidenceSentence({ books, evidence: { calls, files } }: WalletVerdict): string {
  const named = files.length > MAX_FILES ? `${files.length} files` : files.join(' and ');
  const last = books.lastSaid;
  return `It rests on ${calls === 1 ? '1 call' : `${calls} calls`} in ${named}.${last === null ? '' : ` The last balance is in the reply to call ${last.call.number}.`}`;
}

const MAX_FILES = 3;

/** Writes each reason why something is unknown, and each debt that is only possible, as a sentence. */
export function doubtSentences({ unknowns, possibleDebts, currency }: WalletVerdict): readonly string[] {
  return [
    ...unknowns.map((each) => `Not known: ${each}.`),
    ...possibleDebts.map((debt) => `Possible, but not certain: ${debtClause(debt, currency)}.`),
  ];
}

/** Writes the state of a round as a clause. */
export function roundClause(round: RoundVerdict, currency: string | null): string {
  const money = (amount: Money | null): string => (amount === null ? 'unknown' : amountText(amount, currency));
  const sums = `bets ${money(round.bets)}, wins ${money(round.wins)}`;
  switch (round.state) {
    case 'settled':
      return `settled: ${sums}`;
    case 'refunded':
      // A refund alone does not show whether the operator had taken the bet.
      return round.bets?.isZero() === true
        ? 'refunded; the logs do not have the bet'
        : 'refunded: nothing is won or lost';
    case 'open':
      return `open: ${sums}; the logs have no win for this round, and even a lost round has a win of 0`;
    case 'nothing':
      return 'no bet was accepted: nothing is won or lost';
    case 'unknown':
      return `unknown: ${sums}`;
    case 'owing': {
      const should =
        round.should === null
          ? 'the correct result is unknown'
          : `the correct result is ${signed(round.should, currency)}`;
      const booked =
        round.booked === null
          ? 'the booked result is unknown'
          : `the operator has booked ${signed(round.booked, currency)}`;
      return `${sums}; ${should}, and ${booked}; ${debtClauses(round.debts, currency)}`;
    }
  }
}

function signed(amount: Money, currency: string | null): string {
  return `${amount.isNegative() || amount.isZero() ? '' : '+'}${amountText(amount, currency)}`;
}

const MAX_CLAUSES = 3;

function debtClauses(debts: readonly Debt[], currency: string | null, detail: DebtDetail = 'all'): string {
  const groups = debtGroups(debts);
  const shown = groups.slice(0, MAX_CLAUSES).map((same) => clauseOf(same, currency, detail));
  const rest = groups.length - shown.length;
  return `${shown.join('; ')}${rest > 0 ? `; and ${rest} more ${rest === 1 ? 'debt' : 'debts'}` : ''}`;
}

/** If one error in one transaction causes several debts, the error is named only once. */
function debtGroups(debts: readonly Debt[]): readonly (readonly Debt[])[] {
  return [...Map.groupBy(debts, (debt) => faultOf(debt) ?? debt).values()];
}

/**
 * Returns a key for the single error that caused a debt. Returns undefined if the debt was not caused by a single
 * error.
 */
function faultOf({ deviation }: Debt): string | undefined {
  const [cause, ...others] = deviation?.causes ?? [];
  if (!cause?.repeat || others.some((other) => !isSameFault(cause, other))) return undefined;
  return `${cause.rule ?? ''} ${cause.transaction.key}`;
}

function isSameFault(a: Cause, b: Cause): boolean {
  return a.repeat !== null && b.repeat !== null && a.rule === b.rule && a.transaction === b.transaction;
}

function clauseOf(debts: readonly Debt[], currency: string | null, detail: DebtDetail = 'all'): string {
  const [first, ...others] = debts;
  if (!first) return '';
  if (others.length === 0) return debtClause(first, currency, detail);
  const causes = debts.flatMap(({ deviation }) => deviation?.causes ?? []);
  const sum = debts.reduce((total, { amount }) => total.plus(amount), Money.zero);
  return `${faultText(causes, detail)}: ${owes(first, amountText(sum, currency))}`;
}

/**
 * Describes errors in the books. If a repeated call shows the error and `detail` is `all`, the text includes the time of this
 * call.
 */
function faultText(causes: readonly Cause[], detail: DebtDetail): string {
  const [cause] = causes;
  if (!cause) return '';
  if (causes.some((other) => !isSameFault(cause, other))) {
    return causes.length === 1 ? faultWords(cause) : causes.map((one) => faultText([one], detail)).join(', and ');
  }
  const calls = causes.flatMap(({ repeat }) => repeat ?? []);
  const words = faultWords(cause);
  const times = causes.length === 1 ? words : words.replace(' again when', ` again ${causes.length} times when`);
  return detail === 'all' ? `${times} (${momentText(calls)})` : times;
}

function faultWords({ text, transaction }: Cause): string {
  return text.replace(/^(the )(bet|win|refund)\b/, `$1${name(transaction)}`);
}

/** Writes the time of the first call and the numbers of all calls. */
function momentText(calls: readonly LoggedCall[]): string {
  const [first] = calls;
  const numbers = calls.map(({ number }) => number);
  const named = `${numbers.length === 1 ? 'call' : 'calls'} ${numbers.join(', ').replace(/, (\d+)$/, ' and $1')}`;
  if (first?.atMs == null) return named;
  return `${timeText(first.atMs)}${calls.length > 1 ? ' and later' : ''}, ${named}`;
}

/** Writes a debt as a clause that names the amount, who owes it, and what has to be done. */
export function debtClause(debt: Debt, currency: string | null, detail: DebtDetail = 'all'): string {
  const { kind, transaction, amount, deviation } = debt;
  const sum = amountText(amount, currency);
  switch (kind) {
    case 'missing-refund':
      return `the ${name(transaction)}${detail === 'all' ? ` ${ending(transaction)},` : ''}${tookIt(debt)} and was never refunded: the service must send the refund${payback(debt, sum)}`;
    case 'refund-pending':
      return `the ${name(transaction)}${tookIt(debt)}, and its refund was not answered 200: the refund must be sent until it is answered 200${payback(debt, sum)}`;
    case 'declined-bet':
      return `the ${name(transaction)} ${ending(transaction)}, so the service counts it as declined, but it was taken: the operator owes the player ${sum}`;
    case 'win-pending':
      return `the ${name(transaction)} was not answered 200${paidIt(debt)}: it must be sent with the same txID until it is answered 200${
        debt.owedBy === 'operator' ? `, and the operator owes the player ${sum}` : ''
      }`;
    case 'misbooked': {
      if (!deviation) return owes(debt, sum);
      const { causes, call } = deviation;
      // If a repeated call made the balance wrong, `faultText` has already named this call. So it is not named a second time.
      const isNamed = detail !== 'all' || causes.some(({ repeat }) => repeat === call);
      return `${faultText(causes, detail)}${isNamed ? '' : ` (seen at ${momentText([call])})`}: ${owes(debt, sum)}`;
    }
  }
}

function owes(debt: Debt, sum: string): string {
  return debt.owedBy === 'operator'
    ? `the operator owes the player ${sum}`
    : `the player has ${sum} that belongs to the operator`;
}

function name(transaction: Transaction | null): string {
  if (!transaction) return 'call';
  const { call, txID, attempts } = transaction;
  return `${call}${transaction.amount === null ? '' : ` of ${amountText(transaction.amount, null)}`} (${txID === null ? `call ${attempts[0]?.number ?? 0}` : `txID ${txID}`})`;
}

function ending(transaction: Transaction | null): string {
  const last = transaction?.attempts.at(-1);
  if (!last) return 'failed';
  switch (last.ending) {
    case 'late':
      return 'had no reply in time';
    case 'lost':
      return 'had no reply';
    case 'failed':
    case 'declined':
    case 'refused':
      return `was answered ${last.status ?? 'with an error'}`;
    case 'accepted':
      return 'was accepted';
    case 'error-200':
    case 'not-sent':
    case 'unknown':
      return 'failed';
  }
}

function tookIt({ owedBy }: Debt): string {
  return owedBy === 'operator' ? ' was taken' : owedBy === 'nobody' ? ' was not taken' : ' may have been taken';
}

function paidIt({ owedBy, amount }: Debt): string {
  if (amount.isZero()) return '';
  return owedBy === 'operator'
    ? ' and was not paid'
    : owedBy === 'nobody'
      ? ', although it was paid'
      : ' and may have been paid';
}

function payback({ owedBy }: Debt, sum: string): string {
  return owedBy === 'operator' ? `, and the operator must give the player ${sum} back` : '';
}

function nameOf({ player, sessions, wallet }: WalletVerdict): string {
  if (player !== null) return `player ${player}`;
  if (sessions.length === 1) return `the player of session ${sessions[0] ?? ''}`;
  return wallet === null ? 'the player (not named in the logs)' : `the player of ${wallet}`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Writes the name and the amount of a call, such as `free bet of 1.00 EUR`. */
export function callText(call: LoggedCall, currency: string | null): string {
  const { seen, amount } = call;
  const of =
    amount === null ? (seen.call === 'balance' ? '' : ' of an unknown amount') : ` of ${amountText(amount, currency)}`;
  const free = seen.type === 'free' ? 'free ' : '';
  return `${free}${seen.call}${of}`;
}

/** Describes the reply to a call briefly: its status, its balance, or the reason why there is no reply. */
export function answerText(call: LoggedCall, currency: string | null): string {
  const { ending: end, status, code, balance, reading } = call;
  const has = balance === null ? '' : `, balance ${amountText(balance, currency)}`;
  switch (end) {
    case 'accepted':
      return `${status ?? 200}${has}${balance === null && isCut(reading) ? ', and the log has only the beginning of the body' : ''}`;
    case 'error-200':
      return `${status ?? 200} with the body of an error${code === null ? '' : ` (${code})`}`;
    case 'declined':
    case 'failed':
      return `${status ?? 'an error'}${code === null ? '' : ` ${code}`}`;
    case 'refused':
      return '401, the signature was not accepted';
    case 'late':
      return status === null ? `no reply within ${REPLY_DEADLINE_SECONDS} seconds` : `${status}, but too late${has}`;
    case 'lost':
      return `no reply: the connection broke${status === null ? '' : ` (the operator answered ${status}${has})`}`;
    case 'not-sent':
      return 'no reply: the call did not reach the operator';
    case 'unknown':
      return isCut(reading)
        ? `${status ?? ''}, and the log has only the beginning of the body`
        : 'the reply was not logged';
  }
}
