import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/app/files.ts';
import { repositoryFile } from '../../src/app/repository.ts';

let root = '';
const cwd = () => path.join(root, 'wallet', 'tests');
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  mkdirSync(cwd(), { recursive: true });
  writeFileSync(path.join(cwd(), 'ours.yaml'), '');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the path of a scenario in its repository', () => {
  it.each(['GITHUB_WORKSPACE', 'CI_PROJECT_DIR', 'WORKSPACE', 'BUILD_SOURCESDIRECTORY'])(
    'begins at the folder in %s, and at the working directory without a CI system',
    (name) => {
      expect(repositoryFile({ env: { [name]: root }, cwd: cwd() })('ours.yaml')).toBe('wallet/tests/ours.yaml');
      expect(repositoryFile({ env: {}, cwd: cwd() })('ours.yaml')).toBe('ours.yaml');
      expect(repositoryFile({ env: { [name]: '/elsewhere' }, cwd: cwd() })('ours.yaml')).toBe('ours.yaml');
    },
  );

  it('begins at the folder of Git, also if the workspace holds several repositories', () => {
    mkdirSync(path.join(root, 'wallet', '.git'));
    expect(repositoryFile({ env: { GITHUB_WORKSPACE: root }, cwd: cwd() })('ours.yaml')).toBe('tests/ours.yaml');
    rmSync(path.join(root, 'wallet', '.git'), { recursive: true });
  });

  it('is the path in the package for a built-in scenario, wherever the package was installed', () => {
    const file = repositoryFile({ env: {}, cwd: cwd() });
    const expected = 'node_modules/croupier-conformance/scenarios/bet/debit.yaml';
    expect(file(path.join(packageRoot(), 'scenarios/bet/debit.yaml'))).toBe(expected);
    expect(file(`/home/runner/_temp/croupier/${expected}`)).toBe(expected);
  });

  it('does not exist for a file outside, and may name a file that only the machine of a shard has', () => {
    const file = repositoryFile({ env: { WORKSPACE: root }, cwd: cwd() });
    expect(file('/etc/ours.yaml')).toBeNull();
    expect(file('../../../ours.yaml')).toBeNull();
    expect(file('more/theirs.yaml')).toBe('wallet/tests/more/theirs.yaml');
    expect(repositoryFile({ env: {}, cwd: packageRoot() })('ours/missing.yaml')).toBe('ours/missing.yaml');
  });
});
