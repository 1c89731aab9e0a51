import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BoardView } from '../../../../src/fleet/board/view.ts';
import { historyFile, openHistory } from '../../../../src/history/history.ts';
import { addRun, finishedRun } from '../../../../src/history/record.ts';
import { createFleetStore } from '../../../fleet/fleet-store.ts';
import { foldOf } from '../../../report/journals.ts';
import { croupier, ended, line, start } from '../../croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const KEEP = { runs: 1000, days: 10_000, journals: 100, now: Date.now() };

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-board-'));
  await createFleetStore(cwd, { operators: 2, nights: 3, lastNight: new Date() });
  const history = await openHistory(historyFile(cwd));
  const added = finishedRun(await foldOf('hostile'), 'gone.ndjson', (text) => text);
  const started_at = new Date(Date.now() + 86_400_000).toISOString();
  const content = [readFileSync(path.join(ROOT, 'fixtures/journals/hostile.ndjson'))];
  await addRun(
    history,
    { ...added, run: { ...added.run, started_at, operator: 'https://acme-eu.wallet.example/api' } },
    { kind: 'journal', content },
    KEEP,
  );
  await history.destroy();
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('croupier fleet board', () => {
  it('serves the page, its data and the reports to the owner of the token only, and ends on SIGTERM', async () => {
    const child = start(['fleet', 'board'], { cwd });
    const [, address = '', token = ''] =
      /^board (http:\/\/127\.0\.0\.1:\d+\/board\/)\?token=(\w{32})$/.exec(await line(child, 'board ')) ?? [];
    const page = await fetch(`${address}?token=${token}`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>croupier fleet</title>')]);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    const authorization = `Bearer ${token}`;
    const overview = await fetch(`${address}api/overview`, { headers: { authorization } });
    const view = (await overview.json()) as BoardView;
    expect(view.operators.map(({ name }) => name)).toEqual(['acme-eu', 'borealis-eu']);
    const again = await fetch(`${address}api/operator?name=acme-eu`, { headers: { authorization } });
    expect(await again.json()).toMatchObject({ latest: { hasReport: true } });

    const run = view.operators[0]?.run?.number ?? 0;
    const report = await fetch(`${address}run?number=${run}&token=${token}`);
    const html = await report.text();
    expect([report.status, html]).toEqual([200, expect.stringMatching(/^<!doctype html>/)]);
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
    expect(report.headers.get('content-security-policy')).toBe(
      `${policy.replaceAll('&apos;', "'")}; frame-ancestors 'none'`,
    );
    const gone = await fetch(`${address}run?number=1&token=${token}`);
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining('no longer stored')]);

    const wrong = { headers: { authorization: 'Bearer 0' } };
    const other = { headers: { authorization, origin: 'http://other.example' } };
    const refused = await Promise.all([
      fetch(address),
      fetch(`${address}?token=0`),
      fetch(`${address}run?number=${run}`),
      fetch(`${address}api/overview`),
      fetch(`${address}api/operator?name=acme-eu`, wrong),
      fetch(`${address}api/overview`, other),
      fetch(`${address}api/overview`, { method: 'POST', headers: { authorization } }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 403, 405]);
    child.kill('SIGTERM');
    expect((await ended(child)).status).toBe(0);
  }, 30_000);

  it('ends with 2 for a port that is in use, and for a public URL that is no URL', async () => {
    const first = start(['fleet', 'board'], { cwd });
    const [, port = ''] = /:(\d+)\//.exec(await line(first, 'board ')) ?? [];
    const second = await croupier(['fleet', 'board', '--port', port], { cwd });
    expect([second.status, second.err]).toEqual([2, expect.stringContaining('another program uses this port')]);
    first.kill('SIGTERM');
    await ended(first);
    const wrong = await croupier(['fleet', 'board', '--public-url', 'board'], { cwd });
    expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining('--public-url')]);
  }, 30_000);
});
