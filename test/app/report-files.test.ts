import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  fileForClient,
  readReportRequests,
  refuseOverwriting,
  refuseSharedFile,
  writeWhole,
} from '../../src/app/report-files.ts';
import { REPORT_FORMS } from '../../src/report/exports/kinds.ts';

describe('readReportRequests', () => {
  it('reads a kind with its file', () => {
    expect(readReportRequests(['junit=out/a=b.xml'], '--report')).toMatchObject([
      { kind: 'junit', file: 'out/a=b.xml' },
    ]);
  });

  it('reads several reports from one word', () => {
    expect(readReportRequests(['har=a,b.har,curl=c.sh', 'json=-'], '--to')).toMatchObject([
      { kind: 'har', file: 'a,b.har' },
      { kind: 'curl', file: 'c.sh' },
      { kind: 'json', file: '-' },
    ]);
  });

  it('reads the form of a report after its file', () => {
    expect(readReportRequests(['junit=a.xml,strict,json=b.json'], '--to')).toMatchObject([
      { kind: 'junit', file: 'a.xml', report: REPORT_FORMS.junit?.strict },
      { kind: 'json', file: 'b.json' },
    ]);
  });

  it.each([
    ['junti=x.xml', 'Did you mean junit?'],
    ['pdf=x', 'The kinds are terminal, json, junit'],
    ['toString=x', 'there is no report kind toString'],
    ['json', 'the file name is missing'],
    ['json=', 'the file name is missing'],
    ['junit=,strict', 'the file name is missing'],
    ['junit=x.xml,strikt', 'the report junit has no option strikt. Possible: strict.'],
  ])('refuses %s with the message: %s', (text, reason) => {
    expect(() => readReportRequests([text], '--report')).toThrow(reason);
  });
});

it('croupier refuses two reports in one file, except on stdout', () => {
  expect(() => readReportRequests(['junit=a.xml', 'json=./a.xml'], '--report')).toThrow(
    'junit and json would both be written to ./a.xml',
  );
  expect(readReportRequests(['junit=-', 'json=-'], '--to')).toHaveLength(2);
});

it('croupier refuses to overwrite the journal from which a report is made', () => {
  refuseOverwriting('/a/report.json', '--to json=report.json', ['/a/run.ndjson']);
  expect(() => refuseOverwriting('/a/run.ndjson', '--to json=run.ndjson', ['/a/run.ndjson'])).toThrow(
    'must not be overwritten',
  );
});

describe('the name of a report file for several clients', () => {
  it('must contain {client}', () => {
    expect(() => refuseSharedFile('out/report.xml', '--report', 2)).toThrow('out/report-{client}.xml');
    refuseSharedFile('report-{client}.xml', '--report', 2);
    refuseSharedFile('report.xml', '--report', 1);
  });

  it('contains no characters of the ExtCID that a file name cannot have', () => {
    expect(fileForClient('r-{client}.json', 'acme/eu 1')).toBe('r-acme_eu_1.json');
  });
});

function* failing() {
  yield 'half';
  throw new Error('no more');
}

describe('writeWhole', () => {
  let dir = '';
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('writes all pieces, and creates the folder', async () => {
    const file = path.join(dir, 'a', 'b.txt');
    await writeWhole(file, ['one ', 'two']);
    expect(readFileSync(file, 'utf8')).toBe('one two');
  });

  it('lets only the owner read the file, also if it existed before with other rights', async () => {
    const file = path.join(dir, 'b.txt');
    writeFileSync(file, 'older', { mode: 0o644 });
    await writeWhole(file, ['new']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the older file, and removes the draft, if the text fails half-way', async () => {
    const file = path.join(dir, 'b.txt');
    writeFileSync(file, 'older');
    await expect(writeWhole(file, failing())).rejects.toThrow('no more');
    expect(readFileSync(file, 'utf8')).toBe('older');
    expect(readdirSync(dir)).toEqual(['b.txt']);
  });

  it('writes through a link, and does not replace the link by a file', async () => {
    writeFileSync(path.join(dir, 'real.txt'), 'older and longer');
    symlinkSync('real.txt', path.join(dir, 'link.txt'));
    await writeWhole(path.join(dir, 'link.txt'), ['new']);
    expect(readFileSync(path.join(dir, 'real.txt'), 'utf8')).toBe('new');
    expect(lstatSync(path.join(dir, 'link.txt')).isSymbolicLink()).toBe(true);
  });

  it('fails if the folder is a file', async () => {
    writeFileSync(path.join(dir, 'a'), '');
    await expect(writeWhole(path.join(dir, 'a', 'b.txt'), ['x'])).rejects.toThrow();
    expect(existsSync(path.join(dir, 'a', 'b.txt'))).toBe(false);
  });
});
