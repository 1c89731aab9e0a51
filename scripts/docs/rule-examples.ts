import { readFileSync } from 'node:fs';
import type { RuleExample } from '../../src/cli/commands/list/rule-example.ts';
import { WRITTEN_EXAMPLES } from './written-examples.ts';

const RECORDED = new URL('../../fixtures/rule-examples.json', import.meta.url);

/** The file in which `croupier list rule` finds the examples. */
export const BUILT_EXAMPLES = 'dist/rule-examples.json';

/** Returns the examples of all rules. Most were recorded, and some were written by hand. */
export function ruleExamples(): Readonly<Record<string, RuleExample>> {
  return { ...(JSON.parse(readFileSync(RECORDED, 'utf8')) as Record<string, RuleExample>), ...WRITTEN_EXAMPLES };
}
