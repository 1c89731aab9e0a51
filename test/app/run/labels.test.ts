import { describe, expect, it } from 'vitest';
import { configurationOf } from '../../../src/app/config/configuration.ts';
import type { Config } from '../../../src/app/config/schema.ts';
import { runLabels } from '../../../src/app/run/labels.ts';
import { silentStdio } from '../../../src/app/stdio.ts';

const stdio = silentStdio(import.meta.dirname, process.env);

async function labels(config: Config, label: readonly string[] = []) {
  return runLabels(await configurationOf(config, stdio), { label }, stdio);
}

const program = (...command: string[]) => ({ command });
const node = (code: string) => program(process.execPath, '-e', code);

describe('the labels of a run', () => {
  it('come from the flag, from texts, commands and headers of the configuration, and the flag wins', async () => {
    const config = { labels: { build: 'old', commit: node('console.log("abc ")'), server: { header: 'X-Build' } } };
    expect(await labels(config, ['build=1=2', 'branch=main\njob = 7'])).toEqual({
      labels: { build: '1=2', commit: 'abc', branch: 'main', job: '7' },
      labelHeaders: { server: 'X-Build' },
    });
    expect(await labels({ labels: { server: { header: 'X-Build' } } }, ['server=2'])).toEqual({
      labels: { server: '2' },
      labelHeaders: {},
    });
  });

  it.each([
    ['a flag without a name', {}, ['=1'], '--label =1: it needs a name and a value'],
    ['a flag without a value', {}, ['build='], '--label build: the value is empty'],
    ['a flag with a wrong name', {}, ['1build=2'], '--label 1build=2: it needs a name'],
    ['two values of one label', {}, ['build=1', 'build=2'], '--label build: the label has two values, 1 and 2'],
    ['two values of one label in one variable', {}, ['build=1\nbuild=2'], 'the label has two values, 1 and 2'],
    ['a long value', {}, [`build=${'x'.repeat(201)}`], 'longer than 200 characters'],
    ['a command that fails', { build: node('console.error("no git"); process.exit(3)') }, [], 'status 3: no git'],
    [
      'a command with two lines',
      { build: node('console.log("a\\nb")') },
      [],
      'labels.build: the value must be one line',
    ],
    ['a command that does not exist', { build: program('/nowhere/git') }, [], 'could not be run'],
    ['a wrong name in the configuration', { 'my build': 'a' }, [], 'must be a name of letters, digits'],
  ] as const)('are refused for %s, with the reason', async (_, given, flags, reason) => {
    await expect(labels({ labels: given }, flags)).rejects.toThrow(reason);
  });
});
