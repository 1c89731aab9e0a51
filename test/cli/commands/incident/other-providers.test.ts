import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_OTHER_CALLS } from '../../../../src/traffic/read/gather.ts';
import { croupier, type Ended } from '../../croupier.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'other-providers-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

interface Call {
  readonly name: string;
  readonly sent: Readonly<Record<string, string>>;
  readonly balance?: string;
  readonly status?: number;
}

function own(name: string, txID: string, amount: string, balance: string): Call {
  return { name, sent: { amount, roundID: 'r-1', sessionID: 's-1', txID, type: 'regular' }, balance };
}

function ofOther(name: string, amount: string, { status = 200, userId = '4711' } = {}): Call {
  return { name, sent: { userId, amount, gameRef: 'g-1' }, status };
}

const FIRST = own('bet', 't-1', '5.00', '95.00');
const NEXT = own('bet', 't-2', '5.00', '85.00');
const END = own('win', 't-3', '0.00', '85.00');

/** Reads a log of the calls, one call each second. */
async function incident(calls: readonly Call[], ...args: readonly string[]): Promise<Ended> {
  const lines = calls.map(({ name, sent, balance, status = 200 }, index) =>
    JSON.stringify({
      time: `2026-11-23T13:03:0${index}.000Z`,
      method: 'POST',
      url: `/eu/${name}`,
      requestBody: JSON.stringify(sent),
      status,
      responseBody: JSON.stringify(status === 200 ? { balance, txID: `o-${index}` } : { code: 'no', message: 'no' }),
    }),
  );
  writeFileSync(path.join(cwd, 'a.log'), `${lines.join('\n')}\n`);
  return croupier(['incident', 'a.log', ...args], { cwd });
}

const TWICE = 'the balance in the reply to call 2 is 5.00 too low: either the bet was taken twice at once, or';

describe('croupier incident reads a log with calls of other providers', () => {
  it('and accuses nobody if the amount of such a call is exactly the difference between two balances', async () => {
    const { out, status } = await incident([FIRST, ofOther('bet', '5.00'), NEXT, END]);
    expect(out).toContain(`${TWICE} the bet of another provider (a.log:2) changed the balance`);
    expect(out).not.toContain('should have');
    expect(status).toBe(3);
  });

  it('and accuses nobody if the amounts of several such calls together are the difference', async () => {
    const { out, status } = await incident([FIRST, ofOther('bet', '8.00'), ofOther('win', '3.00'), NEXT, END]);
    expect(out).toContain(`${TWICE} 2 calls of other providers (the first is a.log:2) changed the balance`);
    expect(status).toBe(3);
  });

  it('and accuses nobody if the amounts of all such calls of one player are the difference', async () => {
    const others = [ofOther('bet', '2.00'), ofOther('bet', '7.00', { userId: '4712' }), ofOther('bet', '3.00')];
    const { out, status } = await incident([FIRST, ...others, NEXT, END]);
    expect(out).toContain(`${TWICE} 2 calls of other providers (the first is a.log:2) changed the balance`);
    expect(status).toBe(3);
  });

  it('and finds these calls if the user selects a session', async () => {
    const { out, status } = await incident([FIRST, ofOther('bet', '5.00'), NEXT, END], '--session', 's-1');
    expect(out).toContain(TWICE);
    expect(status).toBe(3);
  });

  it.each([
    ['has another amount', [FIRST, ofOther('bet', '4.00'), NEXT, END]],
    ['changed the balance in the other direction', [FIRST, ofOther('win', '5.00'), NEXT, END]],
    ['was declined', [FIRST, ofOther('bet', '5.00', { status: 402 }), NEXT, END]],
    ['came before the first of the two balances', [ofOther('bet', '5.00'), FIRST, NEXT, END]],
    ['came after the second of the two balances', [FIRST, NEXT, ofOther('bet', '5.00'), END]],
  ])('and names the error of the operator if such a call %s', async (_what, calls) => {
    const { out, status } = await incident(calls);
    expect(out).toContain('was taken twice at once');
    expect(out).toContain('the operator owes the player 5.00');
    expect(out).not.toContain('another provider');
    expect(status).toBe(1);
  });

  it('and does not claim that a failed bet was taken if such a call has the same amount', async () => {
    const failed = { ...own('bet', 't-2', '5.00', ''), status: 500 };
    const refund: Call = {
      name: 'refund',
      sent: { amount: '5.00', roundID: 'r-2', sessionID: 's-1', txID: 't-4', origTxID: 't-2' },
      status: 503,
    };
    const end = own('win', 't-3', '0.00', '90.00');
    const alone = await incident([FIRST, failed, refund, end]);
    expect(alone.out).toContain('The operator owes the player 5.00');
    const { out, status } = await incident([FIRST, failed, ofOther('bet', '5.00'), refund, end]);
    expect(out).toContain(
      'the balance in the reply to call 4 shows that the bet of call 2 was taken, unless the bet of another provider (a.log:3) changed the balance',
    );
    expect(out).not.toContain('should have');
    expect(status).not.toBe(0);
  });

  it('and names both explanations of a balance that is right again later', async () => {
    const calls = [FIRST, ofOther('bet', '5.00'), NEXT, ofOther('win', '5.00'), own('win', 't-3', '0.00', '90.00')];
    const { out, status } = await incident(calls);
    expect(out).toContain(
      'was 5.00 too little: either the bet was taken twice at once, or the bet of another provider',
    );
    expect(out).toContain('nothing is owed');
    expect(status).toBe(0);
  });

  it('and says that nothing is owed if all balances are right', async () => {
    const calls = [FIRST, ofOther('bet', '5.00'), ofOther('win', '5.00'), own('win', 't-3', '0.00', '95.00')];
    const { out, status } = await incident(calls);
    expect(out).toContain('nothing is owed');
    expect(status).toBe(0);
  });

  it('and counts the calls that it left out, and accuses nobody if one of them may explain the difference', async () => {
    const more = JSON.stringify({
      time: '2026-11-23T13:00:00.000Z',
      method: 'POST',
      url: '/eu/bet',
      requestBody: JSON.stringify({ userId: '9', amount: '1.00', gameRef: 'g-1' }),
      status: 200,
    });
    writeFileSync(path.join(cwd, 'many.log'), `${more}\n`.repeat(MAX_OTHER_CALLS));
    // The amount is not the difference. But croupier does not keep the call, so it can't know the amount.
    await incident([FIRST, ofOther('bet', '4.00'), NEXT, END]);
    const { out, status } = await croupier(['incident', 'many.log', 'a.log'], { cwd });
    expect(out).toContain(
      `${TWICE} a call of another provider that croupier left out because the logs have too many (a.log:2) changed the balance`,
    );
    expect(out).toContain('1 call of other providers in a.log was left out (the first is in line 2)');
    expect(out).not.toContain('should have');
    expect(status).toBe(3);
  });
});
