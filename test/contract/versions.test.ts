import { expect, it } from 'vitest';
import { RULES } from '../../src/contract/catalogue.ts';
import { CONTRACT_VERSION, CONTRACT_VERSIONS, compareVersions } from '../../src/contract/versions.ts';

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
