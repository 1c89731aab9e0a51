import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/listen/server.ts';
import { barriers, overhang, stage } from '../browser.ts';
import { EVIL, type PageService, startPages } from '../page-service.ts';

/** A longer wait than the default, because a page is drawn shortly after its data have arrived. */
const SOON = { timeout: 15_000 };

const { open, pagesDir } = stage();

/** Returns the text of an element of the page. */
function text(page: Page, id: string): Promise<string | null> {
  return page.locator(`#${id}`).textContent();
}

async function says(page: Page, id: string, wanted: string | RegExp): Promise<void> {
  await expect.poll(() => text(page, id), { timeout: 15_000 }).toMatch(wanted);
}

async function playOnce(page: Page): Promise<void> {
  await page.click('#play');
  await says(page, 'play', /^Play (?:for|a free)/);
}

/** Returns the texts of the rounds, the latest first. */
function rounds(page: Page): Promise<string[]> {
  return page.locator('#rounds strong').allTextContents();
}

describe('the game page', { timeout: 60_000 }, () => {
  it("plays rounds with the operator's money", async () => {
    const service = await startPages(pagesDir());
    const page = await open(service.gameUrl(service.launched()));
    await says(page, 'balance', '1000.00 USD');
    await expect.poll(() => text(page, 'title'), SOON).toBe('Catch');
    await expect.poll(() => page.title(), SOON).toBe('Catch');
    service.draws('3');
    await playOnce(page);
    await expect.poll(() => text(page, 'outcome-title'), SOON).toBe('You won 3.00 USD.');
    await expect.poll(() => text(page, 'balance'), SOON).toBe('1002.00 USD');
    service.draws('0');
    await page.click('#more');
    await expect.poll(() => text(page, 'stake'), SOON).toBe('2.00 USD');
    await playOnce(page);
    await expect.poll(() => text(page, 'outcome-title'), SOON).toBe('Nothing won this time.');
    await expect.poll(() => rounds(page), SOON).toEqual(['Nothing won', 'Won 3.00']);
    expect(service.front.balance()).toBe('1000.00');
    expect(service.front.arrived.map(({ call }) => call)).toEqual(['balance', 'bet', 'win', 'bet', 'win']);
    await page.reload();
    await says(page, 'balance', '1000.00 USD');
    await expect.poll(() => rounds(page), SOON).toEqual(['Nothing won', 'Won 3.00']);
  });

  it('shows a light that runs to the drawn multiplier, unless the system asks for less motion', async () => {
    const service = await startPages(pagesDir());
    const page = await open(service.gameUrl(service.launched()), { reducedMotion: 'no-preference' });
    service.draws('20');
    await playOnce(page);
    await expect.poll(() => page.locator('#ladder .lit').allTextContents(), SOON).toEqual(['×20']);
    await expect.poll(() => text(page, 'orb-text'), SOON).toBe('×20');
  });

  it('can be played by keyboard alone', async () => {
    const service = await startPages(pagesDir());
    const page = await open(service.gameUrl(service.launched()));
    await says(page, 'play', 'Play for 1.00 USD');
    await page.keyboard.press('Enter');
    await expect.poll(() => rounds(page)).toHaveLength(1);
    await says(page, 'play', 'Play for');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label'), SOON).toBe('Lower the stake');
    await expect.poll(() => page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), SOON).toBe('solid');
    await page.keyboard.press('Space');
    await expect.poll(() => text(page, 'stake'), SOON).toBe('0.50 USD');
    for (let stops = 0; stops < 10; stops += 1) {
      await page.keyboard.press('Tab');
      if ((await page.locator(':focus').getAttribute('id')) === 'play') break;
    }
    await page.keyboard.press('Space');
    await expect.poll(() => rounds(page)).toHaveLength(2);
    await says(page, 'play', 'Play for 0.50 USD');
    await page.keyboard.press('Enter');
    await expect.poll(() => rounds(page)).toHaveLength(3);
    expect(service.front.balance()).toBe('998.00');
  });

  it("shows the operator's message when a bet is declined, and links to the deposit page", async () => {
    const service = await startPages(pagesDir());
    const session = service.launched({ locale: 'pt_br', depositUrl: 'https://casino.example/deposit' });
    const page = await open(service.gameUrl(session));
    await says(page, 'balance', '1000.00 USD');
    for (let steps = 0; steps < 6; steps += 1) await page.click('#more');
    await expect.poll(() => text(page, 'stake'), SOON).toBe('100.00 USD');
    await expect.poll(() => page.locator('#more').getAttribute('aria-disabled'), SOON).toBe('true');
    for (let played = 0; played < 10; played += 1) await service.parts.play.round(session, '100.00', '0');
    await playOnce(page);
    await expect.poll(() => text(page, 'outcome-title'), SOON).toBe('The bet was declined.');
    await expect.poll(() => text(page, 'outcome-words'), SOON).toBeTruthy();
    await expect.poll(() => page.locator('#outcome-words').getAttribute('lang'), SOON).toBe('pt-br');
    await expect.poll(() => page.locator('#deposit').getAttribute('href'), SOON).toBe('https://casino.example/deposit');
    await expect.poll(async () => (await rounds(page))[0], SOON).toBe('Declined');
  });

  it('says that a win is being paid, and then that it was paid', async () => {
    const service = await startPages(pagesDir(), { retryMs: 60_000 });
    const page = await open(service.gameUrl(service.launched()));
    await says(page, 'balance', '1000.00 USD');
    service.front.mishap = ({ call }) => (call === 'win' ? { kind: 'status', status: 503 } : undefined);
    service.draws('10');
    await playOnce(page);
    await expect.poll(() => text(page, 'outcome-title'), SOON).toBe('Your win of 10.00 USD is being paid.');
    await expect.poll(() => text(page, 'outcome-words'), SOON).toBe('Not now.');
    await expect.poll(() => text(page, 'balance'), SOON).toBe('999.00 USD');
    service.front.mishap = () => undefined;
    const [owed] = service.parts.adapter.owed();
    expect(service.parts.adapter.retryNow(owed?.id ?? '')).toBe(true);
    await says(page, 'outcome-title', 'Your win of 10.00 USD is paid.');
    await says(page, 'balance', '1009.00 USD');
    await expect.poll(() => rounds(page), SOON).toEqual(['Won 10.00']);
    await expect.poll(() => page.locator('#outcome-words').isVisible(), SOON).toBe(false);
  });

  it('says that a stake is returned when the operator failed, and then shows the balance', async () => {
    const service = await startPages(pagesDir());
    const page = await open(service.gameUrl(service.launched()));
    await says(page, 'balance', '1000.00 USD');
    service.front.mishap = ({ call }) =>
      call === 'bet' ? { kind: 'status', status: 500, processed: true } : undefined;
    await playOnce(page);
    await says(page, 'outcome-text', 'Your stake of 1.00 USD was returned.');
    await says(page, 'balance', '1000.00 USD');
    expect(service.front.balance()).toBe('1000.00');
  });

  it('shows texts of operators and users without using them as markup', async () => {
    const service = await startPages(pagesDir());
    const session = service.launched({
      extCID: 'rude',
      player: EVIL,
      sessionID: EVIL,
      locale: EVIL,
      returnUrl: 'javascript:window.pwned=1',
    });
    const page = await open(service.gameUrl(session));
    await says(page, 'balance', '10.00 USD');
    await playOnce(page);
    await expect.poll(() => text(page, 'outcome-words'), SOON).toBe(EVIL);
    await expect.poll(() => text(page, 'about'), SOON).toContain(EVIL);
    await expect.poll(() => page.locator('img, #back:visible').count(), SOON).toBe(0);
    await expect.poll(() => page.evaluate('window.pwned'), SOON).toBeUndefined();
  });

  it('plays free rounds first, counts them, and shows the sum of their wins', async () => {
    const service = await startPages(pagesDir());
    const session = service.launched();
    const { campaigns, uuid } = service.parts;
    campaigns.create({
      id: uuid(),
      extID: 'spring',
      cID: 'c',
      extCID: 'acme',
      currency: 'USD',
      quantity: 2,
      betLine: 2,
      validFrom: '2020-01-01T00:00:00Z',
      maxBet: '0.20',
      maxMult: '500',
    });
    const page = await open(service.gameUrl(session));
    await says(page, 'free', 'Free rounds left: 2, each of 0.20 USD. Won so far: 0.00 USD.');
    expect(await text(page, 'outcome-title')).toBe('Play your free rounds.');
    expect(await page.locator('#stakes').isVisible()).toBe(false);
    service.draws('5');
    await playOnce(page);
    await expect
      .poll(() => text(page, 'free'), SOON)
      .toBe('Free rounds left: 1, each of 0.20 USD. Won so far: 1.00 USD.');
    await playOnce(page);
    await says(page, 'outcome-text', 'The sum of their wins, 2.00 USD, was paid to you.');
    await says(page, 'balance', `${service.front.balance()} USD`);
    await says(page, 'play', 'Play for 1.00 USD');
    const calls = service.front.arrived.filter(({ call }) => call !== 'balance').map(({ fields }) => fields.type);
    expect(calls).toEqual(['free', 'free', 'free', 'free', 'regular']);
  });

  it.each([
    ['fi', 'fi', 'Pelaa: 1.00 USD', 'Ei voittoa tällä kertaa.', 'Panosta ei veloitettu.'],
    ['el', 'el', 'Παίξτε για 1.00 USD', 'Κανένα κέρδος αυτή τη φορά.', 'Δεν πονταρίστηκε τίποτα.'],
    ['zh_cn', 'zh-CN', '投注 1.00 USD', '这次没有赢。', '没有扣除投注额。'],
    ['uz', 'en-US', 'Play for 1.00 USD', 'Nothing won this time.', 'Nothing was staked.'],
  ])('speaks the language of the locale %s', async (locale, lang, play, nothing, notStaked) => {
    const service = await startPages(pagesDir());
    const page = await open(service.gameUrl(service.launched({ locale })), { mayReport: /409/ });
    await says(page, 'play', play);
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    service.draws('0');
    await page.click('#play');
    await says(page, 'outcome-title', nothing);
    await says(page, 'play', play);
    service.front.mishap = () => ({ kind: 'status', status: 400 });
    await page.click('#play');
    await says(page, 'outcome-text', notStaked);
    for (const width of [320, 1280]) expect(await overhang(page, width)).toBe(0);
  });

  it('marks a demo, and makes no calls for it', async () => {
    const service = await startPages(pagesDir());
    const page = await open(service.gameUrl(service.launched({ demo: true })));
    await says(page, 'balance', '10000.00 USD');
    await expect.poll(() => page.locator('#demo').innerText(), SOON).toMatch(/Demo.*play money/);
    service.draws('2');
    await playOnce(page);
    await expect.poll(() => text(page, 'balance'), SOON).toBe('10001.00 USD');
    expect(service.front.arrived).toEqual([]);
  });

  it('says what to do when the game has expired or is unknown', async () => {
    const service = await startPages(pagesDir());
    const now = Date.now();
    const page = await open(service.gameUrl(service.launched({ expiresAt: now - 1 })), { mayReport: /404/ });
    await says(page, 'closed-title', 'This game has expired.');
    await page.goto(`${service.url}/game?gsID=nobody`);
    await says(page, 'closed-title', 'This game was not found.');
    await expect.poll(() => page.locator('#play').isVisible(), SOON).toBe(false);
    const soon = service.launched({ expiresAt: Date.now() + 1500 });
    await page.goto(service.gameUrl(soon));
    await says(page, 'closed-title', 'This game has expired.');
  });

  it('works in a frame, and shows the link back only outside of a frame', async () => {
    const service = await startPages(pagesDir());
    const address = service.gameUrl(service.launched({ returnUrl: 'https://casino.example/lobby' }));
    const alone = await open(address);
    await says(alone, 'balance', 'USD');
    await expect.poll(() => alone.locator('#back').getAttribute('href'), SOON).toBe('https://casino.example/lobby');
    const casino = await listen(
      () => ({
        status: 200,
        headers: [['Content-Type', 'text/html']],
        body: `<iframe src="${address}" width="360" height="640"></iframe>`,
      }),
      { onFault: () => {} },
    );
    onTestFinished(() => casino.close(0));
    const page = await open(`http://localhost:${new URL(casino.url).port}/`, {
      foreign: true,
      mayReport: /favicon|404/,
    });
    const game = page.frameLocator('iframe');
    await game.locator('#play').click();
    await expect.poll(() => game.locator('#rounds strong').allTextContents()).toEqual(['Nothing won']);
    await expect.poll(() => game.locator('#back').isVisible(), SOON).toBe(false);
  });

  it('fits phones, and has no accessibility problems', async () => {
    const service = await startPages(pagesDir());
    const page = await open(
      service.gameUrl(service.launched({ player: 'a-player-with-a-name-without-end'.repeat(9) })),
    );
    await says(page, 'play', 'Play for');
    service.draws('2');
    await playOnce(page);
    await page.setViewportSize({ width: 360, height: 640 });
    await expect
      .poll(() => page.evaluate("document.getElementById('play').getBoundingClientRect().bottom"), SOON)
      .toBeLessThan(640);
    for (const width of [320, 390]) await expect.poll(() => overhang(page, width), SOON).toBe(0);
    await expect.poll(() => barriers(page), SOON).toEqual([]);
  });

  it('shows rounds that another page plays, and has no connection while it is hidden', async () => {
    const service = await startPages(pagesDir());
    const session = service.launched();
    const page = await open(service.gameUrl(session));
    await says(page, 'balance', '1000.00 USD');
    const elsewhere = async (): Promise<void> => {
      const body = JSON.stringify({ gsID: session.gsID, stake: '1.00' });
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${service.url}/play/rounds`, { method: 'POST', headers, body });
    };
    const turn = (state: string): Promise<unknown> =>
      page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await elsewhere();
    await expect.poll(() => rounds(page)).toEqual(['Nothing won']);
    await turn('hidden');
    await elsewhere();
    // Within this time the events would have arrived.
    await page.waitForTimeout(300);
    await expect.poll(() => rounds(page), SOON).toEqual(['Nothing won']);
    await turn('visible');
    await expect.poll(() => rounds(page)).toEqual(['Nothing won', 'Nothing won']);
    await says(page, 'balance', '998.00 USD');
  });

  it('reconnects by itself after the service was down', async () => {
    const service: PageService = await startPages(pagesDir());
    const page = await open(service.gameUrl(service.launched()), { mayReport: /ERR_|Failed to load/ });
    await says(page, 'balance', '1000.00 USD');
    await page.context().setOffline(true);
    await page.click('#play');
    await says(page, 'outcome-title', 'The game did not answer.');
    await page.context().setOffline(false);
    await playOnce(page);
    await says(page, 'outcome-title', 'Nothing won this time.');
  });
});
