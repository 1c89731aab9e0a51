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
