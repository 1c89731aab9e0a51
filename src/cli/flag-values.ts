import { InvalidArgumentError } from 'commander';
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

/** For flags that may be given again and again. */
export function collect(text: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), text];
}
