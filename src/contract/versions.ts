import type { z } from 'zod';
import { MAX_CAMPAIGN_DAYS } from './limits.ts';

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

/** The version of the contract that operators are judged by if no other is configured. */
export const CONTRACT_VERSION: ContractVersion = CONTRACT_VERSIONS[0];

/** The changes of each version, in a few words (contract, Versioning). */
export const CHANGES: Readonly<Record<ContractVersion, string>> = {
  '1.10.2': 'more locales; the life of a demo balance clarified',
  '1.10.1': 'the description of win fields and of the id in GET /free-rounds corrected',
  '1.10.0': 'fallbackToDefaultLocale in create-new-game; the codes of its 400 and 403 replies corrected',
  '1.9.0': 'GET /free-rounds',
  '1.8.2': 'more currencies; at most two decimals in fiat currencies, in some none',
  '1.8.0': 'currencyFilters and additionalCurrencies in GET /games',
  '1.7.3': 'gameURL and gsID documented; gsID is not the sessionID',
  '1.7.2': 'amounts and balances are decimal strings in the main unit',
  '1.7.0': 'the image horizontal_337x181',
  '1.6.0': 'excludeBetLines in GET /games',
  '1.5.1': 'gzip in GET /games',
  '1.5.0': 'roundID in refunds; the time for which a txID is unique',
  '1.2.11': 'amounts of bets may have decimals',
  '1.2.8': `a campaign of free rounds with an end date lasts at most ${MAX_CAMPAIGN_DAYS} days`,
  '1.2.0': 'initDemoBalance in create-new-game',
  '1.1.1': 'returnUrl became optional',
  '1.1.0': 'GET /games',
  '1.0.1': 'error codes of the Core API',
  '1.0.0': 'the first version',
};

/**
 * Returns the newest published version that is not newer than the given version. Versions that changed nothing are not
 * in the list.
 *
 * @returns undefined if the text is not a version, or if the version is newer than {@link CONTRACT_VERSION} or older
 * than the first
 */
export function contractVersion(text: string): ContractVersion | undefined {
  if (!VERSION.test(text) || compareVersions(text, CONTRACT_VERSION) > 0) return undefined;
  return CONTRACT_VERSIONS.find((version) => compareVersions(version, text) <= 0);
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * Compares two versions by their numbers, so that 1.10.0 is newer than 1.9.0. Can be used as a sort function.
 *
 * @throws RangeError for a version that does not have the form major.minor.patch
 */
export function compareVersions(a: string, b: string): number {
  const left = numbers(a);
  const right = numbers(b);
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

type Numbers = readonly [major: number, minor: number, patch: number];

/** Each decision of a rule compares two published versions, so their numbers are computed only once. */
const PUBLISHED: ReadonlyMap<string, Numbers> = new Map(
  CONTRACT_VERSIONS.map((version) => [version, numbersIn(version)]),
);

function numbers(version: string): Numbers {
  return PUBLISHED.get(version) ?? numbersIn(version);
}

function numbersIn(version: string): Numbers {
  const match = VERSION.exec(version);
  if (!match) throw new RangeError(`not a version of the form major.minor.patch: ${JSON.stringify(version)}`);
  return [Number(match[1]), Number(match[2]), Number(match[3])];
}

/**
 * A key in the metadata of a field, in the schema and in its JSON Schema. Its value is the first version of the contract that has
 * this field.
 */
export const SINCE = 'x-since';

/**
 * Returns the metadata of a field: its meaning, and the version that added the field. A field of the first version has
 * no such entry.
 */
export function field(description: string, since?: ContractVersion): z.core.GlobalMeta {
  return since === undefined ? { description } : { description, [SINCE]: since };
}

/** True if a version of the contract has something that version `since` added. undefined means that the first version has it. */
export function isThere(since: string | undefined, version: ContractVersion): boolean {
  return since === undefined || compareVersions(since, version) <= 0;
}

/** True if a version of the contract allows amounts with decimals. Before version 1.2.11, all amounts are whole. */
export function hasDecimalAmounts(version: ContractVersion = CONTRACT_VERSION): boolean {
  return isThere('1.2.11', version);
}

/**
 * Returns the fields of a request that an API of this version knows. Such an API ignores fields of later versions, as it
 * ignores any unknown field. Only the outermost fields are checked.
 */
export function knownFields(
  value: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
  version: ContractVersion,
): Readonly<Record<string, unknown>> {
  const shape: Readonly<Record<string, z.ZodType | undefined>> = schema.shape;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => {
      const since = Object.hasOwn(shape, name) ? shape[name]?.meta()?.[SINCE] : undefined;
      return isThere(typeof since === 'string' ? since : undefined, version);
    }),
  );
}
