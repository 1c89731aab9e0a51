import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { commandsIn, type PrintedCommand } from '../scripts/docs/commands-in-pages.ts';
import { croupierCommands, fullName, leaves } from '../scripts/docs/commands-page.ts';
import { WRITTEN_PAGES } from '../scripts/docs/pages.ts';
import { ruleExamples } from '../scripts/docs/rule-examples.ts';
import { RULES } from '../src/contract/catalogue.ts';
import { defectByName } from '../src/operator/defects.ts';
import { loadScenario } from '../src/scenario/load.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const pagesOf = (folder: string): readonly string[] =>
  readdirSync(path.join(ROOT, folder)).filter((file) => file.endsWith('.md'));
const PAGES = [...pagesOf('.'), ...pagesOf('docs').map((file) => `docs/${file}`)];

describe('pages that the code writes', () => {
  it.each(Object.entries(WRITTEN_PAGES))('%s is up to date (else: npm run docs)', (file, text) => {
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

  it('show the status that the name of their defect contains (else: npm run docs:examples)', () => {
    const named = RULES.flatMap(({ id }) => {
      const { defect, calls = [] } = examples[id] ?? {};
      const status = /-(\d{3})(?:-|$)/.exec(defect ?? '')?.[1];
      return status === undefined ? [] : [{ defect, status, replies: calls.map(({ wrong }) => wrong ?? '') }];
    });
    expect(named.map(({ defect }) => defect)).toContain('refund-unknown-404');
    for (const { status, replies } of named)
      expect(replies).toContainEqual(expect.stringMatching(new RegExp(`^${status} `)));
  });
});

/** The anchors of a page: those that hosts of repositories make from headings, and those that the page names itself. */
function anchors(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/gu)].map(([, id = '']) => id)];
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

  it('names only existing commands, flags and values', () => {
    expect(commandsIn(page, text).flatMap(mistakes)).toEqual([]);
  });

  it('shows only valid scenarios', () => {
    const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gmu)].map(([, block = '']) => block);
    // A page shows at most one fragment, which its scenarios may use under any path.
    const fragment = blocks.find((block) => /^fragment:/mu.test(block));
    const diagnostics = blocks
      .filter((block) => /^croupier: 1$/mu.test(block) && block !== fragment)
      .flatMap((block) => loadScenario(block, page, { id: 'page', readFragment: () => fragment }).diagnostics);
    expect(diagnostics).toEqual([]);
  });

  it('names only existing scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm run ([\w:-]+)/gu)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const files = [...text.matchAll(/\bnode (scripts\/[\w.-]+)/gu)].map(([, file = '']) => file);
    expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

it('README.md or docs/README.md links to every page', () => {
  const map = read('README.md') + read('docs/README.md');
  const pages = pagesOf('docs').filter((file) => file !== 'README.md');
  expect(pages.filter((file) => !map.includes(`(docs/${file})`) && !map.includes(`(${file})`))).toEqual([]);
});

it('README.md can be read in a few minutes: it has at most 700 words', () => {
  expect(read('README.md').split(/\s+/u).filter(Boolean).length).toBeLessThanOrEqual(700);
});

it('docs/tasks.md names every command', () => {
  const text = read('docs/tasks.md');
  const unnamed = leaves(croupierCommands())
    .map(fullName)
    .filter((name) => !text.includes(name));
  expect(unnamed).toEqual([]);
});

it('docs/environment.md names every variable that the code reads', () => {
  const text = read('docs/environment.md');
  const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== 'signing/fixes.ts')
    .map((name) => read(`src/${name}`))
    .join('\n');
  const names = [...code.matchAll(/\benv\.([A-Z][A-Z_]+)\b|'(CROUPIER_[A-Z_]+)'/gu)].map(([, a, b]) => a ?? b ?? '');
  expect(names.length).toBeGreaterThan(20);
  expect([...new Set(names)].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

/** The mistakes that commander finds in a command. Ids and files are not checked, because a page may have its own. */
function mistakes(printed: PrintedCommand): readonly string[] {
  const logged = (what: string) => [`${printed.page}:${String(printed.line)}: ${printed.text}: ${what}`];
  let command: Command = croupierCommands();
  let rest = [...printed.args];
  for (;;) {
    const below = command.commands.find((one) => one.name() === rest[0]);
    if (!below) break;
    command = below;
    rest = rest.slice(1);
  }
  if (rest[0] === '--help') return [];
  // `COMMAND` is a placeholder for every command.
  if (command.commands.length > 0)
    return /^[A-Z]*$/u.test(rest[0] ?? '') ? [] : logged(`no command ${String(rest[0])}`);
  const words: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-') || word === '-' || word === '--') {
      words.push(word);
      continue;
    }
    const [flag = '', given] = word.split('=', 2);
    // A short flag may be repeated: `-vv` is `-v` twice.
    const once = flag.replace(/^-(\w)\1+$/u, '-$1');
    const option = command.options.find(({ short, long }) => short === once || long === flag);
    if (!option) {
      if (flag === '--color' || flag === '--no-color' || flag === '--help') continue;
      return logged(`no flag ${flag}`);
    }
    if (!option.required && !(option.optional && rest[0]?.startsWith('-') === false)) continue;
    const value = given ?? rest.shift();
    if (value === undefined) return logged(`${flag} needs a value`);
    if (option.argChoices && value !== '…' && !option.argChoices.includes(value)) return logged(`no ${flag} ${value}`);
  }
  const [argument] = command.registeredArguments;
  const choices = argument?.argChoices;
  const [first] = words;
  if (choices && first !== undefined && !choices.includes(first))
    return logged(`${first} is none of ${choices.join(', ')}`);
  if (first !== undefined && !argument) return logged(`it takes no ${first}`);
  return [];
}
