import { expect, it } from 'vitest';
import type { Digests, RunStarted } from '../../src/journal/event.ts';
import { eventProblem } from '../../src/journal/event-schema.ts';
import { joinedStart, shardMismatch } from '../../src/journal/shard-set.ts';
import { baseUrlsText } from '../../src/report/base-urls.ts';
import { runStarted } from './events.ts';

const DIGESTS = { rules: 'r', suite: 's', config: 'c' };

const shard = (index: number, digests?: Digests) => {
  const part = { index, count: 2, planHash: 'p', divisionHash: 'd', scenarios: 2, players: 2, whole: true, seed: '1' };
  return { name: `shard-${index}.ndjson`, run: { ...runStarted([]), shard: part, ...(digests && { digests }) } };
};

it('shards whose scenarios have other contents do not belong to one run', () => {
  expect(shardMismatch([shard(1, DIGESTS), shard(2, DIGESTS)])).toBeUndefined();
  expect(shardMismatch([shard(1), shard(2)])).toBeUndefined();
  expect(shardMismatch([shard(1, DIGESTS), shard(2, { ...DIGESTS, suite: 't', rules: 'q' })])).toEqual({
    kind: 'unfit',
    reasons: [
      'shard-2.ndjson and shard-1.ndjson are from different runs. They differ in: contents of the scenarios, rules',
    ],
  });
});

it.each([
  [
    'base URL (https://other.example/eu and http://127.0.0.1:4000)',
    (run: RunStarted) => ({ client: { ...run.client, integratorBaseUrl: 'https://other.example/eu' } }),
  ],
  ['label build', () => ({ labels: { build: '2' } })],
])('shards with another %s do not belong to one run', (what, change) => {
  const [first, second] = [shard(1), shard(2)];
  expect(shardMismatch([first, { ...second, run: { ...second.run, ...change(second.run) } }])?.reasons).toEqual([
    `shard-2.ndjson and shard-1.ndjson are from different runs. They differ in: ${what}`,
  ]);
});

it('shards with other settings do not belong to one run', () => {
  const other = shard(2, { ...DIGESTS, config: 'd' });
  expect(shardMismatch([shard(1, DIGESTS), other])?.reasons).toEqual([
    expect.stringMatching(
      /^shard-2\.ndjson and shard-1\.ndjson .* They differ in: the settings of the client or the run, /,
    ),
  ]);
  const strict = { ...other, run: { ...other.run, settings: { ...other.run.settings, strict: true } } };
  expect(shardMismatch([shard(1, DIGESTS), strict])?.reasons).toEqual([
    'shard-2.ndjson and shard-1.ndjson are from different runs. They differ in: --strict',
  ]);
});

it('shards may reach their operator at different ports, and the joined run names every address', () => {
  const at = (index: number, port: number) => {
    const { name, run } = shard(index);
    return { name, run: { ...run, client: { ...run.client, integratorBaseUrl: `http://127.0.0.1:${port}/eu` } } };
  };
  const shards = [at(1, 4000), at(2, 4001), at(3, 4000)];
  expect(shardMismatch(shards.slice(0, 2))).toBeUndefined();
  const joined = joinedStart(shards.map(({ run }) => run));
  expect(joined.client).toEqual({
    extCID: 'acme',
    integratorBaseUrl: 'http://127.0.0.1:4000/eu',
    otherBaseUrls: ['http://127.0.0.1:4001/eu'],
  });
  expect(eventProblem(joined)).toBeNull();
  expect(baseUrlsText(joined)).toBe('http://127.0.0.1:4000/eu, http://127.0.0.1:4001/eu');
  expect(joinedStart([at(1, 4000).run, at(2, 4000).run]).client).not.toHaveProperty('otherBaseUrls');
});
