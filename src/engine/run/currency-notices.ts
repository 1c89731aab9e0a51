import { codeInOtherCase, currencyByCode } from '../../contract/currencies.ts';
import type { RunOptions } from '../run-options.ts';
import { statedDecimals } from '../stakes.ts';

/**
 * Returns what a report says about the currencies: which of them croupier does not know, in which of them no bet with
 * decimals was possible, and which settings name a currency that nothing uses.
 *
 * @param shownIn returns the most decimals of the balances in a currency; undefined if no balance was read
 */
export function currencyNotices(
  { client, stakes, decimals }: Pick<RunOptions, 'client' | 'stakes' | 'decimals'>,
  shownIn: (code: string) => number | undefined,
): readonly string[] {
  const codes = [...new Set(client.sessions.flatMap(({ currency }) => currency ?? []))];
  const unused = [...new Set([...Object.keys(stakes), ...Object.keys(decimals)])]
    .filter((code) => !currencyByCode(code) && !codes.includes(code))
    .map(
      (code) =>
        `A stake or decimals are set for ${code}, but croupier does not know this currency, and no session has it.`,
    );
  const used = codes.flatMap((code) => {
    const setDecimals = `set \`decimals: { ${code}: … }\` in croupier.yaml`;
    if (!currencyByCode(code)) {
      const other = codeInOtherCase(code);
      const meant = other === undefined ? '' : ` Did you mean ${other}? Letter case matters.`;
      const limit = decimals[code] === undefined ? ` To test its decimals, ${setDecimals}.` : '';
      return [`croupier does not know the currency ${code}. It is tested all the same.${meant}${limit}`];
    }
    return statedDecimals(code, decimals) === null && shownIn(code) === 0
      ? [`The balances in ${code} show no decimals, so no bet in ${code} had any. To test decimals, ${setDecimals}.`]
      : [];
  });
  return [...used, ...unused];
}
