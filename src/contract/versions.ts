/** The published versions of the contract that changed something, newest first (contract, Versioning). */
export const CONTRACT_VERSIONS = [
  '1.10.2',
  '1.10.1',
  '1.10.0',
  '1.9.0',
  '1.8.2',
  '1.8.0',
  '1.7.3',
  '1.7.2',
  '1.7.0',
  '1.6.0',
  '1.5.1',
  '1.5.0',
  '1.2.11',
  '1.2.8',
  '1.2.0',
  '1.1.1',
  '1.1.0',
  '1.0.1',
  '1.0.0',
] as const;

export type ContractVersion = (typeof CONTRACT_VERSIONS)[number];

/** The version that operators are judged by. */
export const CONTRACT_VERSION: ContractVersion = CONTRACT_VERSIONS[0];

/** What came with each version, in a few words (contract, Versioning). */
export const CHANGES: Readonly<Record<ContractVersion, string>> = {
  '1.10.2': 'more locales; the life of a demo balance made clear',
  '1.10.1': 'the fields of wins and the id in GET /free-rounds described rightly',
  '1.10.0': 'fallbackToDefaultLocale in create-new-game; its 400 and 403 codes corrected',
  '1.9.0': 'GET /free-rounds',
  '1.8.2': 'more currencies; at most two decimals in fiat currencies, in some none',
  '1.8.0': 'currencyFilters and additionalCurrencies in GET /games',
  '1.7.3': 'gameURL and gsID documented; gsID is not the sessionID',
  '1.7.2': 'amounts and balances are decimal strings in the main unit',
  '1.7.0': 'the image horizontal_337x181',
  '1.6.0': 'excludeBetLines in GET /games',
  '1.5.1': 'gzip in GET /games',
  '1.5.0': 'roundID in refunds; how unique a txID is',
  '1.2.11': 'amounts of bets may have decimals',
  '1.2.8': 'finite campaigns of free rounds last 30 days at most',
  '1.2.0': 'initDemoBalance in create-new-game',
  '1.1.1': 'returnUrl became optional',
  '1.1.0': 'GET /games',
  '1.0.1': 'error codes of the Core API',
  '1.0.0': 'the beginning',
};

/**
 * The published version that an integration of this version was made by: of a patch that changed nothing, the one before.
 *
 * @returns undefined for what is no version, or one that is newer than {@link CONTRACT_VERSION} or older than the first
 */
export function contractVersion(text: string): ContractVersion | undefined {
  if (!VERSION.test(text) || compareVersions(text, CONTRACT_VERSION) > 0) return undefined;
  return CONTRACT_VERSIONS.find((version) => compareVersions(version, text) <= 0);
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * Orders two versions by their numbers, so that 1.10.0 comes after 1.9.0. Usable as a sort function.
 *
 * @throws RangeError when one of them is not of the form major.minor.patch
 */
export function compareVersions(a: string, b: string): number {
  const left = numbers(a);
  const right = numbers(b);
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

function numbers(version: string): [major: number, minor: number, patch: number] {
  const match = VERSION.exec(version);
  if (!match) throw new RangeError(`not a version of the form major.minor.patch: ${JSON.stringify(version)}`);
  return [Number(match[1]), Number(match[2]), Number(match[3])];
}
