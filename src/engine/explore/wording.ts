import type { JsonObject } from '../../contract/json.ts';
import type { Player, Sum } from './operation.ts';

/** An amount as an expression of the language. */
export function amountText({ stakes, units }: Sum): string {
  const part = (count: number, name: string) => (count === 1 ? name : `${count} * ${name}`);
  const parts = [...(stakes > 0 ? [part(stakes, 'stake')] : []), ...(units > 0 ? [part(units, 'unit')] : [])];
  return parts.length === 0 ? '0' : `\${${parts.join(' + ')}}`;
}

/** Longer than what some operators remember. */
export const A_WHILE = '1500ms';

/** The session of a call; that of the main player need not be written. */
export function atSession({ player }: { readonly player: Player }): JsonObject {
  return player === 'main' ? {} : { session: player };
}
