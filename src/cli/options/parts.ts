import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { CONTRACT_VERSION, type ContractVersion, contractVersion } from '../../contract/versions.ts';
import { readDuration } from '../../scenario/duration.ts';

/** The type of the flags that a `describe…` function adds to a command, as commander infers it. */
export type FlagsOf<Describe extends (...args: never[]) => { opts(): object }> = ReturnType<
  ReturnType<Describe>['opts']
>;

/**
 * Reads a duration with its unit, such as 2s, and returns milliseconds.
 *
 * @throws InvalidArgumentError for any other text
 */
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

/** Reads a number of calls per second. @throws InvalidArgumentError unless it is a number above 0 */
export function rateFlag(text: string): number {
  const rate = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (rate <= 0) throw new InvalidArgumentError('Write a number of calls per second, such as 45 or 0.5.');
  return rate;
}

/** Reads a version of the contract. @throws InvalidArgumentError for an unknown version */
export function versionFlag(text: string): ContractVersion {
  const version = contractVersion(text);
  if (version === undefined)
    throw new InvalidArgumentError(`Write a version of the contract from 1.0.0 to ${CONTRACT_VERSION}.`);
  return version;
}

/** Adds a value of a repeatable flag to its earlier values, and keeps their order. */
export function collect(text: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), text];
}

/** Returns the flag `-v`. Its value is the number of times that it was given. */
export function verboseOption(description: string) {
  return (
    new Option('-v, --verbose', description)
      // The value of the preset is never used. The preset is needed for the type: without it, commander infers another type than
      // the type that the parser returns.
      .preset('')
      .argParser((_: string, before: number | undefined) => (before ?? 0) + 1)
  );
}

/** Returns the flag for JSON output. */
export function jsonOption() {
  return new Option('--json', 'print JSON instead of text');
}

/** Returns the flag that shows signatures and curl commands also in reports that other people read. */
export function curlOption() {
  return new Option('--curl', 'show signed calls in Markdown, HTML and CI logs too');
}
