import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier } from '../../cli/croupier.ts';
import { barriers, overhang, stage } from '../../service/browser.ts';

const { open } = stage();
let dir = '';

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-load-page-'));
  const load = ['load', '--reference', '--defect', 'lost-update', '--rate', '60', '--duration', '3s'];
  const { status } = await croupier([...load, '--linger', '50ms', '--report', 'html=load.html'], { cwd: dir });
  expect(status).toBe(1);
}, 60_000);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('the page of a load test, opened from disk', { timeout: 60_000 }, () => {
  it('has no accessibility problems in light and dark, and fits a telephone and a wide screen', async () => {
    const page = await open(pathToFileURL(path.join(dir, 'load.html')).href);
    expect(await barriers(page)).toEqual([]);
    expect(await overhang(page, 360)).toBeLessThanOrEqual(0);
    expect(await overhang(page, 1600)).toBeLessThanOrEqual(0);
  });

  it('names each wrong balance, and draws the rate, the times, the errors and the percentiles', async () => {
    const page = await open(pathToFileURL(path.join(dir, 'load.html')).href);
    expect(await page.locator('.verdict').textContent()).toBe('NOT RECONCILED');
    expect(await page.locator('article li').first().textContent()).toContain('was answered 200, but');
    expect(await page.locator('figure svg').count()).toBe(4);
    // Every line has points, and none of them is not a number.
    for (const line of await page.locator('figure .line').all()) {
      expect(await line.getAttribute('d')).not.toContain('NaN');
    }
    expect(await page.locator('figure .line[d^="M"]').count()).toBeGreaterThanOrEqual(7);
  });
});
