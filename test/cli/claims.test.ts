import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unprovenClaims } from '../../src/cli/claims.ts';
import { loadSuite, userSource } from '../../src/cli/suite.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function complaintsAbout(text: string) {
  writeFileSync(path.join(dir, 'own.yaml'), text);
  const suite = loadSuite([userSource('.', dir)], dir, randomUUID);
  expect(suite.complaints).toEqual([]);
  return unprovenClaims(suite.scenarios);
}

it('shows the rule that no step can decide, where it stands', () => {
  const complaints = complaintsAbout(
    'title: A bet\nrules: [bet.debit, refund.restore]\nsteps:\n  - bet:\n  - balance:\n',
  );
  expect(complaints).toMatchObject([{ file: 'own.yaml', line: 2, column: 20, endColumn: 34 }]);
  expect(complaints[0]?.message).toContain('refund.restore');
});

it('is content when one of the cases can decide it', () => {
  const text =
    'title: "${call}"\nrules: [bet.debit, win.credit]\ncases: { call: [bet, win] }\nsteps:\n  - bet:\n    as: first\n  - call: "${call}"\n    with: { round: first }\n  - balance:\n';
  expect(complaintsAbout(text)).toEqual([]);
});
