import { plural } from '../contract/plural.ts';
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

/** True if the run owes a call, could not restore a balance, or ended too early to know what it owes. */
export function isAnythingLeft({ owed, scenarios, ended }: Fold): boolean {
  return owed.length > 0 || ended === null || scenarios.some(({ restored }) => restored === false);
}

/** Describes everything that the run owes or may owe: balances, calls, and debts that are not known. Nothing is escaped yet. */
export function owedClauses(fold: Fold): readonly string[] {
  const unrestored = fold.scenarios.filter(({ restored }) => restored === false).map(({ planned }) => planned.id);
  const unknown = unknownText(fold);
  return [
    ...(unrestored.length === 0 ? [] : [`the balance could not be restored after ${unrestored.join(', ')}`]),
    ...owedTexts(fold).summary,
    ...(unknown === null ? [] : [unknown]),
  ];
}

/** Maximum number of scenarios that a clause names. */
const MAX_NAMES = 3;

/** Returns a clause which says that the list of owed calls is not complete. Null if the list is complete. */
export function unknownText(fold: Pick<Fold, 'ended' | 'scenarios'>): string | null {
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
  const summary = `${plural(items.length, call)} were not answered 200${replies}${see === '' ? '' : `, ${see}`}`;
  return `${summary}: ${lossOf({ call, items })}`;
}

function lossOf({ call, items }: Pick<OwedGroup, 'call' | 'items'>): string {
  const lost = items.filter(({ owesNoMoney }) => owesNoMoney === null).length;
  if (lost === 0) return 'no money is owed to a player';
  const money = call === 'win' ? 'the win may be missing' : 'the player may have lost the stake';
  return lost === items.length ? `for each of them, ${money}` : `for ${lost} of them, ${money}`;
}

/** Describes one owed call, and says whether its player may have lost money by it. */
function itemText(item: OwedItem, { run }: Fold): string {
  const { call, txID, origTxID, sessionID, amount, status, bet } = item;
  const currency = run.settings.sessions.find((session) => session.sessionID === sessionID)?.currency;
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
