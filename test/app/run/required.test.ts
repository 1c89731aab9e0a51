import { describe, expect, it } from 'vitest';
import { refuseUnknownRules, requiredOf } from '../../../src/app/run/required.ts';
import type { SuiteScenario } from '../../../src/app/suite.ts';
import type { ClientUnderTest } from '../../../src/engine/run-options.ts';

const scenarios = [{ id: 'balance/read', rules: ['balance.read'], tags: [] }] as unknown as readonly SuiteScenario[];

const required = (value: string, { grep, quick = false }: { grep?: string; quick?: boolean } = {}) =>
  requiredOf({} as ClientUnderTest, {
    flags: {},
    configuration: { config: { require: ['win.credit'] } },
    settings: { strict: false },
    selection: { words: [], tags: [], grep, quick },
    suite: { scenarios, diagnostics: [], fileCount: 1 },
    stdio: { cwd: '.', env: { CROUPIER_REQUIRE: value } },
    scenarios,
  }).map(({ id }) => id);

describe('CROUPIER_REQUIRE', () => {
  it('adds groups and rules to those of the configuration', () => {
    expect(required('balance, refund.unknown')).toEqual([
      'win.credit',
      'balance.read',
      'balance.read-only',
      'refund.unknown',
    ]);
    expect(required('')).toEqual(['win.credit']);
  });

  it('requires in a part of the suite only what this part tests', () => {
    expect(required('balance,refund', { grep: 'read' })).toEqual(['balance.read']);
    expect(required('balance,refund', { quick: true })).toEqual(['balance.read']);
  });

  it('is refused if it names neither a group nor a rule', () => {
    expect(() => refuseUnknownRules({}, { env: { CROUPIER_REQUIRE: 'refund,bet.debitt' } })).toThrow(
      /^CROUPIER_REQUIRE=bet.debitt: there is no group or rule with this name[\s\S]*Did you mean bet.debit\?$/,
    );
  });
});
