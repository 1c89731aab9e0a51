import { InvalidArgumentError } from 'commander';

/** Which part of how many, counted from 1. */
interface PartNumber {
  readonly index: number;
  readonly count: number;
}

/** Reads `2/4`. undefined: it is nothing of the kind. */
export function partNumber(text: string): PartNumber | undefined {
  const match = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  return match ? { index: Number(match[1]), count: Number(match[2]) } : undefined;
}

/** The text as it is, when it names a part that there is. */
export function shardFlag(text: string): string {
  const part = partNumber(text);
  if (!part) throw new InvalidArgumentError('Write which part of how many, counted from 1: 2/4.');
  const { index, count } = part;
  if (index > count)
    throw new InvalidArgumentError(`There are only ${count} parts: write 1/${count} to ${count}/${count}.`);
  return text;
}
