import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
/** The journal of a run that owes nothing, and of one that owes a refund. */
let settled = '';
const OWING = readFileSync(path.join(ROOT, 'fixtures/journals/failing.ndjson'), 'utf8');

let cwd = '';
beforeAll(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'croupier-clean-'));
  await croupier(['run', '--reference', 'balance/read', '--linger', '10ms', '--journal', 'run.ndjson'], {
    cwd: folder,
  });
  settled = readFileSync(path.join(folder, 'run.ndjson'), 'utf8');
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-clean-'));
  mkdirSync(path.join(cwd, '.croupier'));
  for (const day of ['01', '02', '03']) write(`2026-11-${day}-120000-00000a.ndjson`, settled);
  write('2026-10-01-120000-00000b.ndjson', OWING);
  write('2026-10-02-120000-00000c.ndjson', 'no journal\n');
  write('before.ndjson', settled);
  write('capsule.salt', 'x');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(path.join(cwd, '.croupier', name), text);
}

const left = (): readonly string[] => readdirSync(path.join(cwd, '.croupier')).sort();

describe('croupier clean', () => {
  it('removes old journals, but none that the user named, that owes something or that it cannot read', async () => {
    const { status, out, err } = await croupier(['clean', '--keep', '1'], { cwd });
    expect(status).toBe(0);
    expect(out).toMatch(/^2 journals removed \([\d.]+ MB\)\. Kept: the newest 1 journal\.$/m);
    expect(left()).toEqual([
      '2026-10-01-120000-00000b.ndjson',
      '2026-10-02-120000-00000c.ndjson',
      '2026-11-03-120000-00000a.ndjson',
      'before.ndjson',
      'capsule.salt',
    ]);
    expect(err).toContain('croupier settle .croupier/2026-10-01-120000-00000b.ndjson');
    expect(err).toContain("2026-10-02-120000-00000c.ndjson is kept: croupier can't read this journal");
  });

  it('only prints what it would remove with --dry-run, and keeps 20 journals without --keep', async () => {
    const before = left();
    const dry = await croupier(['clean', '--keep', '2', '--dry-run'], { cwd });
    expect(dry.out).toContain('.croupier/2026-11-01-120000-00000a.ndjson\n1 journal would be removed');
    expect((await croupier(['clean'], { cwd })).out).toContain('Nothing to remove');
    expect(left()).toEqual(before);
  });
});
