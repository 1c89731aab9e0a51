import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../test/service/chromium.ts';
import { CROUPIER, timeOf } from './command.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';
import { scenarioRun } from './scenario-run.ts';
import { withOperator } from './served-operator.ts';

const ROUNDS = 3;
const CALLS = 20;
const FEW = 50;
const MANY = 500;
const PAGE = 'report.html';
const REPORTER = path.join(import.meta.dirname, 'peak-reporter.js');

/** Measures how long the HTML report of 10,000 exchanges takes, compared with the JSON report of the same journal. */
export async function measureHtml(): Promise<Measurement> {
  return withFolder(async (folder) => {
    const few = await playedJournal(FEW, folder);
    const many = await playedJournal(MANY, folder);
    const [json = [], html = []] = await inTurn(ROUNDS, [
      () => timeOf(convert(many, `json=${path.join(folder, 'report.json')}`), folder),
      () => timeOf(convert(many, `html=${path.join(folder, PAGE)}`), folder),
    ]);
    const peakOf = async (journal: string): Promise<string> => {
      const peak = path.join(folder, 'peak');
      await timeOf(['--import', `${REPORTER}?${peak}`, ...convert(journal, `html=${path.join(folder, PAGE)}`)], folder);
      return (Number.parseInt(await readFile(peak, 'utf8'), 10) / 1024).toFixed(0);
    };
    return {
      what: `the HTML of ${MANY * CALLS} exchanges, against JSON`,
      detail: `${median(html).toFixed(0)} ms; ${await peakOf(many)} MB of memory, for ${FEW * CALLS} exchanges ${await peakOf(few)} MB`,
      value: median(html) / median(json),
      unit: 'times',
      limit: 3,
    };
  });
}

/** Measures the time until a browser has loaded and drawn the HTML report. */
export async function measureOpening(): Promise<Measurement> {
  return withFolder(async (folder) => {
    const page = path.join(folder, PAGE);
    await timeOf(convert(await playedJournal(MANY, folder), `html=${page}`), folder);
    const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ['--no-sandbox'] });
    const open = async (): Promise<number> => {
      const tab = await browser.newPage();
      const started = performance.now();
      await tab.goto(pathToFileURL(page).href);
      await tab.screenshot();
      const ms = performance.now() - started;
      await tab.close();
      return ms;
    };
    try {
      const [taken = []] = await inTurn(ROUNDS, [open]);
      return {
        what: `opening the HTML of ${MANY * CALLS} exchanges`,
        detail: `in Chromium, from disk, until it is drawn; ${((await stat(page)).size / 1e6).toFixed(0)} MB`,
        value: median(taken) / 1000,
        unit: 'seconds',
        limit: 2,
      };
    } finally {
      await browser.close();
    }
  });
}

function convert(journal: string, to: string): readonly string[] {
  return [CROUPIER, 'report', 'convert', journal, '--to', to];
}

/** Plays a run with this number of scenarios. @returns the path of its journal */
async function playedJournal(scenarios: number, folder: string): Promise<string> {
  const journal = path.join(folder, `${scenarios}.ndjson`);
  await withOperator(async (operator) => {
    await timeOf([...(await scenarioRun(manyScenarios(scenarios), operator, folder)), '--journal', journal], folder);
  });
  return journal;
}

/** Writes a scenario file with this number of cases. Each case has 20 exchanges: reads of the balance, bets, and wins that complete the rounds. */
function manyScenarios(count: number): string {
  const cases = Array.from({ length: count }, (_, at) => `  - { name: s${at} }`).join('\n');
  return `croupier: 1
title: Bets and reads, \${name}
rules: [bet.debit]
cases:
${cases}
steps:
  - bet: { amount: "\${unit}" }
    times: ${CALLS / 4}
  - balance:
    times: ${CALLS / 2 - 2}
`;
}
