import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/folder/make-folder.ts';
import { openHistoryAt } from '../../src/history/history.ts';
import { Store } from '../../src/operator/store.ts';
import { openServiceDatabase } from '../../src/service/service-database.ts';

describe('the file .gitignore in the folder .croupier', () => {
  let cwd = '';
  let own = '';
  let ignored = '';
  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'croupier-folder-'));
    own = path.join(cwd, '.croupier');
    ignored = path.join(own, '.gitignore');
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  it('is written when croupier creates the folder, or a folder in it', () => {
    makeFolder(path.join(own, 'locks'));
    expect(readFileSync(ignored, 'utf8')).toBe('*\n');
  });

  it('is written when somebody else created the folder, for example for a key', () => {
    mkdirSync(own);
    writeFileSync(path.join(own, 'acme.key'), 'secret');
    makeFolder(own);
    expect(readFileSync(ignored, 'utf8')).toBe('*\n');
  });

  it('is written when the first file in it is the history, or the database of the service or of the operator', async () => {
    const history = await openHistoryAt({ dir: cwd, database: undefined });
    await history.destroy();
    expect(readFileSync(ignored, 'utf8')).toBe('*\n');
    rmSync(own, { recursive: true });
    openServiceDatabase(path.join(own, 'service')).close();
    expect(readFileSync(ignored, 'utf8')).toBe('*\n');
    rmSync(own, { recursive: true });
    new Store(path.join(own, 'operator')).close();
    expect(readFileSync(ignored, 'utf8')).toBe('*\n');
  });

  it('is never overwritten', () => {
    mkdirSync(own);
    writeFileSync(ignored, '*.key\n');
    makeFolder(own);
    expect(readFileSync(ignored, 'utf8')).toBe('*.key\n');
  });
});
