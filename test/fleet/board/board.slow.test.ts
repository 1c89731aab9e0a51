import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { barriers, overhang, stage } from '../../service/browser.ts';
import { startBoard } from './page.ts';

const SOON = { timeout: 15_000 };
const OPERATORS = 16;

const { open, pagesDir } = stage();

/** Opens a board, and waits until it is complete. */
async function openBoard(width: number): Promise<Page> {
  const page = await open(await startBoard(pagesDir(), OPERATORS), { viewport: { width, height: 800 } });
  await expect.poll(() => page.locator('#live').textContent(), SOON).toBe('Live');
  return page;
}

/** Returns the names of the operators that are shown, in their order. */
function names(page: Page): Promise<string[]> {
  return page.locator('#rows .open').allTextContents();
}

describe.each([390, 1280, 1920])('the board at %i pixels', { timeout: 180_000 }, (width) => {
  it('has no accessibility problem in light or dark, is not wider than the window, and runs no text as markup', async () => {
    const page = await openBoard(width);
    expect(await page.locator('#rows tr').count()).toBe(OPERATORS + 1);
    expect(await overhang(page, width)).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await page.locator('.open', { hasText: /^acme-eu$/ }).click();
    await page.locator('.rules li').first().waitFor();
    expect(await page.locator('.detail').evaluate((detail) => detail.scrollWidth - detail.clientWidth)).toBe(0);
    expect(await barriers(page)).toEqual([]);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('.detail img').count()).toBe(0);
  });
});

describe('the board', { timeout: 120_000 }, () => {
  it('finds operators by search, by verdict and by group, and shows all again', async () => {
    const page = await openBoard(1280);
    const all = await names(page);
    await page.keyboard.press('/');
    await page.keyboard.type('borealis eu');
    await expect.poll(() => names(page), SOON).toEqual(all.filter((name) => /borealis.*eu/.test(name)));
    await page.keyboard.press('Escape');
    await expect.poll(() => names(page), SOON).toEqual(all);
    await page.click('#filter-never');
    expect(await names(page)).toEqual(['never-judged']);
    await page.click('#clear');
    await page.click('#filter-nonconforming');
    const failing = await names(page);
    expect(failing.length).toBe(Number(await page.locator('#filter-nonconforming b').textContent()));
    const head = page.locator('.head-group button', { hasText: 'refund' });
    await head.click();
    expect((await names(page)).length).toBe(Number(await head.locator('.failing').textContent()));
    expect(await head.getAttribute('aria-pressed')).toBe('true');
    await page.click('#clear');
    expect(await names(page)).toEqual(all);
    await page.fill('#search', 'no such operator');
    await expect.poll(() => page.locator('#nothing').isVisible(), SOON).toBe(true);
    await page.click('#clear');
    await page.selectOption('#order', 'name');
    expect(await names(page)).toEqual(all.toSorted((a, b) => a.localeCompare(b, 'en')));
  });

  it('can be used with the keyboard alone', async () => {
    const page = await openBoard(1280);
    const [first, second] = await names(page);
    await page.locator('.open').first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator(':focus').textContent()).toBe(second);
    await page.keyboard.press('Enter');
    await page.locator('.facts').waitFor();
    expect(await page.locator('#detail-title').textContent()).toBe(second);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator(':focus').textContent(), SOON).toBe(second);
    await page.keyboard.press('Home');
    expect(await page.locator(':focus').textContent()).toBe(first);
    // Only one operator is in the order of the Tab key.
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('href')).toContain('run?number=');
  });

  it('leaves the focus where the user moved it just after the details were closed', async () => {
    const page = await openBoard(1280);
    const [first] = await names(page);
    await page.locator('.open').nth(1).click();
    await page.locator('.facts').waitFor();
    // The page hears of the closing in a later task than the key.
    await page.evaluate(`
      const dialog = document.querySelector('dialog');
      const closed = new Promise((resolve) => dialog.addEventListener('close', resolve));
      dialog.close();
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
      closed;
    `);
    expect(await page.locator(':focus').textContent()).toBe(first);
  });

  it('opens the report of a run with one click', async () => {
    const page = await openBoard(1280);
    const [report] = await Promise.all([
      page.context().waitForEvent('page'),
      page.locator('#rows a.verdict').first().click(),
    ]);
    await report.waitForLoadState();
    expect(await report.title()).toMatch(/^report of run \d+$/);
  });

  it('says which operator is late, and how often verdicts depend on chance', async () => {
    const page = await openBoard(1280);
    const late = page.locator('#rows tr', { has: page.locator('.open', { hasText: /^borealis-eu$/ }) });
    expect(await late.locator('.badge', { hasText: /^late/ }).textContent()).toMatch(/^late \d+ h$/);
    expect(await page.locator('.flaky[data-some="true"]').first().textContent()).toMatch(/^\d+ rules?, \d+ %$/);
  });
});
