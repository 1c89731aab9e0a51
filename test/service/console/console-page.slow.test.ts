import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/listen/server.ts';
import { KEY } from '../adapter/operator-front.ts';
import { barriers, type OpenOptions, overhang, stage } from '../browser.ts';
import { EVIL, type PageService, startPages, TOKEN } from '../page-service.ts';

/** A longer wait than the default, because a page is drawn shortly after its data have arrived. */
const SOON = { timeout: 15_000 };

const { open, pagesDir } = stage();

async function openConsole(service: PageService, options: OpenOptions = {}): Promise<Page> {
  const page = await open(service.consoleUrl, options);
  await says(page, 'live', 'Live');
  return page;
}

async function says(page: Page, id: string, wanted: string | RegExp): Promise<void> {
  await expect.poll(() => page.locator(`#${id}`).textContent(), { timeout: 15_000 }).toMatch(wanted);
}

/** Returns the lines of the list of exchanges, the latest first. */
function lines(page: Page): Promise<string[]> {
  return page.locator('#exchange-list li').evaluateAll((items) =>
    items.map((item) =>
      ['name', 'notes', 'badge']
        .map((cell) => item.querySelector(`.${cell}`)?.textContent.replace(/^p0(?: · )?/, ''))
        .filter(Boolean)
        .join(' '),
    ),
  );
}

async function list(page: Page, wanted: readonly string[]): Promise<void> {
  await expect.poll(() => lines(page), { timeout: 15_000 }).toEqual(wanted);
}

/** Fills in the form for a fault, and submits it. */
async function disturb(page: Page, call: string, kind: string): Promise<void> {
  await page.selectOption('#fault-call', call);
  await page.selectOption('#fault-kind', kind);
  await page.click('#fault-form button');
  await says(page, 'fault-list', `The next ${call}`);
}

async function playFrom(page: Page, multiplier: string, said: string | RegExp): Promise<void> {
  await page.fill('#play-multiplier', multiplier);
  await page.click('#play-form button');
  await says(page, 'play-said', said);
}

describe('the console page', { timeout: 60_000 }, () => {
  it('shows every exchange as it happens, with all its details', async () => {
    const service = await startPages(pagesDir());
    const session = service.launched();
    const page = await openConsole(service);
    await service.parts.play.round(session, '1.00', '3');
    await fetch(`${service.baseUrl}/games?cID=c&extCID=acme`);
    await list(page, ['GET /games 401', 'win 3.00 200', 'bet 1.00 200']);
    await says(page, 'rounds-list', /p0catch1\.00 USD3\.00 USDsettled/);
    await says(page, 'sessions-list', /p0catch, USDacmes-p0/);
    await expect.poll(() => page.locator('#exchange-list .notes').allTextContents(), SOON).toEqual(['', 'p0', 'p0']);
    await page.locator('#exchange-list button').nth(2).click();
    await says(page, 'detail-title', 'bet 200');
    const detail = (await page.locator('#detail').textContent()) ?? '';
    const bet = service.front.arrived.find(({ call }) => call === 'bet');
    expect(detail).toContain(bet?.body);
    expect(detail).toMatch(/Signature as sent[0-9a-f]{64}Reply/);
    expect(detail).toContain('"balance":"999.00"');
    expect(detail).toMatch(/Timings.*first byte[\d.]+ ms.*total[\d.]+ ms/);
    expect(detail).toMatch(/curl -sSi -X POST .*\/bet .*X-REQUEST-SIGN: [0-9a-f]{64}/);
    expect(detail).toContain('title: a bet of a test');
    expect(detail).not.toContain(KEY);
    await page.locator('#exchange-list button').first().click();
    await says(page, 'detail-title', 'GET /games 401');
    await expect.poll(() => page.locator('#again').isVisible(), SOON).toBe(false);
  });

  it('plays rounds with a chosen outcome', async () => {
    const service = await startPages(pagesDir());
    service.launched();
    const page = await openConsole(service, { mayReport: /400/ });
    await page.selectOption('#play-stake', '0.50');
    await playFrom(page, '7.5', 'The round won 3.75 USD.');
    expect(service.front.balance()).toBe('1003.25');
    await playFrom(page, 'much', /^The request is invalid: multiplier/);
    await playFrom(page, '', 'The round won nothing.');
    await list(page, ['win 0 200', 'bet 0.50 200', 'win 3.75 200', 'bet 0.50 200']);
  });

  it('selects the session that played last, until the user uses the form', async () => {
    const service = await startPages(pagesDir());
    const first = service.launched();
    const second = service.launched({ player: 'p1', sessionID: 'acmes-p1' });
    const page = await openConsole(service);
    await says(page, 'play-session', /p1.*p0/);
    await service.parts.play.round(first, '1.00', '0');
    await expect.poll(() => page.inputValue('#play-session'), SOON).toBe(first.gsID);
    expect(await page.inputValue('#play-stake')).toBe('1.00');
    await page.fill('#play-multiplier', '2');
    await service.parts.play.round(second, '1.00', '0');
    await says(page, 'rounds-list', /p1.*p0/);
    expect(await page.inputValue('#play-session')).toBe(first.gsID);
  });

  it('disturbs calls, shows what is owed, and retries it at once when asked to', async () => {
    const service = await startPages(pagesDir());
    service.launched();
    const page = await openConsole(service);
    await disturb(page, 'bet', 'sign-wrongly');
    await says(page, 'fault-list', 'The next bet is signed wrongly.');
    await playFrom(page, '2', /^The bet was declined: /);
    await list(page, ['bet 1.00 signed wrongly on purpose 401']);
    await expect.poll(() => page.locator('#fault-list li').count(), SOON).toBe(0);

    await disturb(page, 'win', 'drop');
    await playFrom(page, '2', 'The round won 2.00 USD. The win is sent until the operator answers 200.');
    await says(page, 'owed-count', '1');
    await says(page, 'owed-list', /win of 2\.00 USD to p0next attempt at .*, in \d+ sone attempt has failed/);
    await says(page, 'rounds-list', /win owed/);
    await page.click('#tab-owed');
    await page.getByRole('button', { name: 'Retry now' }).click();
    await says(page, 'owed-count', '0');
    await expect.poll(() => page.locator('#owed-none').isVisible(), SOON).toBe(true);
    expect(service.front.balance()).toBe('1001.00');

    await disturb(page, 'bet', 'refund-first');
    await playFrom(page, '', 'The bet was not confirmed, and was refunded.');
    await disturb(page, 'bet', 'repeat');
    await playFrom(page, '0', 'The round won nothing.');
    await expect
      .poll(async () => (await lines(page)).slice(0, 5))
      .toEqual([
        'win 0 200',
        'bet 1.00 sent a second time on purpose 200',
        'bet 1.00 will be sent twice on purpose 200',
        expect.stringMatching(/^bet 1\.00 .*[45]\d\d$/),
        'refund 1.00 200',
      ]);
    expect(service.front.balance()).toBe('1000.00');
  });

  it('delays calls, removes a fault, and refuses a fault that the call can’t have', async () => {
    const service = await startPages(pagesDir());
    service.launched();
    const page = await openConsole(service, { mayReport: /400/ });
    await page.selectOption('#fault-kind', 'delay');
    await page.fill('#fault-ms', '30');
    await disturb(page, 'bet', 'delay');
    await says(page, 'fault-list', 'The next bet leaves 30 ms late.');
    await playFrom(page, '0', 'won nothing');
    await list(page, ['win 0 200', 'bet 1.00 delayed by 30 ms on purpose 200']);
    await disturb(page, 'refund', 'drop');
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await expect.poll(() => page.locator('#fault-list li').count()).toBe(0);
    expect(service.parts.faults.pending).toEqual([]);
    await page.selectOption('#fault-call', 'win');
    await page.selectOption('#fault-kind', 'refund-first');
    await page.click('#fault-form button');
    await says(page, 'fault-said', 'The fault was not added: only a bet can be refunded before it is sent.');
  });

  it('sends a call again', async () => {
    const service = await startPages(pagesDir());
    const page = await openConsole(service);
    await service.parts.play.round(service.launched(), '1.00', '0');
    await list(page, ['win 0 200', 'bet 1.00 200']);
    await page.locator('#exchange-list button').nth(1).click();
    await page.click('#again');
    await says(page, 'detail-said', 'The call is being sent again.');
    await list(page, ['bet 1.00 sent again by hand 200', 'win 0 200', 'bet 1.00 200']);
    const [first, , again] = service.front.arrived;
    expect(again).toEqual(first);
    expect(service.front.balance()).toBe('999.00');
  });

  it('shows texts of operators and users without using them as markup', async () => {
    const service = await startPages(pagesDir());
    const session = service.launched({ extCID: 'rude', player: EVIL, sessionID: EVIL, gameID: EVIL });
    const page = await openConsole(service);
    await playFrom(page, '', `The bet was declined: ${EVIL}`);
    await service.parts.adapter.bet(service.parts.adapter.openRound(session), '1.00');
    await fetch(`${service.url}/${encodeURIComponent(EVIL)}?${EVIL}`);
    await expect.poll(async () => (await lines(page)).length).toBe(3);
    await page.locator('#exchange-list button').nth(1).click();
    await says(page, 'detail-title', 'bet 400');
    for (const id of ['detail', 'exchange-list', 'rounds-list', 'sessions-list', 'play-form']) {
      await expect
        .poll(() => page.locator(`#${id}`).textContent(), SOON)
        .toContain(id === 'detail' ? 'window.pwned' : EVIL);
    }
    await expect.poll(() => page.locator('img, main script').count(), SOON).toBe(0);
    await expect.poll(() => page.evaluate('window.pwned'), SOON).toBeUndefined();
  });

  it('finds, filters and pauses among a thousand exchanges', async () => {
    const service = await startPages(pagesDir());
    const page = await openConsole(service);
    for (let at = 0; at < 1100; at += 1) shown(service, at);
    await says(page, 'exchanges-note', 'The latest 200 of 1000 matches among 1000 exchanges.');
    await expect.poll(() => page.locator('#exchange-list li').count(), SOON).toBe(200);
    await page.fill('#search', 'tx-776');
    await list(page, ['bet 776 402']);
    await page.fill('#search', 'tx-');
    await page.selectOption('#result', 'ok');
    await expect
      .poll(async () => new Set((await lines(page)).map((line) => line.slice(-3))), SOON)
      .toEqual(new Set(['200']));
    await says(page, 'exchanges-note', 'matches among 1000 exchanges.');
    await page.selectOption('#result', '');
    await page.fill('#search', '');
    await page.click('#pause');
    const before = await lines(page);
    for (let at = 1100; at < 1103; at += 1) shown(service, at);
    await says(page, 'pause', 'Resume (3 new)');
    await expect.poll(() => lines(page), SOON).toEqual(before);
    await page.click('#pause');
    await expect.poll(async () => (await lines(page))[0]).toBe('bet 1102 402');
    await page.selectOption('#direction', 'core');
    await says(page, 'exchanges-note', 'None of the 1000 exchanges matches.');
  });

  it('can be used by keyboard alone', async () => {
    const service = await startPages(pagesDir());
    const page = await openConsole(service);
    await service.parts.play.round(service.launched(), '1.00', '0');
    await list(page, ['win 0 200', 'bet 1.00 200']);
    await page.focus('#result');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await says(page, 'detail-title', 'bet 200');
    await expect.poll(() => page.locator(':focus').getAttribute('id'), SOON).toBe('detail-title');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says(page, 'detail-said', 'The call is being sent again.');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('#detail').getAttribute('data-open'), SOON).toBe('false');
    await expect.poll(() => page.locator(':focus .name').textContent(), SOON).toBe('bet 1.00');
  });

  it('names the rule that a call breaks, and shows the balance beside the expected one', async () => {
    const service = await startPages(pagesDir(), { isOwnOperator: true });
    service.launched();
    const page = await openConsole(service);
    await page.click('#tab-operator');
    await page.fill('#defect-search', 'replayed-bet-charged');
    await page.getByRole('checkbox', { name: /^replayed-bet-charged/ }).check();
    await says(page, 'defect-said', 'The defect replayed-bet-charged is on.');
    await says(page, 'defect-count', '1');
    await page.click('#tab-exchanges');
    await playFrom(page, '2', 'The round won 2.00 USD.');
    await disturb(page, 'bet', 'repeat');
    await playFrom(page, '0', 'The round won nothing.');
    await says(page, 'exchanges-note', '5 exchanges. 1 of them breaks a rule.');
    await page.selectOption('#result', 'fail');
    await list(page, ['bet 1.00 sent a second time on purpose 200']);
    const row = page.locator('#exchange-list li');
    expect(await row.locator('.finding').textContent()).toBe('✗ breaks idempotency.bet');
    expect(await row.locator('.balance').textContent()).toBe('balance 999.00');
    expect(await row.locator('.expected').textContent()).toBe('expected 1000.00');
    await row.locator('button').click();
    await says(page, 'detail-title', 'bet 200');
    const detail = (await page.locator('#detail').textContent()) ?? '';
    expect(detail).toMatch(/breaks idempotency\.bet.*The rule: a bet that is sent again.*To fix: Store the reply/);
    expect(detail.match(/breaks idempotency\.bet/g)).toHaveLength(1);
    expect(detail).toContain('Balance999.00Expected1000.00Resultwrong');
    expect(await row.locator('.notes').isVisible()).toBe(true);
    await page.click('#tab-rounds');
    expect(await page.locator('#rounds-list .state').allTextContents()).toEqual([
      'settled ✗ , breaks idempotency.bet',
      'settled',
    ]);
    await page.click('#tab-operator');
    await page.click('#defects-off');
    await says(page, 'defect-said', 'All defects are off.');
    await expect.poll(() => page.locator('#defect-list input:checked').count(), SOON).toBe(0);
  });

  it('acts for croupier’s own operator, and lists a fault in a reply until it has happened', async () => {
    const service = await startPages(pagesDir(), { isOwnOperator: true });
    service.launched();
    const page = await openConsole(service, { mayReport: /400/ });
    await playFrom(page, '0', 'The round won nothing.');
    await page.click('#tab-operator');
    const anna = page.locator('#balance-list tr').first();
    await anna.getByRole('textbox').fill('1.00');
    await anna.getByRole('button', { name: /^Add/ }).click();
    await says(page, 'balance-said', 'The balance of p0 is 1000.00 USD now.');
    await anna.getByRole('textbox').fill('5000');
    await anna.getByRole('button', { name: /^Take/ }).click();
    await says(page, 'balance-said', 'The balance was not changed: p0 has only 1000.00 USD.');
    await anna.getByRole('button', { name: /^Empty/ }).click();
    await expect.poll(() => anna.locator('td').nth(1).textContent(), SOON).toBe('0.00');
    await page.click('#tab-exchanges');
    await playFrom(page, '0', /^The bet was declined: Your balance is too low/);
    await disturb(page, 'bet', 'declined');
    await playFrom(page, '0', 'The bet was declined: This is not possible now.');
    expect(service.parts.log.recent().flatMap(({ replyFault }) => replyFault ?? [])).toEqual(['declined']);
    await expect.poll(() => page.locator('#fault-list li').count(), SOON).toBe(0);
    await disturb(page, 'bet', 'error-500');
    await page.getByRole('button', { name: /^Cancel: The next bet is answered 500/ }).click();
    await expect.poll(() => page.locator('#fault-none').isVisible(), SOON).toBe(true);
    await says(page, 'exchanges-note', /^\d exchanges\.$/);
  });

  it('changes nothing at an operator of the user, and says so', async () => {
    const service = await startPages(pagesDir());
    service.launched();
    const page = await openConsole(service, { mayReport: /409/ });
    await says(page, 'play-session', 'p0');
    expect(await page.locator('#fault-kind option[value="late"]').isDisabled()).toBe(true);
    await page.click('#tab-operator');
    expect(await page.locator('#operator-foreign').isVisible()).toBe(true);
    expect(await page.locator('#operator-balances').isVisible()).toBe(false);
    await page.click('#foreign-fault');
    await expect.poll(() => page.locator(':focus').getAttribute('id'), SOON).toBe('fault-call');
    const tried = await page.evaluate(async (token) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ name: 'replayed-bet-charged', on: true });
      return (await fetch('api/defects', { method: 'POST', headers, body }).catch(() => null))?.status;
    }, TOKEN);
    expect(tried).toBe(409);
  });

  it('launches a game with money and with a demo balance, and lists the demo rounds', async () => {
    const service = await startPages(pagesDir());
    const page = await openConsole(service, { mayReport: /409/ });
    await page.getByRole('button', { name: 'Launch a game' }).click();
    await expect.poll(() => page.locator(':focus').getAttribute('id'), SOON).toBe('launch-session');
    await page.fill('#launch-session', 't-p1');
    await expect.poll(() => page.inputValue('#launch-player'), SOON).toBe('p1');
    await page.selectOption('#launch-locale', 'pl');
    await page.click('#launch-form button');
    await says(page, 'launch-said', 'The game is launched. Open the game');
    expect(service.parts.sessions.all()).toMatchObject([
      { sessionID: 't-p1', player: 'p1', currency: 'USD', gameID: 'swipe', locale: 'pl', demo: false },
    ]);
    expect(await page.locator('#launch-said a').getAttribute('href')).toMatch(`${service.url}/game?gsID=`);
    await page.selectOption('#launch-mode', 'demo');
    await page.click('#launch-form button');
    await says(page, 'sessions-list', /demo, until/);
    await page.getByRole('button', { name: 'Send a round of p1' }).first().click();
    await playFrom(page, '3', 'The round won 3.00 USD.');
    await says(page, 'rounds-list', /p1swipe1\.00 USD3\.00 USDdemo, settlednone/);
    expect(service.front.arrived).toEqual([]);
    await page.fill('#launch-currency', 'usd');
    await page.click('#launch-form button');
    await says(page, 'launch-said', /^The Core API answered 400: This currency is not supported/);
  });

  it('fits phones, and has no accessibility problems', async () => {
    const service = await startPages(pagesDir());
    const page = await openConsole(service);
    service.front.mishap = ({ call }) => (call === 'win' ? { kind: 'status', status: 503 } : undefined);
    await service.parts.play.round(service.launched(), '1.00', '2');
    service.launched({ player: 'a-player-with-a-name-without-end'.repeat(5), expiresAt: 0 });
    await disturb(page, 'bet', 'drop');
    await says(page, 'owed-list', 'one attempt has failed');
    await page.locator('#exchange-list button').first().click();
    await says(page, 'detail-title', 'win 503');
    for (const width of [320, 390, 1024, 1600])
      expect({ width, over: await overhang(page, width) }).toEqual({ width, over: 0 });
    await expect.poll(() => barriers(page), SOON).toEqual([]);
  });

  it('reconnects by itself when the service was down, and says when its token is not valid any more', async () => {
    const service = await startPages(pagesDir());
    const page = await open(service.consoleUrl, { mayReport: /Failed to load|ERR_/ });
    await says(page, 'live', 'Live');
    await page.context().setOffline(true);
    await service.parts.play.balance(service.launched());
    await page.context().setOffline(false);
    await list(page, ['balance 200']);
    await page.route('**/api/events', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer old' } }),
    );
    await page.reload();
    await says(page, 'live', /^The service refused the connection. The token is missing or wrong/);
  });

  it('can be neither read nor used by a page of another site', async () => {
    const service = await startPages(pagesDir());
    service.launched();
    const evil = await listen(() => ({ status: 200, headers: [['Content-Type', 'text/html']], body: '<p>evil' }), {
      onFault: () => {},
    });
    onTestFinished(() => evil.close(0));
    // A browser treats another port as the same site, but as another origin.
    const page = await open(evil.url, { foreign: true, mayReport: /./ });
    const tried = await page.evaluate(
      async ([api, token]) => {
        const tries: [string, RequestInit][] = [
          [`${api}events`, { headers: { Authorization: `Bearer ${token}` } }],
          [`${api}exchange?id=1`, {}],
          [`${api}faults`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }],
          [`${api}faults`, { method: 'POST', body: '{"call":"bet","kind":"drop","gsID":null}' }],
        ];
        return Promise.all(
          tries.map(async ([address, init]) => {
            try {
              return await (await fetch(address, init)).text();
            } catch {
              return 'refused';
            }
          }),
        );
      },
      [`${service.url}/console/api/`, TOKEN] as const,
    );
    expect(tried).toEqual(['refused', 'refused', 'refused', 'refused']);
    await page.setContent(`<iframe src="${service.consoleUrl}"></iframe>`);
    await expect.poll(() => page.frames().length).toBe(2);
    await expect.poll(() => page.frames()[1]?.url()).not.toContain('console');
    expect(service.parts.faults.pending).toEqual([]);
  });
});

/** Adds an exchange to the log without sending it. */
function shown({ parts }: PageService, at: number): void {
  const body = (data: string) => ({ encoding: 'utf8', data, length: data.length, truncated: false }) as const;
  const fields = JSON.stringify({ txID: `tx-${at}`, amount: String(at) });
  const exchange = parts.log.begin(
    { direction: 'reverse', name: 'bet', extCID: 'acme', gsID: null, roundID: null, notes: [] },
    { method: 'POST', url: 'http://operator.example/bet', headers: [], body: body(fields) },
  );
  exchange.end({
    outcome: { kind: 'reply', reply: { status: at % 3 === 0 ? 200 : 402, headers: [], body: body('{}') } },
    stamps: { start: 0, resolved: null, connected: null, secured: null, sent: 1, firstByte: 2, end: 3 },
    connection: null,
  });
}
