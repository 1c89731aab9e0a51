import { readFileSync } from 'node:fs';
import { builtInSource, loadSuite } from '../../src/app/suite.ts';
import { commandsPage } from './commands-page.ts';
import { configurationPage } from './configuration-page.ts';
import { environmentPage } from './environment-page.ts';
import { languagePage } from './language-page.ts';
import { ruleExamples } from './rule-examples.ts';
import { rulesPage } from './rules-page.ts';
import type { Schema } from './schema-table.ts';

const ROOT = new URL('../../', import.meta.url);

function read(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, ROOT), 'utf8'));
}

/** The generated pages: for each path, the function that returns the page's text. */
export const WRITTEN_PAGES: Readonly<Record<string, () => string>> = {
  'docs/commands.md': commandsPage,
  'docs/environment.md': environmentPage,
  'docs/configuration.md': () => configurationPage(read('schema/config.json') as Schema),
  'docs/language.md': () => languagePage(read('schema/scenario.json') as Schema),
  'docs/rules.md': () => {
    const { scenarios } = loadSuite([builtInSource()], '.', () => crypto.randomUUID());
    const of = (rule: string) =>
      scenarios.filter(({ rules }) => rules.some((one) => one === rule)).map(({ scenarioId }) => scenarioId);
    return rulesPage((rule) => [...new Set(of(rule))], ruleExamples());
  },
};
