import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const lines = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/\s*\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const sent = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'));
const { scripts, devDependencies, version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly version: string;
};

/** The lines of each stage. The first element has the lines before the first stage. */
const stages = lines.reduce<string[][]>(
  (all, line) => {
    if (line.startsWith('FROM ')) all.push([]);
    all.at(-1)?.push(line);
    return all;
  },
  [[]],
);
const [bases = [], build = [], debian = [], plain = []] = stages;

/** These tests need no container. `npm run test:image` builds and runs the images. */
describe('the Dockerfile', () => {
  it('builds with the tested Node version, by existing scripts', () => {
    expect(bases).toContain(`ARG NODE_IMAGE=node:${devDependencies.node}-bookworm-slim`);
    expect(build[0]).toBe('FROM --platform=$BUILDPLATFORM $NODE_IMAGE AS build');
    const called = build.flatMap((line) => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
    expect(called).toEqual(['binary']);
    expect(scripts.binary).toBeDefined();
  });

  it('installs the packages before it copies the sources, so that a change of the sources does not install them again', () => {
    const at = (start: string) => build.findIndex((line) => line.startsWith(start));
    expect(build[at('COPY')]).toBe('COPY .npmrc package.json package-lock.json ./');
    expect([at('COPY .npmrc'), at('RUN npm ci'), at('COPY . .')]).toEqual([2, 3, 4]);
  });

  it('sends all sources of the build, and neither secrets nor build results', () => {
    const names = sent.map((line) => line.slice(1));
    expect(names.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
    const tracked = execFileSync('git', ['ls-files', '-z', ...names], { cwd: ROOT, encoding: 'utf8' }).split('\0');
    const isTracked = (name: string) => tracked.some((file) => file === name || file.startsWith(`${name}/`));
    expect(names.filter((name) => !isTracked(name))).toEqual([]);
  });

  it('ends with an image of the executable and its licences, which does not run as root', () => {
    expect(bases.find((line) => line.startsWith('ARG BASE_IMAGE='))).toMatch(
      /=gcr\.io\/distroless\/cc-debian\d+:nonroot$/,
    );
    expect(stages).toHaveLength(4);
    expect(plain.filter((line) => !/^(ARG|LABEL) /.test(line))).toEqual([
      'FROM $BASE_IMAGE',
      'COPY --from=build /image/ /',
      'USER 65532:65532',
      'WORKDIR /work',
      'ENTRYPOINT ["croupier"]',
    ]);
  });

  it('has a variant with a shell and without an entry point', () => {
    expect(debian.filter((line) => !/^(ARG|LABEL) /.test(line))).toEqual([
      'FROM $DEBIAN_IMAGE AS debian',
      'COPY --from=build /image/ /',
      'ENV HOME=/tmp',
      'USER 65532:65532',
      'WORKDIR /work',
      'CMD ["croupier", "--help"]',
    ]);
  });

  it('gives both images the same labels, with the version of package.json', () => {
    const labels = (stage: readonly string[], base: string) =>
      stage.filter((line) => /^(ARG (?!.*_IMAGE)|LABEL )/.test(line)).map((line) => line.replace(`$${base}`, '$BASE'));
    expect(labels(plain, 'BASE_IMAGE')).toEqual(labels(debian, 'DEBIAN_IMAGE'));
    expect(plain).toContain(`ARG VERSION=${version}`);
  });
});
