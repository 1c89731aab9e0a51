import { spawn } from 'node:child_process';
import { chromium, type Page } from 'playwright-core';
import { createFleetStore } from '../test/fleet/fleet-store.ts';
import { chromiumPath } from '../test/service/chromium.ts';
import { CROUPIER } from './command.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const ROUNDS = 5;
const MANY = { operators: 500, nights: 90 } as const;
const FEW = { operators: 100, nights: 1 } as const;

/** Measures the time until a browser shows the board of many operators and nights. */
export async function measureBoard(): Promise<Measurement> {
  const [, many] = await boardTimes();
  return {
    what: `the board of ${MANY.operators} operators, ${MANY.nights} nights`,
    detail: `${many.toFixed(0)} ms in Chromium, until all rows are drawn`,
    value: many / 1000,
    unit: 'seconds',
    limit: 1,
  };
}

/** Compares this time with the time for a small board. */
export async function measureBoardGrowth(): Promise<Measurement> {
  const [few, many] = await boardTimes();
  return {
    what: `the board of ${MANY.operators * MANY.nights} runs, against ${FEW.operators * FEW.nights}`,
    detail: `${many.toFixed(0)} ms against ${few.toFixed(0)} ms`,
    value: many / few,
    unit: 'times',
    limit: 3,
  };
}

let measured: Promise<readonly [few: number, many: number]> | undefined;

/** Returns the milliseconds for the small and for the large board. Both measurements need them, so they are measured once. */
function boardTimes(): Promise<readonly [few: number, many: number]> {
  measured ??= withFolder((few) =>
    withFolder(async (many) => {
      const lastNight = new Date();
      await createFleetStore(few, { ...FEW, lastNight });
      await createFleetStore(many, { ...MANY, lastNight });
      const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
      try {
        const tab = await browser.newPage();
        return await withBoard(few, (small) =>
          withBoard(many, async (large) => {
            const [ofFew = [], ofMany = []] = await inTurn(ROUNDS, [
              () => opening(tab, small, FEW.operators),
              () => opening(tab, large, MANY.operators),
            ]);
            return [median(ofFew), median(ofMany)] as const;
          }),
        );
      } finally {
        await browser.close();
      }
    }),
  );
  return measured;
}

/** Returns the milliseconds until all rows of the board are drawn. */
async function opening(tab: Page, address: string, rows: number): Promise<number> {
  const started = performance.now();
  await tab.goto(address);
  await tab
    .locator('#rows > tr')
    .nth(rows - 1)
    .waitFor({ state: 'attached' });
  await tab.screenshot();
  return performance.now() - started;
}

/** Runs `croupier fleet board` in a folder. @param use gets the address of the page */
async function withBoard<T>(folder: string, use: (address: string) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [CROUPIER, 'fleet', 'board'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let seen = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        seen += text;
        const [, found] = /^board (\S+)\n/m.exec(seen) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once('close', () => reject(new Error('croupier fleet board ended too early')));
    });
    return await use(address);
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}
