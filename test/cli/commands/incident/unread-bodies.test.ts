import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended } from '../../croupier.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'unread-bodies-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

function sent(txID: string, { sessionID = 's-1', amount = '5.00' } = {}) {
  return { amount, roundID: 'r-1', sessionID, txID, type: 'regular' };
}

/** A line about a call with its reply. */
function answered(second: number, name: string, txID: string, amount: string): object {
  return {
    time: `2026-11-24T18:42:0${second}.000Z`,
    req: { method: 'POST', url: `/${name}`, body: sent(txID, { amount }) },
    res: { statusCode: 200, body: { balance: '95.00', txID: `op-${txID}` } },
  };
}

const FIRST = answered(1, 'bet', 't-1', '5.00');
const LAST = answered(8, 'win', 't-3', '0.00');

async function incident(lines: readonly object[], ...args: readonly string[]): Promise<Ended> {
  writeFileSync(path.join(cwd, 'a.log'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return croupier(['incident', '--service', 'a.log', ...args], { cwd });
}

const UNREAD = '1 line that may be a call could not be read (a.log:2: it has the body of a call';

describe('croupier incident reads a JSON line with the body of a call in fields that it does not know', () => {
  it.each([
    ['an object', { level: 'error', msg: 'call failed', outgoing: { target: 'h/bet', json: sent('t-2') } }],
    [
      'a text',
      { level: 'error', msg: 'call failed', outgoing: { target: 'h/bet', json: JSON.stringify(sent('t-2')) } },
    ],
    ['an object in a list', { level: 'error', msg: 'call failed', tries: [{ json: sent('t-2') }] }],
  ])(
    'and says that it could not read this line, if no other line shows this call and the body is %s',
    async (_what, line) => {
      const { out, status } = await incident([FIRST, line, LAST]);
      expect(out).toContain(UNREAD);
      expect(out).not.toContain('nothing is owed');
      expect(status).toBe(3);
    },
  );

  it('and says this also if the user selects the session of the body', async () => {
    const { out, status } = await incident([FIRST, { tries: [{ json: sent('t-2') }] }, LAST], '--session', 's-1');
    expect(out).toContain(UNREAD);
    expect(status).toBe(3);
  });

  it.each([
    ['the call is also on a line that it can read', { tries: [{ json: sent('t-3') }] }, []],
    ['the object is a reply', { tries: [{ json: { ...sent('t-2'), balance: '95.00' } }] }, []],
    ['the txID is masked', { tries: [{ json: sent('***') }] }, []],
    [
      'the user selects another session',
      { tries: [{ json: sent('t-2', { sessionID: 's-2' }) }] },
      ['--session', 's-1'],
    ],
  ])('and says that nothing is owed if %s', async (_what, line, args) => {
    const { out, status } = await incident([FIRST, line, LAST], ...args);
    expect(out).toContain('so nothing is owed');
    expect(status).toBe(0);
  });

  it('and does not say that the file has no calls', async () => {
    const { err, status } = await incident([{ tries: [{ json: sent('t-2') }] }]);
    expect(err).toContain('could not read 1 line that may be a call');
    expect(status).toBe(3);
  });

  it.each([
    ['names the line if no other line shows the call', 't-2', 3],
    ['does not name the line if another line shows the call', 't-3', 0],
  ])('and, in a log of more than 50,000 calls, %s', async (_what, txID, expected) => {
    const asked = {
      time: '2026-11-24T18:42:02.000Z',
      req: { method: 'GET', url: '/balance?sessionID=s-1' },
      res: { statusCode: 200, body: { balance: '95.00' } },
    };
    const line = { tries: [{ json: sent(txID) }] };
    const { out, status } = await incident([FIRST, line, ...Array.from({ length: 50_001 }, () => asked), LAST]);
    expect(out.includes('it has the body of a call')).toBe(expected === 3);
    expect(status).toBe(expected);
  });
});
