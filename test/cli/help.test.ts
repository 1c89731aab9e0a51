import { tmpdir } from 'node:os';
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, it } from 'vitest';
import { silentStdio } from '../../src/app/stdio.ts';
import { TOPICS } from '../../src/cli/commands/help/pages.ts';
import { addCommands } from '../../src/cli/commands.ts';
import { HELP } from '../../src/cli/help.ts';
import { croupier } from './croupier.ts';

const SCREEN = { lines: 50, columns: 80 };
const cwd = tmpdir();

interface Known {
  readonly words: readonly string[];
  readonly flags: readonly string[];
}

/** Every command of the program with its flags. */
function commandsOf(command: CommandUnknownOpts, before: readonly string[] = []): readonly Known[] {
  return command.commands.flatMap((one) => {
    const words = [...before, one.name()];
    return [
      { words, flags: one.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '') },
      ...commandsOf(one, words),
    ];
  });
}

const program = new Command('croupier').configureHelp(HELP);
addCommands(program, silentStdio(cwd, {}), () => {});
const COMMANDS = commandsOf(program);

async function page(...args: readonly string[]): Promise<readonly string[]> {
  const { status, out, err } = await croupier(args, { cwd });
  expect({ status, err }).toEqual({ status: 0, err: '' });
  return out.trimEnd().split('\n');
}

function expectOneScreen(lines: readonly string[]): void {
  expect(lines.length).toBeLessThanOrEqual(SCREEN.lines);
  expect(lines.filter((line) => line.length > SCREEN.columns)).toEqual([]);
}

describe('the help', () => {
  it.each(COMMANDS)('of the command $words fits one screen, with examples and every flag', async ({ words, flags }) => {
    const lines = await page(...words, '--help');
    expectOneScreen(lines);
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^Examples?:$/)]));
    const text = lines.join('\n');
    for (const flag of flags) expect(text).toMatch(new RegExp(`(^|\\s)${flag}(\\s|$)`, 'm'));
    expect(await page('help', ...words)).toEqual(lines);
  });

  it('of the program fits one screen, and names every command and topic', async () => {
    const lines = await page('--help');
    expectOneScreen(lines);
    for (const { words } of COMMANDS.filter((one) => one.words.length === 1))
      expect(lines.filter((line) => line.startsWith(`  ${words[0]} `))).toHaveLength(1);
    for (const topic of Object.keys(TOPICS)) expect(lines.join('\n')).toContain(`croupier help ${topic} `);
    expect(await page('help')).toEqual(lines);
  });

  it('explains the flags that other pages only name', async () => {
    const lines = await page('help', 'settings');
    expectOneScreen(lines);
    const run = await page('run', '--help');
    const named = run.slice(run.findIndex((line) => line.startsWith('Settings ')) + 1);
    const flags = named.slice(0, named.indexOf('')).flatMap((line) => line.trim().split(' '));
    expect(flags).toContain('--base-url');
    for (const flag of flags) expect(lines.join('\n')).toMatch(new RegExp(`^  ${flag} `, 'm'));
  });

  it('lists every environment variable', async () => {
    const lines = await page('help', 'environment');
    expectOneScreen(lines);
    for (const name of ['CROUPIER_KEY', 'CROUPIER_BASE_URL', 'CROUPIER_STRICT', 'CROUPIER_RETRIES', 'NO_COLOR', 'CI'])
      expect(lines.join('\n')).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it('refuses the name of an unknown page', async () => {
    expect(await croupier(['help', 'rnu'], { cwd })).toEqual({
      status: 2,
      out: '',
      err: 'There is no page rnu. Did you mean run?\n',
    });
  });

  it.each([40, 60])('shows flags in no more than the %d columns of the terminal', (columns) => {
    const run = program.commands.find((one) => one.name() === 'run');
    const text = run?.configureOutput({ getOutHelpWidth: () => columns }).helpInformation() ?? '';
    expect(text.split('\n').filter((line) => line.startsWith(' ') && line.length > columns)).toEqual([]);
  });
});
