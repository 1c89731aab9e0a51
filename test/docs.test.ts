import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsIn, type PrintedCommand } from '../scripts/docs/commands-in-pages.ts';
import { croupierCommands, fullName, leaves } from '../scripts/docs/commands-page.ts';
import { ruleExamples, WRITTEN_PAGES } from '../scripts/docs/pages.ts';
import { RULES } from '../src/contract/catalogue.ts';
import { defectByName } from '../src/operator/defects.ts';
import { loadScenario } from '../src/scenario/load.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const PAGES = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  ...readdirSync(path.join(ROOT, 'docs')).map((file) => `docs/${file}`),
];

describe('pages that the code writes', () => {
  it.each(Object.entries(WRITTEN_PAGES))('%s is what it says (else: npm run docs)', (file, text) => {
    expect(read(file)).toBe(text());
  });

  const examples = ruleExamples();

  it.each(RULES)('$id has an example of a right and a wrong reply (else: npm run docs:examples)', ({ id, level }) => {
    const example = examples[id];
    expect(example?.calls.some(({ right }) => right !== null)).toBe(true);
    if (level === 'NOTE') return;
    expect(defectByName(example?.defect ?? '')?.breaks).toContain(id);
    expect(example?.calls.some(({ right, wrong }) => wrong !== null && wrong !== right)).toBe(true);
  });
});

/** The anchors of a page, as hosts of repositories make them of headings. */
function anchors(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const withoutBlocks = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```$/gmu, '').replaceAll(/`[^`\n]*`/gu, '');

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  it('has no broken link', () => {
    const links = [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/gu)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(ROOT, target))) return true;
      return anchor !== undefined && !anchors(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('names only commands, flags and values that there are', () => {
    expect(commandsIn(page, text).flatMap(mistakes)).toEqual([]);
  });

  it('shows only scenarios that can be played', () => {
    const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gmu)].map(([, block = '']) => block);
    const complaints = blocks
      .filter((block) => /^croupier: 1$/mu.test(block))
      .flatMap((block) => loadScenario(block, page, { id: 'page', readFragment: () => undefined }).complaints);
    expect(complaints).toEqual([]);
  });

  it('names only scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm run ([\w:-]+)/gu)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const files = [...text.matchAll(/\bnode (scripts\/[\w.-]+)/gu)].map(([, file = '']) => file);
    expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

it('README.md or the map of the pages leads to every page', () => {
  const map = read('README.md') + read('docs/README.md');
  const pages = readdirSync(path.join(ROOT, 'docs')).filter((file) => file !== 'README.md');
  expect(pages.filter((file) => !map.includes(`(docs/${file})`) && !map.includes(`(${file})`))).toEqual([]);
});

it('README.md names every command', () => {
  const text = read('README.md');
  const unnamed = leaves(croupierCommands())
    .map(fullName)
    .filter((name) => !text.includes(name));
  expect(unnamed).toEqual([]);
});

/** What commander would say of it. Ids and files are not looked for: a page may have others than the suite's. */
function mistakes(printed: PrintedCommand): readonly string[] {
  const told = (what: string) => [`${printed.page}:${String(printed.line)}: ${printed.text}: ${what}`];
  let command: Command = croupierCommands();
  let rest = [...printed.args];
  for (;;) {
    const below = command.commands.find((one) => one.name() === rest[0]);
    if (!below) break;
    command = below;
    rest = rest.slice(1);
  }
  if (rest[0] === '--help') return [];
  // `croupier COMMAND --help` stands for all of them.
  if (command.commands.length > 0) return /^[A-Z]*$/u.test(rest[0] ?? '') ? [] : told(`no command ${String(rest[0])}`);
  const words: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-' || word === '--') {
      words.push(word);
      continue;
    }
    const [flag = '', given] = word.split('=', 2);
    const option = command.options.find(({ short, long }) => short === flag || long === flag);
    if (!option) {
      if (flag === '--color' || flag === '--no-color' || flag === '--help') continue;
      return told(`no flag ${flag}`);
    }
    if (!option.required && !(option.optional && rest[0]?.startsWith('-') === false)) continue;
    const value = given ?? rest.shift();
    if (value === undefined) return told(`${flag} needs a value`);
    if (option.argChoices && value !== '…' && !option.argChoices.includes(value)) return told(`no ${flag} ${value}`);
  }
  const [argument] = command.registeredArguments;
  const choices = argument?.argChoices;
  const [first] = words;
  if (choices && first !== undefined && !choices.includes(first))
    return told(`${first} is none of ${choices.join(', ')}`);
  if (first !== undefined && !argument) return told(`it takes no ${first}`);
  return [];
}
