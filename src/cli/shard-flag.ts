import { InvalidArgumentError } from 'commander';

/** Which part of how many, as `--shard 2/4` says it. */
export interface ShardFlag {
  /** Counted from 1. */
  readonly index: number;
  readonly count: number;
}

export function shardFlag(text: string): ShardFlag {
  const match = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  if (!match) throw new InvalidArgumentError('Write which part of how many, counted from 1: 2/4.');
  const [index, count] = [Number(match[1]), Number(match[2])];
  if (index > count)
    throw new InvalidArgumentError(`There are only ${count} parts: write 1/${count} to ${count}/${count}.`);
  return { index, count };
}
