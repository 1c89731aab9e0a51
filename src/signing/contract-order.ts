/** The order of the fields in the contract. Structs and classes often have their fields in this order. */
export const CONTRACT_ORDER = ['sessionID', 'txID', 'origTxID', 'roundID', 'amount', 'type', 'frID'];

const PLACES = new Map(CONTRACT_ORDER.map((name, place) => [name.toLowerCase(), place]));

/** Returns the place of a field in the contract, whatever the letter case of its name. Other fields come last. */
export function placeInContract(name: string): number {
  return PLACES.get(name.replaceAll(/[_-]/g, '').toLowerCase()) ?? CONTRACT_ORDER.length;
}
