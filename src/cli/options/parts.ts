import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { CONTRACT_VERSION, type ContractVersion, contractVersion } from '../../contract/versions.ts';
import { readDuration } from '../../scenario/duration.ts';

/** The values of the flags that a function gives a command, as commander infers them. */
export type FlagsOf<Describe extends (...args: never[]) => { opts(): object }> = ReturnType<
  ReturnType<Describe>['opts']
>;

/** Reads a duration in milliseconds. @throws InvalidArgumentError unless it is a duration with its unit */
export function durationFlag(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('Write a duration with its unit: 300ms, 2s or 1m.');
  return ms;
}

/** Reads a count. @throws InvalidArgumentError unless it is a whole number from 1 */
export function countFlag(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number, 1 or more.');
  return Number(text);
}

/** Reads a version of the contract. @throws InvalidArgumentError for an unknown version */
export function versionFlag(text: string): ContractVersion {
  const version = contractVersion(text);
  if (version === undefined)
    throw new InvalidArgumentError(`Write a version of the contract from 1.0.0 to ${CONTRACT_VERSION}.`);
  return version;
}

/** Collects the values of a repeatable flag, in order. */
export function collect(text: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), text];
}

/** The flag for JSON output. */
export function jsonOption() {
  return new Option('--json', 'print JSON instead of text');
}
