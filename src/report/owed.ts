import { amountText } from '../contract/amount-text.ts';
import { Money } from '../contract/money.ts';
import { plural } from '../contract/plural.ts';
import type { BalanceOwed } from '../journal/event.ts';
import type { Fold } from '../journal/fold.ts';
import { groupOwed, type OwedGroup, type OwedItem, owedItems, unknownDebts } from '../journal/results/owed-items.ts';
import { quoteWord } from './curl.ts';

/** The calls that a run owes, as clauses with names from other systems that are not escaped yet. */
export interface OwedTexts {
  /** One clause for each cause and kind of call. */
  readonly summary: readonly string[];
  /** One clause for each owed call. Empty if the summary already says everything. */
  readonly all: readonly string[];
}

/** True if the run owes a call or a balance, or ended too early to know. */
export function isAnythingLeft({ owed, owedBalances, isOwedKnown }: Fold): boolean {
  return owed.length > 0 || owedBalances.length > 0 || !isOwedKnown;
}

/** Describes everything that the run owes or may owe: calls, balances, and what is not known. Nothing is escaped yet. */
export function owedClauses(fold: Fold): readonly string[] {
  const unknown = unknownText(fold);
  return [...owedTexts(fold).summary, ...owedBalanceTexts(fold), ...(unknown === null ? [] : [unknown])];
}

/** Describes each balance that differs from the balance before the run. */
function owedBalanceTexts(fold: Fold): readonly string[] {
  return fold.owedBalances.map((balance) => {
    const { sessionID, wanted } = balance;
    const session = sessionNamed(sessionID, fold);
    const player = session?.player == null ? '' : ` (${session.player})`;
    const isAfterCalls = owedItems(fold).some((item) => isSamePlayer(session, sessionNamed(item.sessionID, fold)));
    const difference = differenceText(balance, fold);
    const be = isAfterCalls ? 'will still be' : 'is';
    const by = difference === null ? 'may be wrong by a sum that only a new read shows' : `${be} ${difference}`;
    const when = isAfterCalls ? ' after the owed calls are answered' : '';
    const before = Money.read(wanted);
    const then = before ? amountText(before, session?.currency) : wanted;
    return `the balance of session ${sessionID}${player} ${by}${when}. It was ${then} before the run`;
  });
}

/**
 * Says by how much a balance differs from the balance before the run, as in `7.00 USD too low`. Null if only a new read can show
 * this.
 */
export function differenceText({ sessionID, missing }: BalanceOwed, fold: Fold): string | null {
  const amount = missing === null ? undefined : Money.read(missing.replace(/^-/, ''));
  if (missing === null || !amount) return null;
  return `${amountText(amount, sessionNamed(sessionID, fold)?.currency)} too ${missing.startsWith('-') ? 'high' : 'low'}`;
}

type Session = Fold['run']['settings']['sessions'][number];

function sessionNamed(sessionID: string, { run }: Pick<Fold, 'run'>): Session | undefined {
  return run.settings.sessions.find((session) => session.sessionID === sessionID);
}

/** True if two sessions have the same balance. */
function isSamePlayer(a: Session | undefined, b: Session | undefined): boolean {
  if (!a || !b) return false;
  return a.sessionID === b.sessionID || (a.player !== null && a.player === b.player && a.currency === b.currency);
}

/** Maximum number of scenarios that a clause names. */
const MAX_NAMES = 3;

/** Returns a clause which says that the list of owed calls is not complete. Null if it is complete. */
function unknownText(fold: Pick<Fold, 'isOwedKnown' | 'scenarios'>): string | null {
  const unknown = unknownDebts(fold);
  if (unknown === null) return null;
  const names = unknown.scenarios.slice(0, MAX_NAMES);
  const more = unknown.scenarios.length - names.length;
  const where =
    names.length === 0
      ? ''
      : `. The scenarios that had begun: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `the run ended too early, so it is not known which calls, rounds and balances are still owed${where}`;
}

/** Returns the command that sends what is owed. It contains the path of the journal as a user would type it in a shell. */
export function settleCommandLine(journal: string): string {
  return `croupier settle ${quoteWord(journal)}`;
}

/** Describes the wins and refunds that croupier still owes. */
export function owedTexts(fold: Fold): OwedTexts {
  const items = owedItems(fold);
  const groups = groupOwed(items);
  return {
    summary: groups.map((group) => groupText(group, fold)),
    all: groups.length === items.length ? [] : items.map((item) => itemText(item, fold)),
  };
}

function groupText({ call, cause, items }: OwedGroup, fold: Fold): string {
  const rule = cause === null ? undefined : fold.causes[cause]?.result.rule.id;
  const see = rule === undefined || cause === null ? '' : `see cause ${cause + 1} (${rule})`;
  const [only] = items;
  if (items.length === 1 && only) return [itemText(only, fold), ...(see === '' ? [] : [see])].join('; ');
  const statuses = [...new Set(items.map(({ status }) => status))].filter((status) => status !== null);
  const replies = statuses.length === 0 ? '' : ` (${statuses.toSorted((a, b) => a - b).join(', ')})`;
  const summary = `${plural(items.length, call)}${sumsOf(items, fold)} were not answered 200${replies}${see === '' ? '' : `, ${see}`}`;
  return `${summary}: ${lossOf({ call, items })}`;
}

/** Writes the sum of the amounts of some calls, for each currency, in parentheses. Empty if an amount is not known. */
function sumsOf(items: readonly OwedItem[], fold: Fold): string {
  const sums = new Map<string | null, Money>();
  for (const { amount, sessionID } of items) {
    const money = amount === null ? undefined : Money.read(amount);
    if (!money) return '';
    const code = sessionNamed(sessionID, fold)?.currency ?? null;
    sums.set(code, money.plus(sums.get(code) ?? Money.zero));
  }
  return ` (${[...sums].map(([code, sum]) => amountText(sum, code)).join(' and ')})`;
}

function lossOf({ call, items }: Pick<OwedGroup, 'call' | 'items'>): string {
  const lost = items.filter(({ owesNoMoney }) => owesNoMoney === null).length;
  if (lost === 0) return 'no money is owed to a player';
  const money = call === 'win' ? 'the win may be missing' : 'the player may have lost the stake';
  return lost === items.length ? `for each of them, ${money}` : `for ${lost} of them, ${money}`;
}

/** Describes one owed call, and says whether its player may have lost money by it. */
function itemText(item: OwedItem, fold: Fold): string {
  const { call, txID, origTxID, sessionID, amount, status, bet } = item;
  const currency = sessionNamed(sessionID, fold)?.currency;
  const money = amount === null ? '' : ` of ${[amount, currency].filter((word) => typeof word === 'string').join(' ')}`;
  const where = ` in session ${sessionID}`;
  const reply = status === null ? 'was never answered 200' : `was answered ${status}`;
  const result = resultOf(item);
  if (call === 'refund' && txID === null)
    return `the bet ${origTxID}${money}${where} may have been accepted, and it was not refunded: ${result}`;
  // An old journal does not record the bet of a refund. Then it is unknown whether `txID` is the id of the refund or of its bet.
  if (call === 'refund' && origTxID === null && bet === null)
    return `the refund with or for the txID ${txID}${where} ${reply}: ${result}`;
  const ofBet = call === 'refund' && origTxID !== null ? ` for the bet ${origTxID}` : '';
  return `the ${call} ${txID}${money}${ofBet}${where} ${reply}: ${result}`;
}

function resultOf({ call, bet, owesNoMoney, origTxID, txID }: OwedItem): string {
  if (owesNoMoney === 'balance') return 'the balance is the same as before the scenario, so no money is owed';
  if (call === 'win') return 'the player may not have received the win';
  if (call === 'bet') return 'the stake may have been taken or not';
  switch (bet) {
    case 'not-received':
      return 'this bet never reached the operator, so no stake is owed';
    case 'declined':
      return 'this bet was declined, so no stake is owed';
    case 'refunded':
      return 'another refund has given the stake back, so no stake is owed';
    case 'uncertain':
      return txID === null
        ? 'the player may have lost the stake'
        : 'the bet may have been accepted, so the player may have lost the stake';
    case 'accepted':
      return 'the bet was accepted, so the player may not have received the stake back';
    case null:
      return origTxID === null ? 'the player may have lost a stake' : 'the player may not have received the stake back';
  }
}
