import { InvalidArgumentError } from 'commander';
import { CONTRACT_VERSION, type ContractVersion, contractVersion } from '../contract/versions.ts';
import { readDuration } from '../scenario/duration.ts';

export function durationFlag(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('Write a duration with its unit: 300ms, 2s or 1m.');
  return ms;
}

export function countFlag(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number, 1 or more.');
  return Number(text);
}

export function versionFlag(text: string): ContractVersion {
  const version = contractVersion(text);
  if (version === undefined)
    throw new InvalidArgumentError(`Write a version of the contract from 1.0.0 to ${CONTRACT_VERSION}.`);
  return version;
}

/** For flags that may be given again and again. */
export function collect(text: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), text];
}
