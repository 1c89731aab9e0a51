import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GROUPS, isRuleId, RULES, type RuleId, ruleById } from '../../src/contract/catalogue.ts';

const pinned = readFileSync(new URL('../../fixtures/contract/rules.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1);

describe('the rule catalogue', () => {
  it('has exactly the pinned ids, levels, money marks and clauses, in order', () => {
    const seen = RULES.map((rule) => [rule.id, rule.level, rule.money ? '$' : '', rule.clause].join(';'));
    expect(seen).toEqual(pinned);
  });

  it('has every rule in the group that its id names, each group once', () => {
    expect(GROUPS.flatMap((group) => group.rules)).toEqual(RULES);
    for (const { name, rules } of GROUPS) {
      expect(rules.length, name).toBeGreaterThan(0);
      for (const rule of rules) expect(rule.id.startsWith(`${name}.`), rule.id).toBe(true);
    }
  });

  it('has a sentence and a hint of its own for every rule', () => {
    expect(new Set(RULES.map((rule) => rule.sentence)).size).toBe(RULES.length);
    for (const rule of RULES) {
      expect(rule.sentence, rule.id).toMatch(/^[^A-Z].*[^.\s]$/s);
      expect(rule.hint, rule.id).toMatch(/^[A-Z`].*\.$/s);
    }
  });

  it('says for every rule that can be broken what a breach means for players or the operator, without technical words', () => {
    const binding = RULES.filter(({ level }) => level !== 'NOTE');
    expect(new Set(binding.map(({ means }) => means)).size).toBe(binding.length);
    for (const { id, means } of binding) {
      expect(means, id).toMatch(/^[A-Z][^`{}]{30,130}\.$/);
      expect(means, id).not.toMatch(
        /\b(JSON|HTTP|API|txID|roundID|idempoten\w*|replay\w*|payload|endpoint|header|\d{3})\b/i,
      );
    }
    for (const { level, means } of RULES) if (level === 'NOTE') expect(means).toBeNull();
  });

  it('names the first version of every rule that a later version of the contract added', () => {
    const dated = RULES.filter((rule) => rule.since !== '1.0.0').map((rule) => [rule.id, rule.since]);
    expect(Object.fromEntries(dated)).toEqual({
      'bet.decimal-amount': '1.2.11',
      'refund.without-round': '1.5.0',
      'money.decimal-string': '1.7.2',
      'money.main-unit': '1.7.2',
      'money.precision': '1.8.2',
      'money.exact': '1.7.2',
      'money.large': '1.7.2',
      'launch.campaign': '1.2.8',
      'launch.games-gzip': '1.5.1',
    });
  });

  it('has the version that the clause of a rule names', () => {
    for (const rule of RULES) {
      const named = /^Versioning (.+)$/.exec(rule.clause)?.[1];
      if (named) expect(rule.since, rule.id).toBe(named);
    }
  });

  it('splits the rules that apply to all four endpoints by endpoint', () => {
    for (const id of ['signature.accepted', 'signature.mismatch', 'signature.missing', 'reply.deadline'] as const) {
      expect(ruleById(id).endpoints, id).toEqual(['balance', 'bet', 'win', 'refund']);
    }
    expect(ruleById('bet.debit').endpoints).toBeUndefined();
  });

  it('finds a rule by its id, and refuses other texts', () => {
    expect(ruleById('refund.unknown').level).toBe('MUST');
    expect(isRuleId('refund.unknown')).toBe(true);
    for (const text of ['refund.unknwon', 'refund', '', 'toString', '__proto__']) {
      expect(isRuleId(text), text).toBe(false);
    }
  });

  it('rejects an id that does not exist, in the types and at run time', () => {
    // @ts-expect-error no such rule
    const wrong: RuleId = 'refund.unknwon';
    expect(() => ruleById(wrong)).toThrow('there is no rule "refund.unknwon"');
  });
});
