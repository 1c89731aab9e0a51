// Lists the packages whose code is in dist/: as a bill of materials (SBOM) in the format CycloneDX, and as a text with the
// licences of these packages.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin, RolldownOutput } from 'rolldown';
import collector from 'rollup-plugin-sbom';

const ROOT = path.join(import.meta.dirname, '..');
const NAME = 'sbom.cdx';
/** The bill of materials. */
export const SBOM = `dist/${NAME}.json`;
/** The licences of the packages, as a text. */
export const NOTICES = 'dist/THIRD-PARTY-NOTICES.txt';

/** The parts of a CycloneDX document that this file reads or writes. */
interface Bill {
  readonly metadata: { readonly component: { readonly 'bom-ref': string }; tools: readonly Component[] };
  components: readonly Component[];
  dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Component {
  readonly 'bom-ref'?: string;
  readonly type: string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly cpe?: string;
  readonly purl?: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
  readonly components?: readonly Component[];
  readonly externalReferences?: readonly { readonly url: string; comment?: string }[];
  evidence?: { readonly licenses: readonly { readonly license: { readonly text: { readonly content: string } } }[] };
}

/** The plugin of the bundler that collects the packages. `finishBill` must be called after the build. */
export function collectPackages(): Plugin {
  return collector({
    outDir: '',
    outFilename: NAME,
    specVersion: '1.6',
    collectLicenseEvidence: true,
    includeWellKnown: false,
    saveTimestamp: false,
    // The plugin is declared as one of Rollup. The bundler here takes these too.
  }) as Plugin;
}

/**
 * Completes the bill that the plugin has written, and moves the licence texts into the notices. Both files are the same
 * to the byte at each build.
 */
export function finishBill(): void {
  const bill = read();
  const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  bill.components = bill.components.toSorted((a, b) => compare(fullName(a), fullName(b)));
  writeFileSync(path.join(ROOT, NOTICES), noticesOf(bill.components));
  for (const component of bill.components) {
    delete component.evidence;
    // The comment only says from which field of package.json the address comes.
    for (const reference of component.externalReferences ?? []) delete reference.comment;
  }
  // The plugin also names tools that are installed but that take no part in this build.
  bill.metadata.tools = bill.metadata.tools.filter(({ name }) => ['rolldown', 'rollup-plugin-sbom'].includes(name));
  const own = bill.metadata.component['bom-ref'];
  const direct = bill.components.filter((one) => fullName(one) in manifest.devDependencies);
  bill.dependencies = [
    { ref: own, dependsOn: direct.flatMap((one) => one['bom-ref'] ?? []) },
    ...bill.dependencies
      .filter(({ ref }) => ref !== own)
      .map(({ ref, dependsOn }) => (dependsOn ? { ref, dependsOn: dependsOn.toSorted(compare) } : { ref }))
      .sort((a, b) => compare(a.ref, b.ref)),
  ];
  writeFileSync(path.join(ROOT, SBOM), `${JSON.stringify(bill, null, 1)}\n`);
}

/**
 * Returns the bill of an executable, which also contains Node and the libraries in it.
 *
 * @param versions the versions of Node and of its libraries, like `process.versions`
 */
export function billWithNode(versions: Readonly<Record<string, string | undefined>>): string {
  const { node = '', ...rest } = versions;
  const ref = `pkg:generic/node@${node}`;
  // These are versions of interfaces and of data, not of libraries.
  const NO_LIBRARIES = ['modules', 'napi', 'unicode', 'cldr', 'tz'];
  const libraries = Object.entries(rest)
    .filter(([name]) => !NO_LIBRARIES.includes(name))
    .map(([name, version = '']) => ({ type: 'library', name, version, purl: `pkg:generic/${name}@${version}` }));
  const bill = read();
  bill.components = [
    ...bill.components,
    {
      type: 'platform',
      'bom-ref': ref,
      name: 'node',
      version: node,
      cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
      purl: ref,
      licenses: [{ license: { id: 'MIT' } }],
      components: libraries,
    },
  ];
  bill.dependencies = [
    ...bill.dependencies.map((one) =>
      one.ref === bill.metadata.component['bom-ref'] ? { ...one, dependsOn: [...(one.dependsOn ?? []), ref] } : one,
    ),
    { ref },
  ];
  return `${JSON.stringify(bill, null, 1)}\n`;
}

/** Returns the licences of an executable, which also contains Node. */
export function noticesWithNode(version: string, licence: string): string {
  const packages = readFileSync(path.join(ROOT, NOTICES), 'utf8');
  return `${packages}\n${headline(`node ${version} (MIT, and the licences of the libraries in it)`)}\n${licence.trim()}\n`;
}

/**
 * Checks that the bill lists each package whose code is in a bundle.
 *
 * @throws Error with the packages that it does not list
 */
export function assertListed(bundle: RolldownOutput): void {
  const listed = new Set(read().components.map(fullName));
  const missing = packagesOf(bundle).filter((name) => !listed.has(name));
  if (missing.length > 0) throw new Error(`${SBOM} does not list ${missing.join(', ')}`);
}

function packagesOf({ output }: RolldownOutput): readonly string[] {
  const modules = output.flatMap((one) => (one.type === 'chunk' ? Object.entries(one.modules) : []));
  const names = modules.flatMap(([id, { renderedLength }]) => {
    const [, name] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id) ?? [];
    return name === undefined || renderedLength === 0 ? [] : [name.replace('\\', '/')];
  });
  return [...new Set(names)].sort();
}

/** Returns one text with all licences. Packages with the same licence text share it. */
function noticesOf(components: readonly Component[]): string {
  const titles = new Map<string, string[]>();
  for (const component of components) {
    const texts = component.evidence?.licenses.map(({ license }) => Buffer.from(license.text.content, 'base64')) ?? [];
    if (texts.length === 0) throw new Error(`${fullName(component)} has no licence text`);
    const text = texts.map((one) => one.toString('utf8').replaceAll('\r\n', '\n').trim()).join('\n\n');
    const ids = component.licenses?.map(({ license, expression }) => license?.id ?? expression) ?? [];
    titles.set(text, [...(titles.get(text) ?? []), `${fullName(component)} ${component.version} (${ids.join(', ')})`]);
  }
  const parts = [...titles].map(([text, packages]) => `${headline(...packages)}\n${text}\n`);
  return `croupier contains code of these packages, under these licences.\n\n${parts.join('\n')}`;
}

function headline(...lines: readonly string[]): string {
  const rule = '='.repeat(80);
  return [rule, ...lines, rule, ''].join('\n');
}

function fullName({ group, name }: Component): string {
  return group === undefined ? name : `${group}/${name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function read(): Bill {
  // Scanners find packages by name and version. The plugin adds the address of the repository to each name.
  return JSON.parse(readFileSync(path.join(ROOT, SBOM), 'utf8').replaceAll(/\?vcs_url=[^"]*/g, '')) as Bill;
}
