import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { barriers, overhang, stage } from '../browser.ts';
import { EVIL, startPages } from '../page-service.ts';

const SOON = { timeout: 15_000 };
const TABS = ['exchanges', 'actions', 'rounds', 'sessions', 'owed', 'operator'] as const;

const { open, pagesDir } = stage();

/** Opens a console with long and hostile texts, a finding, an owed call, a waiting fault and a demo round. */
async function openFull(width: number): Promise<Page> {
  const service = await startPages(pagesDir(), { isOwnOperator: true });
  const { parts } = service;
  const session = service.launched();
  await parts.play.round(session, '1.00', '2');
  parts.faults.add('bet', { kind: 'sign-wrongly' });
  await parts.play.round(session, '1.00', '2');
  await parts.play.round(service.launched({ player: 'p3', demo: true }), '1.00', '2');
  service.front.mishap = ({ call }) => (call === 'win' ? { kind: 'status', status: 503 } : undefined);
  await parts.play.round(session, '500.00', '20');
  await parts.play.round(
    service.launched({ extCID: 'rude', player: EVIL, sessionID: EVIL, gameID: EVIL }),
    '1.00',
    '2',
  );
  service.launched({ player: 'a-player-with-a-name-without-end'.repeat(5) });
  parts.faults.add('refund', { kind: 'delay', ms: 6000 }, session.gsID);
  const page = await open(service.consoleUrl, { viewport: { width, height: 800 } });
  await expect.poll(() => page.locator('#exchange-list li').count(), SOON).toBe(6);
  await expect.poll(() => page.locator('#owed-count').textContent(), SOON).toBe('1');
  return page;
}

/** Returns the left and right edges of a cell in all rows of the list, each once. */
function edges(page: Page, cell: string): Promise<string[]> {
  return page
    .locator(`#exchange-list .${cell}`)
    .evaluateAll((cells) => [
      ...new Set(cells.map((one) => one.getBoundingClientRect()).map(({ left, right }) => `${left}–${right}`)),
    ]);
}

describe.each([390, 1280, 1920])('the console at %i pixels', { timeout: 180_000 }, (width) => {
  it('has no accessibility problem in light or dark, in any part, and is not wider than the window', async () => {
    const page = await openFull(width);
    for (const tab of TABS) {
      const button = page.locator(`#tab-${tab}`);
      if (!(await button.isVisible())) continue;
      await button.click();
      expect({ tab, over: await overhang(page, width) }).toEqual({ tab, over: 0 });
      expect({ tab, found: await barriers(page) }).toEqual({ tab, found: [] });
    }
    await page.click('#tab-exchanges');
    await page.locator('#exchange-list button').nth(1).click();
    await expect.poll(() => page.locator('#detail').getAttribute('data-open'), SOON).toBe('true');
    expect(await overhang(page, width)).toBe(0);
    expect(await barriers(page)).toEqual([]);
  });

  it('keeps its columns in place when details are opened and new exchanges arrive', async () => {
    const page = await openFull(width);
    const cells = ['time', 'name', 'balance', 'expected', 'badge', 'ms'];
    const before = await Promise.all(cells.map((cell) => edges(page, cell)));
    for (const all of before) expect(all).toHaveLength(1);
    if (width > 390) {
      const list = await page.locator('#list-pane').boundingBox();
      await page.locator('#exchange-list button').nth(2).click();
      await expect.poll(() => page.locator('#detail-close').isVisible(), SOON).toBe(true);
      const detail = await page.locator('#detail').boundingBox();
      // The details are beside the list, and the list keeps its place.
      expect(detail?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0));
      expect(detail?.y).toBe(list?.y);
      await page.click('#again');
      await expect.poll(() => page.locator('#exchange-list li').count(), SOON).toBe(7);
      expect(await page.locator('#list-pane').boundingBox()).toEqual(list);
    }
    expect(await Promise.all(cells.map((cell) => edges(page, cell)))).toEqual(before);
  });
});

describe('the console on a phone', { timeout: 120_000 }, () => {
  it('shows the exchanges first, and the details over the whole page until they are closed', async () => {
    const page = await openFull(390);
    expect(await page.locator('#exchange-list').isVisible()).toBe(true);
    expect(await page.locator('#play-form').isVisible()).toBe(false);
    await page.locator('#exchange-list button').nth(1).click();
    await expect.poll(() => page.locator(':focus').getAttribute('id'), SOON).toBe('detail-title');
    expect(await page.locator('#detail').boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 800 });
    expect(await page.evaluate('document.getElementById("top").inert')).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('#detail').isVisible(), SOON).toBe(false);
    expect(await page.evaluate('document.getElementById("top").inert')).toBe(false);
    await page.click('#tab-actions');
    expect(await page.locator('#play-form').isVisible()).toBe(true);
    expect(await page.locator('#exchange-list').isVisible()).toBe(false);
  });

  it('moves between its tabs with the arrow keys', async () => {
    const page = await openFull(390);
    await page.focus('#tab-exchanges');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(':focus').getAttribute('id')).toBe('tab-actions');
    await page.keyboard.press('End');
    expect(await page.locator(':focus').getAttribute('id')).toBe('tab-operator');
    expect(await page.locator('#operator-balances').isVisible()).toBe(true);
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(':focus').getAttribute('id')).toBe('tab-exchanges');
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => page.locator('#tab-actions').isVisible(), SOON).toBe(false);
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(':focus').getAttribute('id')).toBe('tab-rounds');
  });

  it('can be used again after it was made narrow while details were open behind another part', async () => {
    const page = await openFull(1280);
    await page.locator('#exchange-list button').first().click();
    await expect.poll(() => page.locator('#detail-close').isVisible(), SOON).toBe(true);
    await page.click('#tab-rounds');
    await page.setViewportSize({ width: 390, height: 800 });
    await page.click('#tab-exchanges');
    await page.click('#detail-close');
    await page.click('#tab-rounds');
    expect(await page.locator('#rounds').isVisible()).toBe(true);
  });
});
