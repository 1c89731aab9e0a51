import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { croupier, ended, line, start } from '../test/cli/croupier.ts';
import { createFleetStore } from '../test/fleet/fleet-store.ts';
import { chromiumPath } from '../test/service/chromium.ts';

// This script takes the pictures of README.md, docs/console.md and docs/fleet.md. Run it with `npm run screenshots`. Each picture shows a
// page of a real run.

const IMAGES = path.resolve(import.meta.dirname, '../docs/images');
/** Maximum size of a picture. Every clone of the repository contains the pictures, so they must be small. */
const MAX_BYTES = 150_000;
const WEBP_QUALITY = 0.85;
const ROUNDS = 3;
const GAME = { width: 400, height: 860 };
const CONSOLE = { width: 1000, height: 860 };
const REPORT = { width: 1100, height: 960 };
const CONSOLE_SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1000 },
];
/** The defect that the console shows in its pictures. */
const DEFECT = 'replayed-bet-charged';

/** Takes a picture of the top of the HTML report of the run in README.md. */
async function reportPictures(browser: Browser, dir: string): Promise<Buffer[]> {
  const defect = ['--defect', 'replayed-bet-charged'];
  const args = ['run', '--reference', ...defect, 'idempotency/bet', '--curl', '--report', 'html=report.html'];
  const { status, err } = await croupier(args, { cwd: dir });
  if (status !== 1) throw new Error(`croupier ${args.join(' ')} ended with ${String(status)}: ${err}`);
  const page = await openPage(browser, pathToFileURL(path.join(dir, 'report.html')).href, { viewport: REPORT });
  return [await page.screenshot()];
}

/**
 * Takes a picture of a game that was launched on the reference operator, and a picture of the console with its calls.
 */
async function gamePictures(browser: Browser, dir: string): Promise<Buffer[]> {
  const service = start(['serve', 'all'], { cwd: dir });
  try {
    const [consoleLine, gameLine] = await Promise.all([line(service, 'console '), line(service, 'game ')]);
    const consolePage = await openPage(browser, consoleLine.slice('console '.length), { viewport: CONSOLE });
    const gamePage = await openPage(browser, gameLine.slice('game '.length), { viewport: GAME });
    await consolePage.getByText('Live', { exact: true }).waitFor();
    for (let rounds = 1; rounds <= ROUNDS; rounds += 1) {
      await gamePage.click('#play:enabled');
      await gamePage
        .locator('#rounds strong')
        .nth(rounds - 1)
        .waitFor();
    }
    await gamePage.locator('#play:enabled').waitFor();
    await consolePage.locator('#exchange-list button').filter({ hasText: 'bet' }).first().click();
    await consolePage.locator('#detail-title').filter({ hasText: 'bet' }).waitFor();
    return [await gamePage.screenshot(), await consolePage.screenshot()];
  } finally {
    service.kill('SIGTERM');
    await ended(service);
  }
}

/**
 * Takes pictures of the console at three widths, in light and dark, with a call that breaks a rule. On a phone, the list and the
 * details are two pictures.
 *
 * @returns the pictures, by the name of their file
 */
async function consolePictures(browser: Browser, dir: string): Promise<ReadonlyMap<string, Buffer[]>> {
  const service = start(['serve', 'all', '--defect', DEFECT], { cwd: dir });
  try {
    const address = (await line(service, 'console ')).slice('console '.length);
    const page = await openPage(browser, address, { viewport: { width: 1280, height: 800 } });
    await page.getByText('Live', { exact: true }).waitFor();
    await sendRounds(page);
    const broken = page.locator('#exchange-list li:has([data-verdict="fail"]) button').first();
    await broken.waitFor();
    const pictures = new Map<string, Buffer[]>();
    for (const size of CONSOLE_SIZES) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const shots = size.width < 500 ? [await page.screenshot()] : [];
        await broken.click();
        await page.locator('#detail-title').filter({ hasText: 'bet 200' }).waitFor();
        shots.push(await page.screenshot());
        pictures.set(`console-${String(size.width)}-${colorScheme}.webp`, shots);
        await page.click('#detail-close');
      }
    }
    return pictures;
  } finally {
    service.kill('SIGTERM');
    await ended(service);
  }
}

/** Takes a picture of the board of a fleet with invented operators. */
async function boardPictures(browser: Browser, dir: string): Promise<Buffer[]> {
  const folder = path.join(dir, 'fleet');
  await createFleetStore(folder, { operators: 40, nights: 40, lastNight: new Date() });
  const board = start(['fleet', 'board'], { cwd: folder });
  try {
    const address = (await line(board, 'board ')).slice('board '.length);
    const page = await openPage(browser, address, { viewport: { width: 1280, height: 720 } });
    await page.getByText('Live', { exact: true }).waitFor();
    return [await page.screenshot()];
  } finally {
    board.kill('SIGTERM');
    await ended(board);
  }
}

/** Sends rounds, some of them with a fault, and injects a fault that waits for its call. */
async function sendRounds(page: Page): Promise<void> {
  const session = page.locator('#play-session option').filter({ hasText: 'ben' });
  await session.waitFor({ state: 'attached' });
  await page.selectOption('#play-session', (await session.getAttribute('value')) ?? '');
  await page.selectOption('#play-stake', '5.00');
  const send = async (multiplier: string): Promise<void> => {
    await page.fill('#play-multiplier', multiplier);
    await page.click('#play-form button[type="submit"]');
    await page.locator('#play-said').filter({ hasText: /^The/ }).waitFor();
  };
  const inject = async (call: string, kind: string): Promise<void> => {
    await page.selectOption('#fault-call', call);
    await page.selectOption('#fault-kind', kind);
    await page.click('#fault-form button[type="submit"]');
    await page.locator('#fault-list li').waitFor();
  };
  await send('2');
  await inject('bet', 'sign-wrongly');
  await send('0');
  await send('0.5');
  await inject('bet', 'repeat');
  await send('0');
  await send('1');
  await inject('win', 'error-500');
}

async function openPage(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', colorScheme: 'light', ...options });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Draws pictures side by side and writes them as WebP, which needs a third of the bytes of PNG. */
async function writePicture(browser: Browser, name: string, pictures: readonly Buffer[]): Promise<void> {
  const page = await browser.newPage();
  const sources = pictures.map((png) => `data:image/png;base64,${png.toString('base64')}`);
  const url = await page.evaluate<string>(`(async () => {
    const images = ${JSON.stringify(sources)}.map((src) => Object.assign(new Image(), { src }));
    await Promise.all(images.map((image) => image.decode()));
    const canvas = document.createElement('canvas');
    canvas.width = images.reduce((width, image) => width + image.width, 0);
    canvas.height = Math.max(...images.map(({ height }) => height));
    let left = 0;
    for (const image of images) {
      canvas.getContext('2d').drawImage(image, left, 0);
      left += image.width;
    }
    return canvas.toDataURL('image/webp', ${String(WEBP_QUALITY)});
  })()`);
  await page.close();
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  if (bytes.length > MAX_BYTES)
    throw new Error(`${name} has ${String(bytes.length)} bytes: too large for the repository`);
  writeFileSync(path.join(IMAGES, name), bytes);
}

const dir = mkdtempSync(path.join(tmpdir(), 'croupier-screenshots-'));
const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
try {
  mkdirSync(IMAGES, { recursive: true });
  await writePicture(browser, 'report.webp', await reportPictures(browser, dir));
  await writePicture(browser, 'game-and-console.webp', await gamePictures(browser, dir));
  await writePicture(browser, 'board.webp', await boardPictures(browser, dir));
  for (const [name, pictures] of await consolePictures(browser, dir)) await writePicture(browser, name, pictures);
} finally {
  await browser.close();
  rmSync(dir, { recursive: true });
}
