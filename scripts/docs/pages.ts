import { readFileSync } from 'node:fs';
import { builtInSource, loadSuite } from '../../src/app/suite.ts';
import { commandsPage } from './commands-page.ts';
import { configurationPage, languagePage } from './language-page.ts';
import type { RuleExample } from './rule-example.ts';
import { rulesPage } from './rules-page.ts';
import type { Schema } from './schema-table.ts';
import { WRITTEN_EXAMPLES } from './written-examples.ts';

const ROOT = new URL('../../', import.meta.url);

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, ROOT), 'utf8'));
}

/** Returns the examples of all rules. Most were recorded, and some were written by hand. */
export function ruleExamples(): Readonly<Record<string, RuleExample>> {
  return { ...(read('fixtures/rule-examples.json') as Record<string, RuleExample>), ...WRITTEN_EXAMPLES };
}

/** The generated pages: for each path, the function that returns the page's text. */
export const WRITTEN_PAGES: Readonly<Record<string, () => string>> = {
  'docs/commands.md': commandsPage,
  'docs/configuration.md': () => configurationPage(read('schema/config.json') as Schema),
  'docs/language.md': () => languagePage(read('schema/scenario.json') as Schema),
  'docs/rules.md': () => {
    const { scenarios } = loadSuite([builtInSource()], '.', () => crypto.randomUUID());
    const of = (rule: string) =>
      scenarios.filter(({ rules }) => rules.some((one) => one === rule)).map(({ scenarioId }) => scenarioId);
    return rulesPage((rule) => [...new Set(of(rule))], ruleExamples());
  },
};
