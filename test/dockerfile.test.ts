import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const lines = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const sent = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'));
const { scripts, devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** These tests cannot build a container, so they check everything that the file depends on. */
describe('the Dockerfile', () => {
  it('builds with the tested Node version, by existing scripts', () => {
    expect(lines[0]).toBe(`FROM node:${devDependencies.node}-bookworm-slim AS build`);
    const commands = lines.filter((line) => line.startsWith('RUN ')).flatMap((line) => line.slice(4).split(' && '));
    expect(commands).toEqual(['npm ci', 'npm run binary']);
    expect(scripts.binary).toBeDefined();
  });

  it('sends all sources of the build, and neither secrets nor build results', () => {
    const names = sent.map((line) => line.slice(1));
    expect(names.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
    const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
      .split('\n')
      .map((name) => name.split('/')[0]);
    expect(names.filter((name) => !tracked.includes(name))).toEqual([]);
  });

  it('ends with an image of one file, which does not run as root', () => {
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last).toEqual([
      expect.stringMatching(/^FROM gcr\.io\/distroless\/cc-debian\d+:nonroot$/),
      'COPY --from=build /src/build/croupier /usr/local/bin/croupier',
      'WORKDIR /work',
      'ENTRYPOINT ["croupier"]',
    ]);
  });
});
