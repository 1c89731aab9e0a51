import { expect, it } from 'vitest';
import { loadUuid } from '../../src/load/uuids.ts';

it('the ids of a load test are UUIDs of version 4 that all differ, and each digit takes every value', () => {
  const ids = Array.from({ length: 5000 }, loadUuid);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const values = Array.from({ length: 36 }, (_, at) => new Set(ids.map((id) => id[at])).size);
  expect(values.filter((count) => count === 16)).toHaveLength(30);
});
