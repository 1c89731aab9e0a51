import type { Rule } from '../contract/catalogue.ts';

/** Says where the contract states a rule, or that the contract does not state the rule. */
export function clauseText({ clause, since }: Pick<Rule, 'clause' | 'since'>): string {
  if (clause === 'position') return 'Not in the contract: a decision of croupier (docs/positions.md)';
  return `Contract: ${clause}${since === '1.0.0' ? '' : `, since ${since}`}`;
}
