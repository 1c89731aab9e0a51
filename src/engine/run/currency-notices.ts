import { codeInOtherCase, currencyByCode } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';
import { hasDecimalAmounts } from '../../contract/versions.ts';
import type { RunOptions } from '../run-options.ts';
import { sessionsToPlay } from '../session-pool.ts';
import { denominationOf, statedDecimals } from '../stakes.ts';

/**
 * Returns the messages about currencies. They are about currencies that croupier does not know, currencies in which croupier
 * could not bet decimals, settings for a currency without a session, and stakes that are not used because amounts must be whole.
 *
 * @param shownIn returns the largest number of decimals in the balances of a currency; undefined if no balance was read
 */
export function currencyNotices(
  { client, stakes, decimals }: Pick<RunOptions, 'client' | 'stakes' | 'decimals'>,
  shownIn: (code: string) => number | undefined,
): readonly string[] {
  const amounts = { decimals, client };
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
      const meant = other === undefined ? '' : ` Did you mean ${other}? Upper and lower case matter.`;
      const limit = statedDecimals(code, amounts) === null ? ` To test its decimals, ${setDecimals}.` : '';
      return [`croupier does not know the currency ${code}, but tests it all the same.${meant}${limit}`];
    }
    return statedDecimals(code, amounts) === null && shownIn(code) === 0
      ? [
          `The balances in ${code} show no decimals, so every bet in ${code} was a whole number. To test decimals, ${setDecimals}.`,
        ]
      : [];
  });
  const whole = hasDecimalAmounts(client.contract) ? [] : wholeAmounts(codes, { client, stakes });
  return [...used, ...whole, ...unused];
}

/**
 * Returns the messages for a client whose contract allows only whole amounts: which stakes were replaced, and which currencies were
 * left out.
 */
function wholeAmounts(
  codes: readonly string[],
  { client, stakes }: Pick<RunOptions, 'client' | 'stakes'>,
): readonly string[] {
  const why = `because version ${client.contract} of the contract has only whole amounts`;
  const played = new Set(sessionsToPlay(client).map(({ currency }) => currency));
  return codes.flatMap((code) => {
    if (!played.has(code)) return [`No scenario was played in ${code}, ${why}.`];
    const configured = stakes[code];
    const { stake } = denominationOf(code, { stakes, decimals: {}, client }, undefined);
    return configured === undefined || Money.of(configured).equals(stake)
      ? []
      : [`The stake of ${configured} ${code} was replaced by ${stake}, ${why}.`];
  });
}
