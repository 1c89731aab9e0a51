import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { croupier } from '../../cli/croupier.ts';

const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-launching-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

it('launches in a locale and a currency that croupier does not know are granted and noted', async () => {
  const variants = ['--variant', 'launch-rare-locale', '--variant', 'launch-rare-currency'];
  const { status, out } = await croupier(['run', '-v', '--reference', ...variants, 'launch'], { cwd });
  // The report wraps long sentences.
  const text = out.replaceAll(/\s+/g, ' ');
  expect(text).toContain('its locale is "es_ar", which croupier does not know');
  expect(text).toContain('its currency is "mDOGE", which croupier does not know');
  expect(out).toContain('✓ request');
  expect(status).toBe(0);
});
