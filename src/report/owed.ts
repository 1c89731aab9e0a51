import { plural } from '../contract/plural.ts';
import type { Fold } from '../journal/fold.ts';
import { groupOwed, type OwedGroup, type OwedItem, owedItems } from '../journal/results/owed-items.ts';

/** The calls that a run owes, as clauses with names from other systems that are not escaped yet. */
export interface OwedTexts {
  /** One clause for each cause and kind of call. */
  readonly summary: readonly string[];
  /** One clause for each owed call. Empty if the summary says the same. */
  readonly all: readonly string[];
}

/** True if the run owes a call, could not restore a balance, or ended too early to know. */
export function isAnythingLeft({ owed, scenarios, ended }: Fold): boolean {
  return owed.length > 0 || ended === null || scenarios.some(({ restored }) => restored === false);
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
  // Without its bet, an old journal does not show whether the id is that of the refund or of the bet.
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
