import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier } from '../../cli/croupier.ts';
import { barriers, type OpenOptions, overhang, stage } from '../../service/browser.ts';

const { open } = stage();
const SOON = { timeout: 15_000 };
let dir = '';

const address = (name: string, hash = ''): string => `${pathToFileURL(path.join(dir, `${name}.html`)).href}${hash}`;
const openPage = (name: string, options: OpenOptions = {}, hash = ''): Promise<Page> =>
  open(address(name, hash), options);

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-html-'));
  const what = ['idempotency/bet', 'idempotency/concurrent', 'refund/broken-connection', 'balance'];
  const failing = ['run', '--reference', '--defect', 'replayed-bet-charged', '--linger', '50ms', ...what];
  const journal = (name: string): string =>
    path.resolve(import.meta.dirname, `../../../fixtures/journals/${name}.ndjson`);
  const ends = await Promise.all([
    croupier([...failing, '--curl', '--report', 'html=failed.html'], { cwd: dir }),
    croupier(['run', '--reference', 'balance', '--report', 'html=passed.html'], { cwd: dir }),
    croupier(['report', 'convert', journal('hostile'), '--to', 'html=hostile.html'], { cwd: dir }),
    croupier(['report', 'convert', journal('failing'), '--to', 'html=crowded.html'], { cwd: dir }),
  ]);
  expect(ends.map(({ status }) => status)).toEqual([1, 0, 0, 0]);
  const page = readFileSync(path.join(dir, 'passed.html'), 'utf8');
  writeFileSync(path.join(dir, 'scriptless.html'), page.replace(/<script type="module">[\s\S]*?<\/script>/, ''));
}, 60_000);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const visible = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).filter({ visible: true }).count();

/** A script that says whether the first element of a selector is inside the window. */
const inView = (selector: string, axis: 'X' | 'Y' = 'Y'): string => {
  const [from, to, size] = axis === 'X' ? ['left', 'right', 'innerWidth'] : ['top', 'bottom', 'innerHeight'];
  return `(() => { const at = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return at.${from} >= 0 && at.${to} <= ${size}; })()`;
};

describe('the page of the HTML report, opened from disk', { timeout: 60_000 }, () => {
  it.each(['failed', 'passed', 'hostile'])(
    '(of a run that %s) has no accessibility problems in light and dark, and fits a telephone',
    async (name) => {
      const page = await openPage(name);
      expect(await barriers(page)).toEqual([]);
      expect(await overhang(page, 360)).toBeLessThanOrEqual(0);
      expect(await overhang(page, 1600)).toBeLessThanOrEqual(0);
    },
  );

  it('shows scenarios and calls without its script', async () => {
    const page = await openPage('failed', { javaScriptEnabled: false });
    expect(await page.locator('h1').textContent()).toContain('Not conforming');
    await expect.poll(() => visible(page, '.scenario.fail .exchange[open] .message'), SOON).toBeGreaterThan(3);
    expect(await visible(page, '.tools')).toBe(0);
    await page.locator('#group-balance > summary').click();
    await page.locator('#group-balance .scenario.pass > summary').first().click();
    await expect.poll(() => visible(page, '.scenario.pass .listing'), SOON).toBe(1);
    expect(await visible(page, '.scenario.pass .source pre')).toBe(1);
    await page.goto(address('failed', '#rule-idempotency.bet'));
    expect(await visible(page, '[id="rule-idempotency.bet"]')).toBe(1);
    expect(await overhang(page, 360)).toBeLessThanOrEqual(0);
  });

  it('has no accessibility problems without its script', async () => {
    // The accessibility check is a script, so it needs a page that allows scripts.
    const page = await openPage('scriptless');
    expect(await visible(page, '.tools')).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });

  it('marks the differences in the reply to a repeat, and the wrong balance', async () => {
    const page = await openPage('failed', {}, '#scenario-idempotency/bet');
    const card = page.locator('[id="scenario-idempotency/bet"]');
    expect(await card.locator('.exchange[open] mark').first().textContent()).toMatch(/^"[\d.]+"$/);
    expect(await card.locator('.exchange[open] ins').first().textContent()).toMatch(/^first: "[\d.]+"$/);
    expect(await card.locator('.chart circle.off').count()).toBeGreaterThan(0);
    expect(await card.locator('.chart svg').first().getAttribute('aria-label')).toMatch(
      /after balance: [\d.]+, expected [\d.]+/,
    );
    expect(await card.locator('.source b.fail').first().textContent()).toContain('- resend: first');
    const race = page.locator('[id="scenario-idempotency/concurrent#bet"] .timeline');
    expect(await race.locator('li').count()).toBe(12);
    expect(await page.locator('[id^="scenario-refund/broken-connection"] .timeline rect.lost').count()).toBeGreaterThan(
      0,
    );
  });

  it('unfolds the calls of a scenario that is opened, and finds a call by its address', async () => {
    const page = await openPage('failed');
    await page.locator('#group-balance > summary').click();
    const card = page.locator('#group-balance .scenario.pass').first();
    expect(await card.locator('.exchange').count()).toBe(0);
    await card.locator('> summary').click();
    await expect.poll(() => card.locator('.exchange').count(), SOON).toBeGreaterThan(1);
    expect(await card.locator('.listing').count()).toBe(0);
    const id = (await card.locator('.exchange > summary > span:last-child').first().textContent()) ?? '';
    await page.goto(address('passed'));
    await page.goto(address('failed', `#call-${id}`));
    await expect.poll(() => visible(page, `[id="call-${id}"] .message`), SOON).toBe(2);
  });

  it('shows only the scenarios that match the search and the filters', async () => {
    const page = await openPage('failed');
    const all = await page.locator('.scenario').count();
    await page.keyboard.press('/');
    await page.keyboard.type('BALANCE/extra query');
    await expect
      .poll(() => page.locator('#shown').textContent(), SOON)
      .toMatch(new RegExp(`^1 of ${all} scenarios · \\d+ rules? · \\d+ causes?$`));
    expect(await page.evaluate<boolean>(inView('.rule:not([hidden])'))).toBe(true);
    expect(await visible(page, '.cause')).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.scenario:not([hidden])').count(), SOON).toBe(all);
    await page.locator('[data-filter="fail"]').click();
    const failed = await page.locator('.scenario.fail').count();
    expect(await visible(page, '.scenario')).toBe(failed);
    expect(await page.locator('#shown').textContent()).toContain(`${failed} of ${all} scenarios`);
    await page.goto(address('failed', '#scenario-balance/read'));
    await expect.poll(() => visible(page, '[id="scenario-balance/read"] .inside'), SOON).toBe(1);
  });

  it('keeps its bar in one row on a desktop, and hides no place that a link leads to', async () => {
    const page = await openPage('failed', { viewport: { width: 1280, height: 800 } });
    for (const text of ['', 'bet']) {
      await page.fill('#search', text);
      await expect.poll(() => page.locator('#shown').textContent(), SOON).toMatch(text === '' ? /^$/ : / of /);
      expect(await page.evaluate<number>('document.querySelector(".bar").offsetHeight')).toBeLessThan(60);
      expect(await overhang(page, 1280)).toBeLessThanOrEqual(0);
    }
    await page.fill('#search', '');
    for (const link of await page.locator('.links a').all()) {
      await link.click();
      const { hash } = new URL(page.url());
      const top = await page.evaluate<number>(`document.querySelector('${hash}').getBoundingClientRect().top`);
      expect(top).toBeGreaterThan(
        await page.evaluate<number>('document.querySelector(".bar").getBoundingClientRect().bottom'),
      );
    }
  });

  it('keeps every link in the bar in one piece, also if the page has every section', async () => {
    const page = await openPage('crowded', { viewport: { width: 1280, height: 800 } });
    expect(await page.locator('.links a').count()).toBe(9);
    for (const width of [1280, 390]) {
      expect(await overhang(page, width)).toBeLessThanOrEqual(0);
      const heights = await page.evaluate<number[]>(
        '[...document.querySelectorAll(".links a")].map((link) => link.getClientRects().length * link.offsetHeight)',
      );
      expect(Math.max(...heights)).toBeLessThan(30);
    }
  });

  it('shows the first wrong balance on a telephone', async () => {
    const page = await openPage('failed', { viewport: { width: 390, height: 800 } }, '#scenario-idempotency/bet');
    await expect
      .poll(() => page.evaluate<boolean>(inView('[id="scenario-idempotency/bet"] circle.off', 'X')), SOON)
      .toBe(true);
  });

  it('copies a ticket of a failure', async () => {
    const page = await openPage('failed', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('.ticket .copy').first().click();
    await expect.poll(() => page.locator('.ticket .copy').first().textContent(), SOON).toMatch(/Copied|Marked/);
    const copied = await page.evaluate<string>('getSelection().toString() || navigator.clipboard.readText()');
    expect(copied).toMatch(/^### [a-z.-]+ is broken/);
    expect(copied).toContain('run again croupier run');
  });

  it('shows when each scenario ran, and opens the scenario of a bar', async () => {
    const page = await openPage('failed');
    const first = page.locator('.run-time rect[data-scenario]').first();
    const id = await first.getAttribute('data-scenario');
    await first.dispatchEvent('click');
    await expect.poll(() => visible(page, `[id="scenario-${id}"] .inside`), SOON).toBe(1);
    expect(await page.locator('.sessions tbody tr').count()).toBeGreaterThan(5);
  });

  it('copies a curl line', async () => {
    const page = await openPage('failed', { permissions: ['clipboard-read', 'clipboard-write'] });
    const card = page.locator('.scenario.fail').first();
    await card.scrollIntoViewIfNeeded();
    // The script replaces the short list of calls by the whole list.
    await expect.poll(() => card.locator('.scriptless').count(), SOON).toBe(0);
    const line = card.locator('.exchange[open] .command').first();
    await line.locator('.copy').click();
    await expect.poll(() => line.locator('.copy').textContent(), SOON).toMatch(/Copied|Marked/);
    const copied = await page.evaluate<string>('getSelection().toString() || navigator.clipboard.readText()');
    expect(copied).toBe(await line.locator('code').textContent());
    expect(copied).toMatch(/^curl -sSi -X POST .*X-REQUEST-SIGN/);
  });

  it('is light or dark as the system is set, until the user chooses', async () => {
    const page = await openPage('passed', { colorScheme: 'dark' });
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const dark = await ground();
    await page.click('#theme');
    expect(await ground()).not.toBe(dark);
    // Chromium may load the page in another process, which sees the stored choice a moment later.
    const reloaded = async (): Promise<string | null> => {
      await page.reload();
      return page.locator('#theme').textContent();
    };
    await expect.poll(reloaded, SOON).toBe('Dark');
    expect(await ground()).not.toBe(dark);
  });

  it('prints all failures and every rule in words', async () => {
    const page = await openPage('failed', { colorScheme: 'dark' });
    await page.locator('.scenario.fail > summary').first().click();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await visible(page, '.scenario.fail .findings')).toBe(await page.locator('.scenario.fail').count());
    expect(await visible(page, '.rule')).toBe(await page.locator('.rule').count());
    expect(await visible(page, 'nav, button')).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    );
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('shows text of the operator and runs none of it', async () => {
    const page = await openPage('hostile');
    expect(await page.locator('.actual').first().textContent()).toContain('<script>alert("x")</script>');
    expect(await page.locator('script:not([type="module"], [type="application/gzip"])').count()).toBe(0);
    expect(await page.locator('.sides').first().textContent()).not.toMatch(
      /[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u001b]/,
    );
  });
});
