import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { GameView } from '../../../src/service/game-page/view.ts';
import { createService } from '../../../src/service/service.ts';
import { EU } from '../core-api/core-server.ts';
import { type PageService, startPages } from '../page-service.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'croupier-pages-'));
beforeAll(() => {
  for (const file of ['game.html', 'game.js', 'game.css', 'icon.svg', 'console.html', 'console.js', 'console.css']) {
    writeFileSync(path.join(dir, file), file);
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

function post(service: PageService, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${service.url}/play/rounds`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  });
}

describe('the routes of the game page', () => {
  it('allow other sites to show the page in a frame, but allow no foreign or inline code in it', async () => {
    const service = await startPages(dir);
    for (const [address, type] of [
      ['/game?gsID=x', 'text/html'],
      ['/game/game.js', 'text/javascript'],
      ['/game/game.css', 'text/css'],
      ['/game/icon.svg', 'image/svg+xml'],
    ]) {
      const response = await fetch(`${service.url}${address}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain(type);
      expect(response.headers.get('x-frame-options')).toBeNull();
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/);
      expect(policy).not.toMatch(/unsafe|frame-ancestors/);
    }
  });

  it('play a round and answer with the view of the player', async () => {
    const service = await startPages(dir);
    const { gsID } = service.launched();
    service.draws('2');
    const response = await post(service, JSON.stringify({ gsID, stake: '1.00' }));
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const { roundID, view } = (await response.json()) as { roundID: string; view: GameView };
    expect(view).toMatchObject({ balance: '1001.00', rounds: [{ roundID, prize: '2.00', state: 'settled' }] });
    const state = (await (await fetch(`${service.url}/play/state?gsID=${gsID}`)).json()) as GameView;
    expect(state.rounds).toEqual(view.rounds);
    expect(state.version).toBeGreaterThan(view.version);
  });

  it('refuse rounds that can’t be played', async () => {
    const service = await startPages(dir);
    const { gsID } = service.launched();
    const old = service.launched({ expiresAt: 0 });
    const good = JSON.stringify({ gsID, stake: '1.00' });
    const status = async (...args: Parameters<typeof post>) => (await post(...args)).status;
    expect(await status(service, JSON.stringify({ gsID, stake: '1.01' }))).toBe(400);
    expect(await status(service, JSON.stringify({ gsID, stake: 1 }))).toBe(400);
    expect(await status(service, '{')).toBe(400);
    expect(await status(service, good, { 'Content-Type': 'text/plain' })).toBe(415);
    expect(await status(service, JSON.stringify({ gsID: 'nobody', stake: '1.00' }))).toBe(404);
    expect(await status(service, JSON.stringify({ gsID: old.gsID, stake: '1.00' }))).toBe(403);
    expect(await status(service, good, { 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect((await fetch(`${service.url}/play/state?gsID=nobody`)).status).toBe(404);
    expect((await fetch(`${service.url}/play/events?gsID=nobody`)).status).toBe(404);
    expect(service.front.arrived).toEqual([]);
  });

  it('play one round of a session at a time', async () => {
    const service = await startPages(dir);
    const { gsID } = service.launched();
    const answers = await Promise.all([1, 2, 3].map(() => post(service, JSON.stringify({ gsID, stake: '1.00' }))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  it('read the balance again only when a page is open', async () => {
    const service = await startPages(dir);
    const { gsID } = service.launched();
    service.front.mishap = ({ call }) =>
      call === 'bet' ? { kind: 'status', status: 500, processed: true } : undefined;
    await post(service, JSON.stringify({ gsID, stake: '1.00' }));
    await vi.waitFor(() => expect(service.parts.adapter.owed()).toEqual([]));
    expect(service.front.arrived.map(({ call }) => call)).toEqual(['bet', 'refund']);
    const state = (await (await fetch(`${service.url}/play/state?gsID=${gsID}`)).json()) as GameView;
    expect(state).toMatchObject({
      balance: '1000.00',
      rounds: [{ state: 'returned', prize: null, message: 'Not now.' }],
    });
    expect(service.front.arrived.map(({ call }) => call)).toEqual(['bet', 'refund', 'balance']);
  });

  it('show the rounds from before the page was opened, including those with an owed call', async () => {
    const service = await startPages(dir);
    const session = service.launched();
    service.front.mishap = ({ call }) => (call === 'win' ? { kind: 'cut' } : undefined);
    await service.parts.play.round(session, '2.00', '1.5');
    const state = (await (await fetch(`${service.url}/play/state?gsID=${session.gsID}`)).json()) as GameView;
    expect(state.rounds).toMatchObject([
      { stake: '2.00', state: 'paying', prize: '3.00', isWin: true, multiplier: null },
    ]);
  });

  it('say why the balance is not known', async () => {
    const service = await startPages(dir);
    const { gsID } = service.launched();
    service.front.mishap = () => ({ kind: 'status', status: 503 });
    const state = (await (await fetch(`${service.url}/play/state?gsID=${gsID}`)).json()) as GameView;
    expect(state).toMatchObject({ balance: null, trouble: 'Not now.' });
  });

  it('end the events of pages when the service is stopped', async () => {
    const service = await startPages(dir);
    const { gsID } = service.launched();
    const response = await fetch(`${service.url}/play/events?gsID=${gsID}`);
    const closed = service.close(60_000);
    expect(await response.text()).toContain(gsID);
    await closed;
  });

  it('can’t be created if the pages are not built', () => {
    const make = () => createService({ clients: [EU], pages: { readPage: () => readFileSync('/nowhere') } });
    expect(make).toThrow(/the page file \S+ is missing; build croupier first/);
  });
});
