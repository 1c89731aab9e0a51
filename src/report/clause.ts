import type { Rule } from '../contract/catalogue.ts';

/** Says where the contract states a rule, or that it does not state it. */
export function clauseText({ clause, since }: Pick<Rule, 'clause' | 'since'>): string {
  if (clause === 'position') return 'position: the contract does not state this (docs/positions.md)';
  return `Contract: ${clause}${since === '1.0.0' ? '' : `, since ${since}`}`;
}
