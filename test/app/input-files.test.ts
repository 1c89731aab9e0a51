import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refuseInputFile } from '../../src/app/input-files.ts';
import { croupier } from '../cli/croupier.ts';
import { JOURNALS, reportText } from '../report/journals.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const SCENARIO = 'title: A bet\nrules: [bet.debit]\nsteps:\n  - bet:\n  - balance:\n';
const BASELINE = '# ours\n- rule: idempotency.bet\n  reason: a\n  ticket: b\n  expires: 2999-12-31\n';
const KEY = 'a-key-of-this-test-4711\n';

const INPUTS = [
  ['croupier.yaml', 'strict: false\n', 'a configuration'],
  ['acme.yml', '# our wallets\nclients:\n  - extCID: acme\n', 'a configuration'],
  ['acme.json', '{\n  "clients": [{ "extCID": "acme" }]\n}\n', 'a configuration'],
  ['fleet.yaml', 'operators:\n  - config: a.yaml\n', 'a configuration'],
  ['bet.yaml', SCENARIO, 'a scenario'],
  ['baseline.yaml', BASELINE, 'a baseline'],
  ['acme.key', KEY, 'a key'],
  ['ca.pem', '-----BEGIN CERTIFICATE-----\nMII\n', 'a certificate or a key'],
] as const;

const write = (name: string, text: string): string => {
  const file = path.join(cwd, name);
  writeFileSync(file, text);
  return file;
};

describe('an output of croupier', () => {
  it.each(INPUTS)('never replaces %s, which a person wrote', (name, text, kind) => {
    const file = write(name, text);
    expect(() => refuseInputFile(file, undefined, `--report json=${name}`)).toThrow(
      `--report json=${name}: ${file} is ${kind}, so it must not be overwritten.`,
    );
    symlinkSync(file, path.join(cwd, 'link'));
    expect(() => refuseInputFile(path.join(cwd, 'link'))).toThrow(kind);
  });

  it('replaces an older report of every kind, an empty file and a file of the kind that it writes', async () => {
    for (const journal of JOURNALS)
      for (const kind of [
        'terminal',
        'json',
        'junit',
        'markdown',
        'summary',
        'openmetrics',
        'ctrf',
        'har',
        'curl',
        'html',
      ])
        refuseInputFile(write('report', await reportText(journal, kind, { verbosity: 2 })));
    refuseInputFile(write('report', ''));
    refuseInputFile(write('bet.yaml', SCENARIO), 'a scenario');
    refuseInputFile(path.join(cwd, 'missing.json'));
  });
});

describe('a command whose output would replace an input ends with status 2, and sends nothing', () => {
  const RUN = ['run', '--reference', 'bet.yaml'];
  it.each([
    ['croupier run --report', [...RUN, '--report', 'json=acme.key']],
    ['croupier run --journal', [...RUN, '--journal', 'bet.yaml']],
    ['croupier load --report', ['load', '--reference', '--rate', '1', '--report', 'json=baseline.yaml']],
    ['croupier load --journal', ['load', '--reference', '--rate', '1', '--journal', 'acme.key']],
    ['croupier explore --out', ['explore', '--reference', '--out', 'acme.key']],
    ['croupier report convert', ['report', 'convert', 'run.ndjson', '--to', 'html=baseline.yaml']],
  ])('%s', async (_what, args) => {
    for (const [name, text] of INPUTS.slice(4)) write(name, text);
    const journal = path.join(import.meta.dirname, '../../fixtures/journals/green.ndjson');
    writeFileSync(path.join(cwd, 'run.ndjson'), readFileSync(journal));
    const { status, out, err } = await croupier(args, { cwd });
    expect([status, out, err]).toEqual([2, '', expect.stringContaining('so it must not be overwritten')]);
    for (const [name, text] of INPUTS.slice(4)) expect(readFileSync(path.join(cwd, name), 'utf8')).toBe(text);
  });
});
