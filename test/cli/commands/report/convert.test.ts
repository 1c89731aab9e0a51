import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Stdio } from '../../../../src/app/stdio.ts';
import { convertCommand } from '../../../../src/cli/commands/report/convert.ts';
import { journalText } from '../../../report/journals.ts';

describe('croupier report convert', () => {
  let cwd: string;
  let printed: string;
  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'convert-'));
    printed = '';
    for (const name of ['failing', 'killed'] as const)
      writeFileSync(path.join(cwd, `${name}.ndjson`), journalText(name));
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  const write = (text: string): void => {
    printed += text;
  };
  const stdio = (): Stdio => {
    const out = { write, command: write, writeSecret: write, tty: false, colour: false, columns: 80, rows: 24 };
    const stdin = {
      stdinIsTty: false,
      hide: () => {},
      readStdin: async () => '',
      readStdinBytes: async () => new Uint8Array(),
    };
    return { out, err: out, env: {}, cwd, ...stdin };
  };
  const convert = (journal: string, ...to: string[]): Promise<number> => convertCommand(journal, { to }, stdio());
  const written = (file: string): string => readFileSync(path.join(cwd, file), 'utf8');

  it('writes several reports of one journal', async () => {
    expect(await convert('failing.ndjson', 'json=report.json', 'junit=out/junit-{client}.xml', 'terminal=-')).toBe(0);
    expect(JSON.parse(written('report.json'))).toMatchObject({ schema: 'croupier-report/1', exitCode: 1 });
    expect(written('out/junit-acme-eu.xml')).toMatch(/^<\?xml/);
    expect(printed).toMatch(
      /^The json report: report\.json\nThe junit report: out\/junit-acme-eu\.xml\nNOT CONFORMING: acme-eu/,
    );
    expect(printed).toContain('Journal: failing.ndjson');
  });

  it('makes a report of a journal that ends with a kill', async () => {
    expect(await convert('killed.ndjson', 'terminal=-')).toBe(0);
    expect(printed).toMatch(/^UNDECIDED: the run against acme-eu was cut off\./);
  });

  it.each([
    ['nowhere.ndjson', 'json=x.json', "The journal can't be read: nowhere.ndjson: there is no such file."],
    ['.', 'json=x.json', "The journal can't be read: .: it is a folder."],
    ['broken.ndjson', 'json=x.json', 'broken.ndjson: line 2 of the journal is not JSON: "hello"'],
    ['odd.ndjson', 'json=x.json', /^odd\.ndjson: line 2 of the journal is not an event: text: /],
    ['failing.ndjson', 'jsn=x.json', /there is no report kind jsn\. Did you mean json\?/],
    ['failing.ndjson', 'json=failing.ndjson/x', /can't be written/],
    [
      'failing.ndjson',
      'json=./failing.ndjson',
      /is the journal from which the report is made, so it must not be overwritten/,
    ],
  ])('refuses to convert %s with --to %s', async (journal, to, message) => {
    const head = journalText('failing').split('\n')[0];
    writeFileSync(path.join(cwd, 'broken.ndjson'), `${head}\nhello\n{}\n`);
    writeFileSync(path.join(cwd, 'odd.ndjson'), `${head}\n{"event":"notice"}\n`);
    await expect(convert(journal, to)).rejects.toThrow(expect.objectContaining({ name: 'UsageError' }) as Error);
    await expect(convert(journal, to)).rejects.toThrow(message);
  });

  it('says what it changes in a baseline that exists', async () => {
    await convert('failing.ndjson', 'baseline=b.yaml');
    expect(printed).not.toMatch(/Added|changed/);
    printed = '';
    await convert('failing.ndjson', 'baseline=b.yaml');
    expect(printed).toContain('The baseline report: b.yaml\n  No entry of the baseline has changed.\n');
    printed = '';
    writeFileSync(path.join(cwd, 'empty.yaml'), '[]\n');
    await convert('failing.ndjson', 'baseline=empty.yaml');
    expect(printed).toMatch(/The baseline report: empty\.yaml\n {2}Added: [a-z-]+\.[a-z-]+/);
    expect(written('empty.yaml')).toContain('- rule: ');
  });

  it('prints at most one report on stdout', async () => {
    await expect(convert('failing.ndjson', 'json=-', 'junit=-')).rejects.toThrow('only one report can go to stdout');
  });
});
