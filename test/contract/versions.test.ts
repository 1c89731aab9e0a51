import { expect, it } from 'vitest';
import { RULES } from '../../src/contract/catalogue.ts';
import {
  CHANGES,
  CONTRACT_VERSION,
  CONTRACT_VERSIONS,
  compareVersions,
  contractVersion,
} from '../../src/contract/versions.ts';

it('lists the versions newest first', () => {
  expect(CONTRACT_VERSION).toBe('1.10.2');
  expect(CONTRACT_VERSIONS.toSorted((a, b) => compareVersions(b, a))).toEqual(CONTRACT_VERSIONS);
  expect(new Set(CONTRACT_VERSIONS).size).toBe(CONTRACT_VERSIONS.length);
});

it('compares by number, not by text', () => {
  expect(compareVersions('1.10.0', '1.9.0')).toBeGreaterThan(0);
  expect(compareVersions('1.2.8', '1.2.11')).toBeLessThan(0);
  expect(compareVersions('2.0.0', '1.99.99')).toBeGreaterThan(0);
  expect(compareVersions('1.5.0', '1.5.0')).toBe(0);
});

it.each(['1.5', 'v1.5.0', '1.5.0-rc', '', '1.5.x'])('refuses %j', (text) => {
  expect(() => compareVersions(text, '1.0.0')).toThrow(`not a version of the form major.minor.patch: "${text}"`);
});

it('knows the version since which each rule holds', () => {
  for (const rule of RULES) expect(CONTRACT_VERSIONS, rule.id).toContain(rule.since);
});

it.each([
  ['1.10.2', '1.10.2'],
  ['1.9.0', '1.9.0'],
  ['1.4.0', '1.2.11'],
  ['1.10.3', undefined],
  ['0.9.9', undefined],
  ['1.9', undefined],
])('takes an integration of %s for one of %s', (text, version) => {
  expect(contractVersion(text)).toBe(version);
});

it('says of each version what came with it', () => {
  expect(Object.keys(CHANGES)).toEqual([...CONTRACT_VERSIONS]);
});
