import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RULES } from '../../src/contract/catalogue.ts';
import {
  CHANGES,
  CONTRACT_VERSION,
  CONTRACT_VERSIONS,
  compareVersions,
  contractVersion,
  field,
  isThere,
  knownFields,
} from '../../src/contract/versions.ts';

it('the versions of the contract are listed newest first', () => {
  expect(CONTRACT_VERSION).toBe('1.10.2');
  expect(CONTRACT_VERSIONS.toSorted((a, b) => compareVersions(b, a))).toEqual(CONTRACT_VERSIONS);
  expect(new Set(CONTRACT_VERSIONS).size).toBe(CONTRACT_VERSIONS.length);
});

it('versions are compared by number, not by text', () => {
  expect(compareVersions('1.10.0', '1.9.0')).toBeGreaterThan(0);
  expect(compareVersions('1.2.8', '1.2.11')).toBeLessThan(0);
  expect(compareVersions('2.0.0', '1.99.99')).toBeGreaterThan(0);
  expect(compareVersions('1.5.0', '1.5.0')).toBe(0);
});

it.each(['1.5', 'v1.5.0', '1.5.0-rc', '', '1.5.x'])('%j is refused as a version', (text) => {
  expect(() => compareVersions(text, '1.0.0')).toThrow(`not a version of the form major.minor.patch: "${text}"`);
});

it('every rule names a published version as its first', () => {
  for (const rule of RULES) expect(CONTRACT_VERSIONS, rule.id).toContain(rule.since);
});

it.each([
  ['1.10.2', '1.10.2'],
  ['1.9.0', '1.9.0'],
  ['1.4.0', '1.2.11'],
  ['1.10.3', undefined],
  ['0.9.9', undefined],
  ['1.9', undefined],
])('an integration of version %s is treated as one of version %s', (text, version) => {
  expect(contractVersion(text)).toBe(version);
});

it('every version has a description of its changes', () => {
  expect(Object.keys(CHANGES)).toEqual([...CONTRACT_VERSIONS]);
});

it.each([
  [undefined, '1.0.0', true],
  ['1.9.0', '1.8.2', false],
  ['1.9.0', '1.9.0', true],
  ['1.9.0', '1.10.0', true],
] as const)('a field added in version %s exists in version %s: %s', (since, version, expected) => {
  expect(isThere(since, version)).toBe(expected);
});

describe('knownFields', () => {
  const schema = z.object({ a: z.string(), b: z.string().optional().meta(field('Later.', '1.5.0')) });

  it('leaves out fields of later versions, and keeps fields that the schema does not name', () => {
    const value = { a: '1', b: '2', c: '3', toString: '4' };
    expect(knownFields(value, schema, '1.2.0')).toEqual({ a: '1', c: '3', toString: '4' });
    expect(knownFields(value, schema, '1.5.0')).toEqual(value);
  });
});
