import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mistakesIn } from '../../../../src/app/scenario-mistakes.ts';
import { loadSuite, userSource } from '../../../../src/app/suite.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function diagnosticsAbout(text: string) {
  writeFileSync(path.join(dir, 'own.yaml'), text);
  const suite = loadSuite([userSource('.', dir)], dir, randomUUID);
  expect(suite.diagnostics).toEqual([]);
  return mistakesIn(suite);
}

it('lint shows the place of a rule that no step can decide', () => {
  const diagnostics = diagnosticsAbout(
    'title: A bet\nrules: [bet.debit, refund.restore]\nsteps:\n  - bet:\n  - balance:\n',
  );
  expect(diagnostics).toMatchObject([{ file: 'own.yaml', line: 2, column: 20, endColumn: 34 }]);
  expect(diagnostics[0]?.message).toContain('refund.restore');
});

it('lint accepts a rule that one of the cases can decide', () => {
  const text =
    'title: "${call}"\nrules: [bet.debit, win.credit]\ncases: { call: [bet, win] }\nsteps:\n  - bet:\n    as: first\n  - call: "${call}"\n    with: { round: first }\n  - balance:\n';
  expect(diagnosticsAbout(text)).toEqual([]);
});
