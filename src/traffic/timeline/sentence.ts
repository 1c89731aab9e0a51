import { currencyByCode } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import { Money } from '../../contract/money.ts';
import { type Cause, type Deviation, isProvenByReply } from '../books/deviation.ts';
import { isSameButForRest } from '../books/float-rest.ts';
import { isCut, type LoggedCall } from '../calls/logged-call.ts';
import type { Transaction } from '../calls/transaction.ts';
import type { Debt } from './debt.ts';
import type { RoundVerdict } from './round-verdict.ts';
import { isDecided, type WalletVerdict } from './verdict.ts';
import type { WalletState } from './wallet-state.ts';

/**
 * Writes an amount with its currency, with as many decimals as the currency has. If the currency is unknown, writes at least two
 * decimals.
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

/** The number of characters in two lines of a ticket. */
const MAX_TICKET = 240;
/**
 * The length that counts for `player` with its id, and the length that counts for `txID` with its id, in characters. These lengths
 * are fixed, so that the sentence is the same after a capsule has replaced the ids by aliases. A `txID` is a UUID.
 */
const NAME_LENGTH = 20;
const TX_ID_LENGTH = 'txID '.length + 36;

/** A verdict for a ticket. */
interface Ticket {
  readonly sentence: string;
  /** True if the sentence describes each debt and each fault of the service. False if it gives only the sums. */
  readonly isComplete: boolean;
}

/** Writes the verdict on a wallet in one or two sentences that can be pasted into a ticket. They have at most two lines. */
export function walletSentence(verdict: WalletVerdict): string {
  return ticketOf(verdict).sentence;
}

/**
 * Writes one sentence for each debt of the wallet and for each fault of the service. A sentence names the cause and the calls that
 * show it. Leaves out what {@link walletSentence} says.
 */
export function debtSentences(verdict: WalletVerdict): readonly string[] {
  const { isComplete } = ticketOf(verdict);
  const isFaultSaid = isComplete && verdict.debts.length === 0;
  const faults = isDecided(verdict) && !isFaultSaid ? verdict.serviceFaults : [];
  const rest = faults.length - MAX_DEBTS;
  return [
    ...(isComplete ? [] : clausesOfDebts(verdict)),
    ...faults.slice(0, MAX_DEBTS).map(({ text }) => `The service is at fault: ${text}.`),
    ...(rest > 0 ? [`… and ${rest} more (--json prints all)`] : []),
  ];
}

function clausesOfDebts(verdict: WalletVerdict): readonly string[] {
  const clauses = debtGroups(verdict.debts).map((same) => clauseOf(same, verdict.currency));
  const rest = clauses.length - MAX_DEBTS;
  const isEither = verdict.debts.some(({ deviation }) => deviation !== null && deviation.otherCauses.length > 0);
  return [
    ...clauses.slice(0, MAX_DEBTS).map((clause) => `${upper(clause)}.`),
    ...(isEither ? ['Where several explanations fit, the bookings of the operator show which one is right.'] : []),
    ...(rest > 0 ? [`… and ${rest} more (--json prints all)`] : []),
  ];
}

/** Maximum number of debts in the text. */
const MAX_DEBTS = 50;

/** Chooses the most detailed text that fits into {@link MAX_TICKET}. If no text fits, chooses the shortest one. */
function ticketOf(verdict: WalletVerdict): Ticket {
  const { debts, currency, serviceFaults } = verdict;
  if (debts.length === 0 && serviceFaults.length > 0 && isDecided(verdict)) return faultTicket(verdict);
  const balances = DETAILS.map((detail) => balanceSentence(verdict, detail));
  if (debts.length === 0) {
    const sentence = balances.find((balance) => isShort(balance, verdict)) ?? balances.at(-1) ?? '';
    return { sentence, isComplete: true };
  }
  const all = debtGroups(debts).length <= MAX_CLAUSES;
  const clauses = [
    { what: debtClauses(debts, currency, 'all'), isComplete: all },
    { what: debtClauses(debts, currency, 'no calls'), isComplete: false },
  ];
  const sums = (['all', 'short', 'shortest'] as const).map((detail) => ({
    what: sumClauses(debts, currency, detail),
    isComplete: false,
  }));
  const tickets = [
    ...ticketsOf(clauses, balances),
    ...ticketsOf(sums, balances.slice(0, -1)),
    ...ticketsOf(sums, balances.slice(-1)),
  ];
  const shortest = tickets.at(-1) ?? { sentence: '', isComplete: false };
  return tickets.find(({ sentence }) => isShort(sentence, verdict)) ?? shortest;
}

function ticketsOf(
  whats: readonly { readonly what: string; readonly isComplete: boolean }[],
  balances: readonly string[],
): readonly Ticket[] {
  return whats.flatMap(({ what, isComplete }) =>
    balances.map((balance) => ({ sentence: `${balance} ${upper(what)}.`, isComplete })),
  );
}

/** Writes the verdict on a wallet if the service made a mistake, but nothing is owed. */
function faultTicket(verdict: WalletVerdict): Ticket {
  const { serviceFaults } = verdict;
  const [first] = serviceFaults;
  const count = serviceFaults.length;
  const fault = `The service is at fault: ${first && count === 1 ? first.text : `it made ${count} mistakes, which are listed`}.`;
  const tickets = DETAILS.flatMap((detail) => {
    const balance = balanceSentence(verdict, detail);
    return [
      { sentence: `${fault} ${balance}`, isComplete: count === 1 },
      { sentence: `The service is at fault, as listed. ${balance}`, isComplete: false },
    ];
  });
  const shortest = tickets.at(-1) ?? { sentence: fault, isComplete: false };
  return (
    tickets.find(({ sentence, isComplete }) => isComplete && isShort(sentence, verdict)) ??
    tickets.find(({ sentence }) => isShort(sentence, verdict)) ??
    shortest
  );
}

function isShort(sentence: string, verdict: WalletVerdict): boolean {
  const { debts, serviceFaults, calls } = verdict;
  const transactions = debts.flatMap(({ transaction, deviation }) => [
    ...(transaction ? [transaction] : []),
    ...(deviation?.causes ?? []).map((cause) => cause.transaction),
  ]);
  const [fault] = serviceFaults;
  const ofFault = fault ? calls.filter(({ number }) => fault.calls.includes(number)).map(({ seen }) => seen) : [];
  const ids = new Set([...transactions, ...ofFault].flatMap(({ txID }) => (txID === null ? [] : [`txID ${txID}`])));
  const named = lower(sentence).replaceAll(nameOf(verdict), 'x'.repeat(NAME_LENGTH));
  const counted = [...ids]
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, id) => text.replaceAll(id, 'x'.repeat(TX_ID_LENGTH)), named);
  return counted.length <= MAX_TICKET;
}

/**
 * The amount of detail in a sentence about a balance. `all`: the whole sentence. `no time`: without the time of the balance. `no
 * reason`: also without the reason why a value is unknown. `no difference`: also without the difference.
 */
const DETAILS = ['all', 'no time', 'no reason', 'no difference'] as const;

/** The amount of detail in a clause about a debt. `all`: the whole clause. `no calls`: without the calls that show the debt. */
type DebtDetail = 'all' | 'no calls';

function balanceSentence(verdict: WalletVerdict, detail: (typeof DETAILS)[number]): string {
  const who = nameOf(verdict);
  const money = (amount: Money): string => amountText(amount, verdict.currency);
  const { should, booked, difference, debts, unknowns, serviceFaults } = verdict;
  const said = verdict.books.lastSaid;
  const [doubt] = unknowns;
  const because = (reason: string | undefined): string =>
    detail === 'no reason' || detail === 'no difference'
      ? '. The reasons are listed'
      : `: ${reason ?? 'the logs do not show the outcome of some calls'}`;
  if (difference === null) return `It is unknown whether ${who} has the correct balance${because(doubt)}.`;
  const off = `${money(difference.absolute())} ${difference.isNegative() ? 'too little' : 'too much'}`;
  // If something is unknown, the text must not say that the balance is correct.
  const isClear = difference.isZero() && doubt === undefined;
  const nothing = `${serviceFaults.length > 0 ? 'the operator owes nothing' : 'nothing is owed'}${sinceText(verdict)}`;
  const when = said?.call.atMs == null || detail !== 'all' ? '' : ` at ${timeText(said.call.atMs)}`;
  const isSaid = said !== null && booked !== null && isSameButForRest(said.balance, booked);
  // A call that the service must not send may have moved money. The contract does not say which balance is right then.
  if (booked !== null && serviceFaults.length > 0 && (isClear || should === null)) {
    const balance = isSaid ? `was ${money(booked)}${when}` : `is ${money(booked)} by these calls`;
    return `The balance of ${who} ${balance}${isClear ? `, and ${nothing}` : difference.isZero() ? '' : `. Apart from the mistakes of the service, it is ${off}`}.`;
  }
  if (should === null || booked === null) {
    const sum = isClear
      ? `By these calls, ${nothing}.`
      : difference.isZero()
        ? `It is also unknown whether something is owed${because(doubt)}.`
        : `By these calls, it is ${off}.`;
    return `The balance of ${who} is unknown. ${sum}`;
  }
  const has = isSaid
    ? `the operator said ${money(booked)}${when}`
    : `by these calls the operator has booked ${money(booked)}`;
  const result = !difference.isZero()
    ? `which is ${off}`
    : debts.length > 0
      ? 'so the sum is correct, but something must still be done'
      : isClear
        ? `so ${nothing}`
        : 'which is equal, but not all is known';
  return `${upper(who)} should have ${money(should)}${doubt === undefined ? '' : ' by the calls so far'}, and ${has}${detail === 'no difference' && debts.length > 0 ? '' : `, ${result}`}.`;
}

/** If no balance shows how the first calls were booked, says since when nothing is owed. Otherwise returns an empty text. */
function sinceText({ since }: WalletVerdict): string {
  if (since === null) return '';
  return ` since ${since.atMs === null ? `call ${since.number}` : timeText(since.atMs)}`;
}

/**
 * The amount of detail in a clause about sums: the whole clause, without the words about how long a call must be sent, or also
 * without the transactions and the kinds of the calls.
 */
type SumDetail = 'all' | 'short' | 'shortest';

/** Writes who owes which sum, and how many calls the service must still send. */
function sumClauses(debts: readonly Debt[], currency: string | null, detail: SumDetail): string {
  const ofOperator = debts.filter(({ owedBy }) => owedBy === 'operator');
  const ofPlayer = debts.filter(({ owedBy }) => owedBy === 'player');
  const refunds = debts.filter(({ kind }) => kind === 'missing-refund' || kind === 'refund-pending').length;
  const wins = debts.filter(({ kind }) => kind === 'win-pending').length;
  const sum = (some: readonly Debt[]): string =>
    // `amount` is zero here if the logs do not show the amount of a call. So the sum is not known.
    some.some(({ amount }) => amount.isZero())
      ? 'money'
      : amountText(
          some.reduce((total, { amount }) => total.plus(amount), Money.zero),
          currency,
        );
  const reason = (some: readonly Debt[]): string => (detail === 'shortest' ? '' : forWhat(some));
  const isJoined = detail === 'shortest' && refunds > 0 && wins > 0;
  const counts: readonly (readonly [string, number])[] = isJoined
    ? [['call', refunds + wins]]
    : [
        ['refund', refunds],
        ['win', wins],
      ];
  return [
    ...(ofOperator.length > 0 ? [`the operator owes the player ${sum(ofOperator)}${reason(ofOperator)}`] : []),
    ...(ofPlayer.length > 0 ? [`the player has ${sum(ofPlayer)} that belongs to the operator${reason(ofPlayer)}`] : []),
    ...counts.flatMap(([name, count]) => (count > 0 ? [mustBeSent(name, count, detail)] : [])),
  ].join('; ');
}

function forWhat(debts: readonly Debt[]): string {
  const transactions = new Set(debts.map(({ transaction }) => transaction));
  const [first] = transactions;
  if (transactions.size > 1) return ` for ${transactions.size} transactions`;
  return first ? ` for the ${name(first)}` : '';
}

function mustBeSent(call: string, count: number, detail: SumDetail): string {
  const calls = count === 1 ? `a ${call}` : `${count} ${call}s`;
  if (detail !== 'all') return `${calls} must be sent`;
  return `${calls} must be sent until ${count === 1 ? 'it is' : 'they are'} answered 200`;
}

/** Writes the state of a wallet in one short line, for a list of many wallets. */
export function walletLine(verdict: WalletVerdict, state: WalletState): string {
  const { difference, debts, unknowns, possibleDebts, currency } = verdict;
  const who = nameOf(verdict);
  const doubt =
    unknowns[0] ?? (possibleDebts.length > 0 ? 'the logs do not show the outcome of some calls' : undefined);
  const off =
    difference === null || difference.isZero()
      ? ''
      : `${amountText(difference.absolute(), currency)} ${difference.isNegative() ? 'too little' : 'too much'}: `;
  switch (state) {
    case 'owed':
      return `${who}: ${off}${debtClauses(debts, currency)}`;
    case 'broken':
      return doubt === undefined
        ? `${who}: nothing is owed${sinceText(verdict)}, but a reply breaks a rule`
        : `${who}: a reply breaks a rule. It is not known whether something is owed, because ${doubt}`;
    case 'service-fault':
      return doubt === undefined
        ? `${who}: the operator owes nothing${sinceText(verdict)}, but the service is at fault`
        : `${who}: the service is at fault. It is not known whether something is owed, because ${doubt}`;
    case 'unknown':
      return `${who}: not known, because ${doubt ?? 'the logs do not show the outcome of some calls'}`;
    case 'right':
      return `${who}: nothing is owed${sinceText(verdict)}`;
  }
}

/**
 * Writes which calls and which balance are the evidence for the verdict on a wallet. Also says where a line that is missing in the logs
 * would change the verdict: between two balances whose difference is the only evidence of a debt, or after a call that was not answered
 * 200. If nothing is owed, says that the logs must have all calls. A log of a whole run of croupier has all calls.
 */
export function evidenceSentence(verdict: WalletVerdict): string {
  const {
    books,
    debts,
    since,
    evidence: { calls, files },
  } = verdict;
  const named = files.length > MAX_FILES ? `${files.length} files` : files.join(' and ');
  const last = books.lastSaid;
  const places = debts.flatMap(({ deviation, transaction }) =>
    deviation === null ? (absentAfter(transaction, books) ?? []) : (unprovenBetween(deviation) ?? []),
  );
  const shown = [...new Set(places)].slice(0, MAX_PLACES_OF_LINES);
  const rest = new Set(places).size - shown.length;
  const isWhole = verdict.calls.every(({ seen }) => seen.exchange.isOfWholeRun === true);
  const assumed =
    shown.length > 0
      ? ` It assumes that no line is missing ${shown.join(', or ')}${rest > 0 ? `, or at ${rest} more places` : ''}.`
      : debts.length === 0 && isDecided(verdict) && !isWhole
        ? ` It assumes that ${files.length === 1 ? 'this log has' : 'these logs have'} all calls of the player.`
        : '';
  const before =
    since === null ? '' : ` No balance shows whether call ${since.number} and earlier calls were booked correctly.`;
  return `It rests on ${calls === 1 ? '1 call' : `${calls} calls`} in ${named}.${before}${last === null ? '' : ` The last balance is in the reply to call ${last.call.number}.`}${assumed}`;
}

/**
 * Returns the place where a missing line would be another explanation of a debt: the service sent the win or the refund again, or
 * refunded the bet, and this call was answered 200. Returns null for a bet that the service counts as declined.
 */
function absentAfter(transaction: Transaction | null, { transactions }: WalletVerdict['books']): string | null {
  if (transaction === null || (transaction.call === 'bet' && transaction.state === 'declined')) return null;
  const refunds = transactions.filter(({ call, origTxID }) => call === 'refund' && origTxID === transaction.txID);
  const attempts = [transaction, ...(transaction.call === 'bet' ? refunds : [])].flatMap((one) => one.attempts);
  if (attempts.some(({ seen }) => seen.exchange.isOfWholeRun === true)) return null;
  return `after call ${Math.max(...attempts.map(({ number }) => number))}`;
}

/**
 * Returns the place where a missing line or a deposit of exactly the difference would be another explanation of a wrong balance.
 * Returns null if a reply proves the error.
 */
function unprovenBetween({ after, call, causes }: Deviation): string | null {
  const isOfRun = after?.seen.exchange.isOfWholeRun === true && call.seen.exchange.isOfWholeRun === true;
  if (isOfRun || causes.some(isProvenByReply)) return null;
  return after === null ? `before call ${call.number}` : `between call ${after.number} and call ${call.number}`;
}

/** Maximum number of places that are named in the sentence about the evidence. */
const MAX_PLACES_OF_LINES = 3;
const MAX_FILES = 3;

/**
 * Writes as sentences each reason why something is unknown, and each debt that is possible but not certain. Reasons of one kind are
 * one sentence, with the lines of the logs that they are about.
 *
 * @param isVerbose true to write each reason as a sentence of its own
 */
export function doubtSentences(verdict: WalletVerdict, isVerbose = false): readonly string[] {
  const { unknowns, possibleDebts, currency } = verdict;
  const kinds = [...Map.groupBy(unknowns, isVerbose ? (each) => each : kindOf).values()];
  return [
    ...kinds.flatMap((same) =>
      same.length < MANY_DOUBTS ? same.map((each) => `Not known: ${each}.`) : [manyDoubts(same, verdict)],
    ),
    ...possibleDebts.map((debt) => `Possible, but not certain: ${debtClause(debt, currency)}.`),
  ];
}

/** From this number on, reasons of one kind are written as one sentence. */
const MANY_DOUBTS = 3;
const MAX_PLACES = 5;

/** The words of a reason without its numbers and ids. */
function kindOf(reason: string): string {
  return reason.replaceAll(/(?<=\b(?:calls?|round|txID) )[\w.-]+|[+-]?\d[\w.:-]*/g, '#');
}

function manyDoubts(reasons: readonly string[], { calls }: WalletVerdict): string {
  const [first, ...others] = reasons;
  const places = new Map(calls.map(({ number, seen }) => [number, seen.exchange.place]));
  const lines = others.flatMap((reason) => {
    const number = [...reason.matchAll(/\bcalls? (\d+)/g)].at(-1)?.[1];
    const place = number === undefined ? undefined : places.get(Number(number));
    return place ? [`${place.file}:${place.line}`] : [];
  });
  const rest = others.length - Math.min(lines.length, MAX_PLACES);
  const where =
    lines.length === 0 ? '' : `: ${lines.slice(0, MAX_PLACES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return `Not known: ${first}. The same is true in ${others.length} more places${where} (-v prints all).`;
}

/** Writes the state of a round as a clause. */
export function roundClause(round: RoundVerdict, currency: string | null): string {
  const money = (amount: Money | null): string => (amount === null ? 'unknown' : amountText(amount, currency));
  const sums = `bets ${money(round.bets)}, wins ${money(round.wins)}`;
  switch (round.state) {
    case 'settled':
      return `settled: ${sums}`;
    case 'refunded':
      // If only the refund is in the logs, they do not show whether the operator had taken the bet.
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

/** If one error in one transaction causes several debts, the sentence names the error only once. */
function debtGroups(debts: readonly Debt[]): readonly (readonly Debt[])[] {
  return [...Map.groupBy(debts, (debt) => faultOf(debt) ?? debt).values()];
}

/** Returns a key for the error that caused a debt. Returns undefined if the debt does not come from a single error. */
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
 * Describes the errors of the operator. If a repeated call shows the error and `detail` is `all`, the text also has the time of
 * this call.
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
      return `the ${name(transaction)} ${ending(transaction)}, so the service counts it as declined, but the operator took its amount, and owes the player ${sum}`;
    case 'win-pending':
      return `the ${name(transaction)} was not answered 200${paidIt(debt)}: it must be sent with the same txID until it is answered 200${
        debt.owedBy === 'operator' ? `, and the operator owes the player ${sum}` : ''
      }`;
    case 'misbooked': {
      if (!deviation) return owes(debt, sum);
      if (debt.runRules && deviation.causes.every(({ repeat }) => repeat === null))
        return `a balance is wrong (seen at ${momentText([deviation.call])}), and the run found that the operator breaks ${debt.runRules.join(' and ')}: ${owes(debt, sum)}`;
      const { causes, call, otherCauses } = deviation;
      // If a repeated call made the balance wrong, `faultText` has already named this call. So it is not named a second time.
      const isNamed = detail !== 'all' || causes.some(({ repeat }) => repeat === call);
      const faults = [...new Set([causes, ...otherCauses].map((each) => faultText(each, detail)))];
      return `${faults.length > 1 ? `either ${alternatives(faults).join(', or ')}` : (faults[0] ?? '')}${isNamed ? '' : ` (seen at ${momentText([call])})`}: ${owes(debt, sum)}`;
    }
  }
}

/** Maximum number of errors that are named for one balance. */
const MAX_FAULTS = 4;

function alternatives(faults: readonly string[]): readonly string[] {
  const rest = faults.length - MAX_FAULTS;
  if (rest <= 0) return faults;
  return [...faults.slice(0, MAX_FAULTS), rest === 1 ? '1 more error' : `one of ${rest} more errors`];
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
      return last.status === null || last.status === 200 ? 'was accepted' : `was answered ${last.status}`;
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

/** Describes the reply to a call briefly: the status and the balance, or the reason why there is no reply. */
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
