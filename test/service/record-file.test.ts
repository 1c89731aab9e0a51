import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openRecords } from '../../src/service/record-file.ts';

const schema = z.object({ id: z.string() });

function place(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'records-')), 'records.ndjson');
}

it('gives back what was appended, to its owner alone, and goes on', () => {
  const file = place();
  const first = openRecords(file, schema);
  expect(first.records).toEqual([]);
  first.file.append({ id: 'a' });
  first.file.append({ id: 'b' });
  first.file.close();
  first.file.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const second = openRecords(file, schema, (records) => records.filter(({ id }) => id !== 'a'));
  second.file.append({ id: 'c' });
  second.file.close();
  expect(second.records).toEqual([{ id: 'b' }]);
  expect(readFileSync(file, 'utf8')).toBe('{"id":"b"}\n{"id":"c"}\n');
});

it('leaves out a torn last line', () => {
  const file = place();
  const first = openRecords(file, schema);
  first.file.append({ id: 'a' });
  first.file.close();
  appendFileSync(file, '{"id":"b');
  const second = openRecords(file, schema);
  second.file.append({ id: 'c' });
  second.file.close();
  const third = openRecords(file, schema);
  third.file.close();
  expect(third.records).toEqual([{ id: 'a' }, { id: 'c' }]);
});

it('says which line it cannot read', () => {
  const file = place();
  writeFileSync(file, '{"id":"a"}\n{"id":1}\n');
  expect(() => openRecords(file, schema)).toThrow(/records\.ndjson, line 2 is not a record/);
});

it('keeps nothing without a file', () => {
  const { records, file } = openRecords(undefined, schema);
  file.append({ id: 'a' });
  file.close();
  expect(records).toEqual([]);
});
