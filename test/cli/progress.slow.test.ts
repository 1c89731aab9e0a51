import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunProgress } from '../../src/cli/progress.ts';
import { columnsOf } from '../../src/report/terminal/layout.ts';
import * as events from '../journal/events.ts';
import { croupier, ended, PTY } from './croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COLUMNS = 40;
/** The escape sequences that ora writes around each drawing of its line. */
const DRAWING = /\u001B\[\?2026h(.*?)\u001B\[\?2026l/gsu;
const FRAME = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u;

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  writeFileSync(
    path.join(cwd, `${'残高'.repeat(15)}.yaml`),
    'title: Slow\nrules: [bet.debit]\nsteps: [{ bet: }, { wait: 400ms }, { balance: }]\n',
  );
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** The output of a command on a terminal, both streams together. */
async function onTerminal(args: readonly string[], columns = COLUMNS): Promise<string> {
  const { PATH, HOME } = process.env;
  const command = [process.execPath, path.join(ROOT, 'bin/croupier.js'), ...args].join(' ');
  const child = spawn(PTY, ['-qec', `stty cols ${columns}; exec ${command}`, '/dev/null'], {
    cwd,
    env: { PATH, HOME, TERM: 'xterm' },
  });
  return (await ended(child)).out;
}

function drawnLines(written: string): readonly string[] {
  return [...written.matchAll(DRAWING)].map(([, drawn = '']) => stripVTControlCharacters(drawn));
}

describe('the text of the progress', () => {
  const SCENARIOS = ['a', 'b', 'c', 'd'].map((id) => events.planned(id, []));

  function textAfter(attempts: readonly (readonly [scenario: string, verdict: 'pass' | 'fail'])[], msEach: number) {
    const progress = new RunProgress();
    progress.on(events.runStarted(SCENARIOS));
    attempts.forEach(([scenario, verdict], index) => {
      progress.on({ ...events.started(scenario, index + 1), at: index * msEach });
      progress.on(events.ended(scenario, { verdict }));
    });
    return progress.text();
  }

  it('counts a scenario once, however many attempts it has', () => {
    expect(
      textAfter(
        [
          ['a', 'fail'],
          ['a', 'fail'],
          ['b', 'pass'],
        ],
        10,
      ),
    ).toBe('2/4 scenarios · 0 calls · 1 failing · b');
    expect(
      textAfter(
        [
          ['a', 'fail'],
          ['a', 'pass'],
        ],
        10,
      ),
    ).toBe('1/4 scenarios · 0 calls · a');
  });

  /** The estimates that a run shows while its scenarios last as long as given, in milliseconds. */
  function estimates(durations: readonly number[]): readonly (string | undefined)[] {
    const ids = durations.map((_, index) => `s${index}`);
    const progress = new RunProgress();
    progress.on(events.runStarted(ids.map((id) => events.planned(id, []))));
    let at = 0;
    return ids.map((id, index) => {
      progress.on({ ...events.started(id), at });
      const [shown] = /about .* left/.exec(progress.text()) ?? [];
      progress.on(events.ended(id, { verdict: 'pass' }));
      at += durations[index] ?? 0;
      return shown;
    });
  }

  it('names the time that is left only after a third of the scenarios, and only if the run takes more than 20 s', () => {
    expect(estimates([6000, 6000, 6000])).toEqual([undefined, undefined, undefined]);
    expect(estimates(Array.from({ length: 6 }, () => 8000))).toEqual([
      undefined,
      undefined,
      'about 35 s left',
      'about 25 s left',
      'about 20 s left',
      'about 10 s left',
    ]);
    expect(estimates([90_000, 90_000, 90_000]).at(1)).toBe('about 3 min left');
  });

  it('never names a longer time than before', () => {
    expect(estimates([10_000, 10_000, 30_000, 10_000, 1000, 1000])).toEqual([
      undefined,
      undefined,
      'about 40 s left',
      'about 40 s left',
      'about 30 s left',
      'about 15 s left',
    ]);
  });
});

describe('the progress of a run', () => {
  const RUN = ['run', '--reference', './', '--linger', '20ms'];

  it('is redrawn in one line of the terminal, and removed before the report', async () => {
    const written = await onTerminal(RUN);
    const lines = drawnLines(written);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((line) => !FRAME.test(line) || columnsOf(line) >= COLUMNS)).toEqual([]);
    expect(lines.at(-1)).toMatch(/^. {2}[01]\/1 scenarios · \d calls? · 残.*…$/u);
    expect(written.slice(written.lastIndexOf('\u001B[?2026l'))).toMatch(
      /^\u001B\[\?2026l\u001B\[1G\u001B\[0K\S*CONFORMING/u,
    );
  });

  it('is drawn below the output of --verbose', async () => {
    const written = await onTerminal([...RUN, '--verbose']);
    const text = stripVTControlCharacters(written.replace(DRAWING, ''));
    expect(text).toMatch(/^x2 .* bet of 1\.00 USD +200 /m);
    expect(text).not.toMatch(FRAME);
  });

  it('is not drawn on a terminal without a known width', async () => {
    const written = await onTerminal(RUN, 0);
    expect(drawnLines(written)).toEqual([]);
    expect(written).toContain('Exit status 0');
  });

  it('is not drawn without a terminal', async () => {
    const { err, status } = await croupier(RUN, { cwd });
    expect(err).not.toMatch(/\u001B|scenarios ·/u);
    expect(status).toBe(0);
  });
});

it('the progress of a search is drawn in one line of the terminal', async () => {
  const lines = drawnLines(await onTerminal(['explore', '--reference', '--runs', '10', '--linger', '20ms']));
  expect(lines.filter((line) => !FRAME.test(line) || columnsOf(line) >= COLUMNS)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^. {2}\d+\/10 histories/u);
});
