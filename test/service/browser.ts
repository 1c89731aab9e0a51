import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { buildPages } from '../../scripts/pages.ts';
import { chromiumPath } from './chromium.ts';

/** A browser for the tests of one file, and the folder of the built pages. */
export interface Stage {
  readonly pagesDir: () => string;
  /** Opens a page until the test is over. Every error in the page, and every request to another server, fails the test. */
  readonly open: (url: string, options?: OpenOptions) => Promise<Page>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** If true, requests to other servers do not fail the test. */
  readonly foreign?: boolean;
  /** Messages in the page's console that do not fail the test. */
  readonly mayReport?: RegExp;
}

/** A long timeout, because Chromium starts slowly on a busy machine. */
const PATIENCE_MS = 60_000;
const STEP_MS = 15_000;

export function stage(): Stage {
  let browser: Browser | undefined;
  const pagesDir = mkdtempSync(path.join(tmpdir(), 'croupier-pages-'));
  beforeAll(async () => {
    await buildPages(pagesDir);
    browser = await playwright.launch({
      executablePath: await chromiumPath(),
      args: ['--no-sandbox'],
      headless: true,
    });
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    rmSync(pagesDir, { recursive: true });
  });
  return {
    pagesDir: () => pagesDir,
    open: async (url, { foreign = false, mayReport, ...options } = {}) => {
      if (!browser) throw new Error('no browser');
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(STEP_MS);
      const page = await context.newPage();
      const wrong: string[] = [];
      page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error' && !mayReport?.test(message.text())) wrong.push(message.text());
      });
      page.on('request', (request) => {
        if (!foreign && new URL(request.url()).origin !== new URL(url).origin) wrong.push(`asked ${request.url()}`);
      });
      onTestFinished(async () => {
        await context.close();
        expect(wrong).toEqual([]);
      });
      await page.goto(url);
      return page;
    },
  };
}

/** Returns the serious accessibility problems that axe finds in a page, with light and with dark colours. */
export async function barriers(page: Page): Promise<readonly string[]> {
  // The debugger runs this script, because the page's content policy forbids foreign scripts.
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<AxeResults>('axe.run()');
    for (const { id, impact, nodes } of violations) {
      const where = nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`).join('\n');
      if (impact === 'serious' || impact === 'critical') found.push(`${colorScheme}: ${id}: ${where}`);
    }
  }
  return found;
}

/** Returns the number of pixels by which the page is wider than its window. */
export async function overhang(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 800 });
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
}
