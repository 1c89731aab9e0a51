import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'cut-bodies-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const BET = '{"amount":"5.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
const WIN = '{"amount":"8.00","roundID":"r-1","sessionID":"s-1","txID":"t-2","type":"regular"}';

interface Bodies {
  readonly balanceReply?: string;
  readonly bet?: string;
  readonly betReply?: string;
  readonly betStatus?: number;
  readonly win?: string;
  readonly winReply?: string;
}

/** Reads a log of a balance, a bet and a win. */
async function incident(bodies: Bodies, ...args: readonly string[]): Promise<Ended> {
  const {
    balanceReply = '{"balance":"100.00"}',
    bet = BET,
    betReply = '{"balance":"95.00","txID":"o-1"}',
    betStatus = 200,
  } = bodies;
  const { win = WIN, winReply = '{"balance":"103.00","txID":"o-2"}' } = bodies;
  const calls = [
    { method: 'GET', url: '/eu/balance?sessionID=s-1', status: 200, responseBody: balanceReply },
    { method: 'POST', url: '/eu/bet', requestBody: bet, status: betStatus, responseBody: betReply },
    { method: 'POST', url: '/eu/win', requestBody: win, status: 200, responseBody: winReply },
  ];
  const lines = calls.map((call, index) => JSON.stringify({ time: `2026-11-23T13:03:0${index}.000Z`, ...call }));
  writeFileSync(path.join(cwd, 'a.log'), `${lines.join('\n')}\n`);
  return croupier(['incident', 'a.log', ...args], { cwd });
}

describe('croupier incident reads bodies that the logger has cut', () => {
  it.each([
    '{"balance":"95.0',
    '{"balance":"95.00"',
    '{"balance":"95.00","txI…',
    '{"bal... (1234 more bytes)',
    '{<truncated>',
  ])('and accuses nobody because of the reply %s, which a later balance confirms', async (betReply) => {
    const { out, status } = await incident({ betReply });
    expect(out).toContain('should have 103.00, and the operator said 103.00');
    expect(out).not.toContain('breaks');
    expect(status).toBe(0);
  });

  it('and names the line of the first balance, because the later balances do not confirm it', async () => {
    const { out, status } = await incident({ balanceReply: '{"bal...', betReply: '{"bal...' });
    expect(out).toContain('the logger has cut the reply to call 1 (a.log:1), so its balance is not known');
    expect(out).not.toContain('nothing is owed');
    expect(status).toBe(3);
  });

  it('and accuses the operator if a body is broken, and not cut', async () => {
    const { out, status } = await incident({ betReply: '{"balance":"95.00",}' });
    expect(out).toContain('breaks reply.json');
    expect(status).toBe(1);
  });

  it('and names the line with the last balance, if the balance is not complete', async () => {
    const { out, status } = await incident({ winReply: '{"balance":"103.0...' });
    expect(out).toContain('the logger has cut the reply to call 3 (a.log:3), so its balance is not known');
    expect(out).not.toContain('nothing is owed');
    expect(status).toBe(3);
  });

  it('and does not read a number that ends at the cut', async () => {
    const { out, status } = await incident({ winReply: '{"balance":10' });
    expect(out).not.toContain('10.00');
    expect(status).toBe(3);
  });

  it('and uses the fields before the cut', async () => {
    const { out, status } = await incident({ win: WIN.slice(0, -12) });
    expect(out).toContain('win of 8.00');
    expect(out).toContain('txID t-2');
    expect(status).toBe(0);
  });

  it.each([
    ['"txID":"t-', 'the logger has cut the request of call 3 (a.log:3), so its txID is not known'],
    ['"amount":"8.00","rou', 'because the logger has cut its request (a.log:3)'],
  ])('and says which line would decide if a request ends at %s', async (end, why) => {
    const win = `${WIN.slice(0, WIN.indexOf(end) + end.length)}…[truncated]`;
    const { out, status } = await incident({ win });
    expect(out).toContain(why);
    expect(out).not.toContain('nothing is owed');
    expect(status).toBe(3);
  });

  it('and does not count a 200 with the beginning of an error as a success', async () => {
    const { out, status } = await incident({
      betReply: '{"message":"not enough money",…',
      winReply: '{"balance":"108.00","txID":"o-2"}',
    });
    expect(out).toContain('the logger has cut the reply to call 2 (a.log:2), so its result is not known');
    expect(out).not.toContain('breaks');
    expect(status).toBe(3);
  });

  it('and reports what the complete fields prove', async () => {
    const { out, status } = await incident({ betReply: '{"balance":95.00,"tx' });
    expect(out).toContain('breaks money.decimal-string');
    expect(out).not.toContain('breaks reply.json');
    expect(status).toBe(1);
  });

  it('and does not leave out a call whose session is cut', async () => {
    const { out, status } = await incident({ win: WIN.replace(/"roundID".*/, '"sessionID":"s-…') }, '--session', 's-1');
    expect(out).toContain('because the logger has cut its request (a.log:3)');
    expect(status).toBe(3);
  });

  it('in lines of text', async () => {
    const text = [
      '2026-11-23 13:03:05,100 INFO [exec-1] GET /eu/balance?sessionID=s-1 -> 200 {"balance":"100.00"}',
      `2026-11-23 13:03:07,100 INFO [exec-1] POST /eu/bet ${BET.slice(0, -10)}...(truncated) -> 200 {"balance":"95.00","tx...`,
      `2026-11-23 13:03:09,100 INFO [exec-1] POST /eu/win request: ${WIN.slice(0, -3)}`,
      '2026-11-23 13:03:09,200 INFO [exec-1] POST /eu/win response: 200 {"balance":"103.00","txID":"o-2"}',
    ];
    writeFileSync(path.join(cwd, 'text.log'), `${text.join('\n')}\n`);
    const { out, status } = await croupier(['incident', 'text.log'], { cwd });
    expect(out).toContain('bet of 5.00: 200, balance 95.00');
    expect(out).toContain('win of 8.00: 200, balance 103.00');
    expect(status).toBe(0);
  });

  it('and does not take a cut text about something else for a call', async () => {
    const lines = [
      {
        time: '2026-11-23T13:03:00Z',
        method: 'GET',
        url: '/eu/balance?sessionID=s-1',
        status: 200,
        responseBody: '{"balance":"100.00"}',
      },
      { time: '2026-11-23T13:03:01Z', message: 'loaded {"pool":3,"timeouts":[10,20...' },
    ];
    writeFileSync(path.join(cwd, 'other.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { out, status } = await croupier(['incident', 'other.ndjson'], { cwd });
    expect(out).toContain('1 entry of other kinds');
    expect(status).toBe(0);
  });

  it('in an entry of a log collector, which is then the beginning of a call', async () => {
    const message = JSON.stringify({ method: 'POST', url: '/eu/bet', status: 200, requestBody: BET });
    const entries = [message.slice(0, -40), message.slice(0, 12)].map((text, second) =>
      JSON.stringify({ timestamp: `2026-11-23T13:03:0${second}.000Z`, message: text }),
    );
    writeFileSync(path.join(cwd, 'collector.ndjson'), `${entries.join('\n')}\n`);
    const { out, status } = await croupier(['incident', 'collector.ndjson'], { cwd });
    expect(out).toContain('bet of 5.00');
    expect(out).toContain('collector.ndjson:2: the logger has cut its JSON');
    expect(status).toBe(3);
  });
});
