import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { describe, expect, it } from 'vitest';
import { croupier, EXECUTABLE } from '../../croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const LICENSE = readFileSync(path.join(ROOT, 'LICENSE'), 'utf8');

interface Bill {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly { readonly group?: string; readonly name: string; readonly version: string }[];
}

describe('croupier licenses', () => {
  it('prints the licence of croupier, and the licence of each package in it', async () => {
    const [{ status, out, err }, { out: sbom }] = [
      await croupier(['licenses'], { cwd: ROOT }),
      await croupier(['licenses', '--sbom'], { cwd: ROOT }),
    ];
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out.startsWith(LICENSE)).toBe(true);
    const { components } = JSON.parse(sbom) as Bill;
    expect(components.length).toBeGreaterThan(30);
    for (const { group, name, version } of components) {
      const title = `\n${group === undefined ? '' : `${group}/`}${name} ${version} (`;
      const text = out.split(title)[1]?.split('='.repeat(80))[1];
      expect(text, title).toMatch(/copyright/i);
    }
    expect(out.includes('Node.js is licensed for use as follows')).toBe(EXECUTABLE !== undefined);
  });

  it('prints a list of this software that the validator of CycloneDX accepts', async () => {
    const { out } = await croupier(['licenses', '--sbom'], { cwd: ROOT });
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(out)).toBeNull();
    // The validator refuses a broken list.
    expect(await validator.validate(out.replace('"type": "library"', '"type": "lib"'))).not.toBeNull();
  });

  it('lists the packages whose code runs, and no tool of development', async () => {
    const bill = JSON.parse((await croupier(['licenses', '--sbom'], { cwd: ROOT })).out) as Bill;
    const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      readonly version: string;
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    expect(bill.metadata.component).toMatchObject({ name: 'croupier-conformance', version: manifest.version });
    const listed = new Map(bill.components.map(({ name, version }) => [name, version]));
    for (const name of ['zod', 'undici', 'yaml', 'commander', 'fast-check'])
      expect(listed.get(name), name).toBe(manifest.devDependencies[name]);
    for (const name of ['vitest', 'typescript', 'rolldown', 'postject']) expect(listed.has(name), name).toBe(false);
    expect(listed.get('node')).toBe(EXECUTABLE === undefined ? undefined : manifest.devDependencies.node);
  });
});
