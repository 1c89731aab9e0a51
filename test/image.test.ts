import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, line, start } from './cli/croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
/** The system of the base images. It is kept, because installing it takes minutes. */
const SYSTEM = path.join(ROOT, 'build', 'debian-bookworm.tar');
const canBuild = process.getuid?.() === 0 && ['buildah', 'debootstrap'].every((tool) => isInstalled(tool));

function isInstalled(tool: string): boolean {
  return spawnSync('which', [tool]).status === 0;
}

/**
 * `npm run test:image` runs these tests. The base images of the Dockerfile come from registries, so images with the same
 * parts take their place: Debian, Debian with Node and npm, and the libraries of C and C++ alone.
 */
describe.runIf(process.env.CROUPIER_IMAGE)('the container image', { timeout: 900_000 }, () => {
  it.skipIf(canBuild)(
    'is not built here, because buildah and debootstrap are not installed, or the user is not root',
    () => {
      expect(canBuild).toBe(false);
    },
  );

  describe.runIf(canBuild)('built by buildah', () => {
    let folder = '';
    let context = '';
    let work = '';
    let plain = '';
    let debian = '';
    let servers: Servers | undefined;

    beforeAll(async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'croupier-image-'));
      context = path.join(folder, 'context');
      work = path.join(folder, 'work');
      mkdirSync(work);
      chmodSync(work, 0o777);
      baseImages(folder);
      for (const name of sentToDocker()) cpSync(path.join(ROOT, name), path.join(context, name), { recursive: true });
      for (const name of ['Dockerfile', '.dockerignore']) cpSync(path.join(ROOT, name), path.join(context, name));
      buildImage(folder, context, 'localhost/croupier');
      plain = buildah(folder, 'from', 'localhost/croupier');
      servers = await startServers(work);
    }, 900_000);
    afterAll(async () => {
      await servers?.close();
      buildah(folder, 'rm', '--all');
      buildah(folder, 'rmi', '--all', '--force');
      rmSync(folder, { recursive: true, force: true });
    }, 120_000);

    /** Runs a command in a container, as the user of the image. The folder `work` is /work in it. */
    const run = (container: string, command: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const variables = Object.entries({ ...KEY, ...env }).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
      const args = [
        'run',
        '--isolation',
        'chroot',
        '--volume',
        `${work}:/work`,
        ...variables,
        container,
        '--',
        ...command,
      ];
      // The server with https runs in this process, so this process must not wait without answering.
      return ended(spawn('buildah', [...storage(folder), ...args]));
    };

    it('judges an operator without being root, and has no shell', async () => {
      const args = ['--config', '/work/plain.yaml', '--linger', '300ms', '--report', 'json=/work/plain.json'];
      expect(await run(plain, ['croupier', 'run', 'balance.read', ...args])).toMatchObject({ status: 0 });
      const report = JSON.parse(readFileSync(path.join(work, 'plain.json'), 'utf8')) as { readonly verdict: string };
      expect(report.verdict).toBe('conforming');
      expect(configOf(folder, 'localhost/croupier')).toMatchObject({ User: '65532:65532', Entrypoint: ['croupier'] });
      expect((await run(plain, ['sh', '-c', 'true'])).err).toContain('executable file not found');
    });

    it('accepts the certificate authority that the configuration or NODE_EXTRA_CA_CERTS names', async () => {
      const judge = (config: string, env: Readonly<Record<string, string>> = {}) =>
        run(plain, ['croupier', 'run', 'balance.read', '--linger', '300ms', '--config', config], env);
      const refused = await judge('/work/https.yaml');
      expect([refused.status, refused.out]).toEqual([3, expect.stringMatching(/certificate/i)]);
      const extra = await judge('/work/https.yaml', { NODE_EXTRA_CA_CERTS: '/work/ca.pem' });
      expect([extra.status, (await judge('/work/https-ca.yaml')).status]).toEqual([0, 0]);
    });

    it('has labels, the licences of croupier and Node, and the list of its software', () => {
      const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
      expect(configOf(folder, 'localhost/croupier').Labels).toMatchObject({
        'org.opencontainers.image.title': 'croupier',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': 'of-a-test',
        'org.opencontainers.image.base.name': 'localhost/test-libraries',
      });
      const doc = path.join(buildah(folder, 'mount', plain), 'usr/share/doc/croupier');
      expect(readFileSync(path.join(doc, 'LICENSE'), 'utf8')).toBe(readFileSync(path.join(ROOT, 'LICENSE'), 'utf8'));
      expect(readFileSync(path.join(doc, 'THIRD-PARTY-NOTICES.txt'), 'utf8')).toContain('Node.js is licensed');
      expect(JSON.parse(readFileSync(path.join(doc, 'sbom.cdx.json'), 'utf8'))).toMatchObject({
        bomFormat: 'CycloneDX',
      });
    });

    it('is built again without installing the packages again if only the sources changed', () => {
      appendFileSync(path.join(context, 'src/cli/binary.ts'), '// A change.\n');
      const log = buildImage(folder, context, 'localhost/croupier:debian', '--target', 'debian');
      const [, afterInstall = ''] = log.split(/RUN npm ci .*\n/);
      expect(afterInstall).toMatch(/^--> Using cache/);
      expect(log).toContain('build/croupier-linux-');
    });

    it('has a variant with a shell, in which jobs start commands and sessionsFrom runs one', async () => {
      debian = buildah(folder, 'from', 'localhost/croupier:debian');
      const { Entrypoint = [], User } = configOf(folder, 'localhost/croupier:debian');
      expect({ Entrypoint: Entrypoint ?? [], User }).toEqual({ Entrypoint: [], User: '65532:65532' });
      const command =
        'exec croupier run balance.read --config /work/shell.yaml --linger 300ms --report json=/work/shell.json';
      expect(await run(debian, ['bash', '-c', command])).toMatchObject({ status: 0 });
      expect(readFileSync(path.join(work, 'shell.json'), 'utf8')).toContain('"verdict":"conforming"');
    });
  });
});

function storage(folder: string): readonly string[] {
  return ['--root', path.join(folder, 'storage'), '--runroot', path.join(folder, 'run')];
}

/** Runs buildah, and returns the last line of its output. */
function buildah(folder: string, ...args: readonly string[]): string {
  const out = execFileSync('buildah', [...storage(folder), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return out.trim().split('\n').at(-1) ?? '';
}

interface ImageConfig {
  readonly User?: string;
  readonly Entrypoint?: readonly string[] | null;
  readonly Labels?: Readonly<Record<string, string>>;
}

function configOf(folder: string, image: string): ImageConfig {
  const text = execFileSync('buildah', [...storage(folder), 'inspect', '--type', 'image', image], { encoding: 'utf8' });
  return (JSON.parse(text) as { readonly OCIv1: { readonly config: ImageConfig } }).OCIv1.config;
}

/** Builds an image from the Dockerfile. npm in it uses the settings of this machine, such as its registry. */
function buildImage(folder: string, context: string, name: string, ...more: readonly string[]): string {
  const settings = ['registry', 'cafile']
    .map((key) => [key, npmSetting(key)] as const)
    .filter(([, value]) => value !== 'null');
  const npmrc = path.join(folder, 'npmrc');
  writeFileSync(npmrc, settings.map(([key, value]) => `${key}=${value}\n`).join(''));
  const mounted = [
    `${npmrc}:/root/.npmrc:ro`,
    ...settings.filter(([key]) => key === 'cafile').map(([, file]) => `${file}:${file}:ro`),
  ];
  const bases = { NODE_IMAGE: 'test-node', BASE_IMAGE: 'test-libraries', DEBIAN_IMAGE: 'test-debian' };
  const built = spawnSync(
    'buildah',
    [
      ...storage(folder),
      'build',
      '--layers',
      '--isolation=chroot',
      `--tag=${name}`,
      '--build-arg=REVISION=of-a-test',
      ...Object.entries(bases).flatMap(([base, image]) => ['--build-arg', `${base}=localhost/${image}`]),
      ...mounted.flatMap((volume) => ['--volume', volume]),
      ...more,
      context,
    ],
    { encoding: 'utf8' },
  );
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`.slice(-2000));
  return built.stdout;
}

function npmSetting(name: string): string {
  return execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
}

/** Makes the images that take the place of the base images. */
function baseImages(folder: string): void {
  const system = path.join(folder, 'debian');
  mkdirSync(system);
  if (!existsSync(SYSTEM)) {
    const targets = ['indextargets', '--format', '$(SITE)', 'Created-By: Packages', 'Codename: bookworm'];
    const [site] = execFileSync('apt-get', targets, { encoding: 'utf8' }).split('\n');
    if (!site) throw new Error('apt-get names no archive of Debian. Run apt-get update first.');
    execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', system, site], {
      stdio: 'pipe',
    });
    mkdirSync(path.dirname(SYSTEM), { recursive: true });
    const unwanted = ['./var/cache/apt', './var/lib/apt/lists', './dev'].map((name) => `--exclude=${name}`);
    execFileSync('tar', ['-C', system, '-cf', SYSTEM, ...unwanted, '.']);
  } else execFileSync('tar', ['-C', system, '-xf', SYSTEM]);

  image('debian', [[SYSTEM, '/']]);
  image(
    'node',
    [
      [SYSTEM, '/'],
      [process.execPath, '/usr/local/bin/node'],
      [path.join(npmSetting('prefix'), 'lib/node_modules/npm'), '/usr/local/lib/node_modules/npm'],
    ],
    ['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm'],
  );
  const libraries = path.join(folder, 'libraries');
  execFileSync('bash', ['-ec', LIBRARIES, 'libraries', system, libraries]);
  image('libraries', [[libraries, '/']]);

  function image(
    name: string,
    files: readonly (readonly [from: string, to: string])[],
    command?: readonly string[],
  ): void {
    const container = buildah(folder, 'from', 'scratch');
    for (const [from, to] of files) buildah(folder, 'add', '--quiet', container, from, to);
    if (command) buildah(folder, 'run', '--isolation', 'chroot', container, '--', ...command);
    buildah(folder, 'commit', '--quiet', '--rm', container, `localhost/test-${name}`);
  }
}

/** Copies what an image without a shell contains: the libraries of C and C++, certificates, and a user. */
const LIBRARIES = `
mkdir -p "$2"/{lib64,etc,tmp} "$2"/lib/x86_64-linux-gnu
chmod 1777 "$2"/tmp
for name in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libgcc_s.so.1 libresolv.so.2 libnss_files.so.2 libnss_dns.so.2; do
  cp -L "$1"/lib/x86_64-linux-gnu/$name "$2"/lib/x86_64-linux-gnu/
done
cp -L "$1"/usr/lib/x86_64-linux-gnu/libstdc++.so.6 "$2"/lib/x86_64-linux-gnu/
cp -L "$1"/lib64/ld-linux-x86-64.so.2 "$2"/lib64/
cp -r "$1"/etc/ssl "$2"/etc/
echo 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' > "$2"/etc/passwd
echo 'hosts: files dns' > "$2"/etc/nsswitch.conf
`;

const KEY = { CROUPIER_KEY: 'a-key-of-the-image-test' };
const SESSION = { sessionID: 'eu-ben-eur', player: 'ben', currency: 'EUR' };

function clientAt(address: string, more: string): string {
  return `clients:\n  - extCID: demo-eu\n    integratorBaseUrl: ${address}\n    integrationApiKey: \${CROUPIER_KEY}\n${more}`;
}

interface Servers {
  readonly close: () => Promise<void>;
}

/**
 * Starts the reference operator, also with https and a certificate of a private authority, and writes a configuration for
 * each way to reach it.
 */
async function startServers(work: string): Promise<Servers> {
  const operator: ChildProcess = start(['serve', 'operator'], { cwd: work, env: KEY });
  const plain = new URL((await line(operator, 'operator ')).replace('operator ', ''));
  const tls = (name: string) => readFileSync(path.join(ROOT, 'fixtures/tls', name));
  const secured = createServer({ key: tls('server.key'), cert: tls('server.pem') }, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: plain.port, method, path: url, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => secured.listen(0, '127.0.0.1', resolve));
  const https = `https://operator.test:${(secured.address() as AddressInfo).port}${plain.pathname}`;
  const listed = `    sessions: [${JSON.stringify(SESSION)}]\n`;
  const configs = {
    plain: clientAt(String(plain), listed),
    https: clientAt(https, `    hostOverride: 127.0.0.1\n${listed}`),
    'https-ca': `${clientAt(https, `    hostOverride: 127.0.0.1\n${listed}`)}tls: { ca: /work/ca.pem }\n`,
    shell: clientAt(String(plain), `    sessionsFrom: { command: [ sh, -c, "cat /work/sessions.json" ] }\n`),
  };
  for (const [name, text] of Object.entries(configs)) writeFileSync(path.join(work, `${name}.yaml`), text);
  writeFileSync(path.join(work, 'sessions.json'), JSON.stringify([SESSION]));
  cpSync(path.join(ROOT, 'fixtures/tls/ca.pem'), path.join(work, 'ca.pem'));
  return {
    close: async () => {
      operator.kill('SIGTERM');
      secured.closeAllConnections();
      await new Promise((resolve) => secured.close(resolve));
    },
  };
}

/** The files of the repository that a build in a container gets. */
function sentToDocker(): readonly string[] {
  const lines = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n');
  return lines.filter((one) => one.startsWith('!')).map((one) => one.slice(1));
}
