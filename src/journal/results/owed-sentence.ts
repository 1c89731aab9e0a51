import { amountText } from '../../contract/amount-text.ts';
import { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import type { Fold } from '../fold.ts';
import { owedItems } from './owed-items.ts';

type Owing = Pick<Fold, 'owed' | 'owedBalances' | 'isOwedKnown' | 'scenarios' | 'causes' | 'rules' | 'run'>;

/**
 * Says how many calls and balances the run owes, as in `Still owed: 1 call and 2 balances (6.00 USD too low)`. Returns null if it
 * owes nothing.
 */
export function owedSentence(fold: Owing): string | null {
  const calls = owedItems(fold).length;
  const balances = fold.owedBalances.length;
  const parts = [
    ...(calls === 0 ? [] : [plural(calls, 'call')]),
    ...(balances === 0 ? [] : [`${plural(balances, 'balance')} (${differences(fold).join(', ')})`]),
  ];
  if (parts.length === 0) return fold.isOwedKnown ? null : 'It is not known what is still owed';
  return `Still owed: ${parts.join(' and ')}${fold.isOwedKnown ? '' : ', and more that is not known'}`;
}

/** Returns the sum that is missing for each currency, the sum that is too much, and the number of balances with an unknown sum. */
function differences({ owedBalances, run }: Owing): readonly string[] {
  const sums = new Map<string, { readonly currency: string | null; readonly word: string; readonly sum: Money }>();
  let unknown = 0;
  for (const { sessionID, missing } of owedBalances) {
    const amount = missing === null ? undefined : Money.read(missing.replace(/^-/, ''));
    if (missing === null || !amount) {
      unknown += 1;
      continue;
    }
    const currency = run.settings.sessions.find((session) => session.sessionID === sessionID)?.currency ?? null;
    const word = missing.startsWith('-') ? 'high' : 'low';
    const key = `${word} ${currency}`;
    sums.set(key, { currency, word, sum: amount.plus(sums.get(key)?.sum ?? Money.zero) });
  }
  return [
    ...[...sums.values()].map(({ currency, word, sum }) => `${amountText(sum, currency)} too ${word}`),
    ...(unknown === 0 ? [] : [`${unknown} by an unknown sum`]),
  ];
}
