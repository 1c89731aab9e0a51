import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { playByHand } from '../../../src/engine/by-hand/by-hand.ts';
import type { ManualCall } from '../../../src/engine/by-hand/plan.ts';
import { addressOf, type ClientUnderTest } from '../../../src/engine/run-options.ts';
import { buildRequest } from '../../../src/wire/request.ts';
import { type Behaviour, KEY, operatorServer, P1 } from '../operator-server.ts';

interface Call extends Partial<Pick<ManualCall, 'sign' | 'times'>> {
  readonly behaviour?: Behaviour;
  readonly maybeKnown?: boolean;
}

/** Sends a bet of 5.00 by hand, and reads the balance before and after. */
async function bet({ behaviour, maybeKnown = false, sign = 'valid', times = 1 }: Call) {
  const { url, calls, wallet } = await operatorServer(behaviour);
  const client: ClientUnderTest = {
    extCID: 'acme',
    integratorBaseUrl: url,
    integrationApiKey: KEY,
    paths: {},
    headers: {},
    sessions: [P1],
    wire: {},
  };
  const fields = { sessionID: 's1', txID: 'tx-1', roundID: 'round-1', amount: '5.00', type: 'regular' };
  const result = await playByHand({
    client,
    session: P1,
    call: { call: 'bet', fields, amount: Money.of('5.00'), sign, times, namesBet: false, namesRound: false },
    request: buildRequest({ call: 'bet', ...addressOf(client), fields, sign }),
    reads: true,
    decimals: {},
    maybeKnown,
    campaignKnown: false,
    strict: false,
    deadlineMs: 4000,
    lingerMs: 20,
    now: () => performance.now(),
  });
  return { ...result, calls, wallet, failed: result.findings.filter(({ verdict }) => verdict === 'fail') };
}

/** A bet that takes another amount than the one that it says. */
const takes =
  (amount: string): Behaviour =>
  ({ call, fields, ...called }, tell, wallet) => {
    if (call !== 'bet' || fields === null) return tell();
    return wallet.answer({ ...called, call, fields: { ...fields, amount } });
  };

describe('a bet that is sent by hand', () => {
  it('a correct bet passes, and its balances before and after are returned', async () => {
    const { failed, passed, before, after, answer, next, calls, exchanges } = await bet({});
    expect(failed).toEqual([]);
    expect(passed).toContain('bet.debit');
    expect([before?.format(2), after?.format(2), answer, next]).toEqual(['100.00', '95.00', 'accepted', null]);
    expect(calls.map(({ call }) => call)).toEqual(['balance', 'bet', 'balance']);
    expect(exchanges).toHaveLength(3);
  });

  it('a bet that takes another amount breaks bet.debit', async () => {
    expect((await bet({ behaviour: takes('6.00') })).failed).toMatchObject([{ rule: 'bet.debit' }]);
  });

  it('a bet that is sent twice with the same bytes must take its amount only once', async () => {
    expect((await bet({ times: 2 })).failed).toEqual([]);
    let number = 0;
    const { failed } = await bet({
      times: 2,
      behaviour: ({ call, fields, ...called }, tell, wallet) => {
        if (call !== 'bet' || fields === null) return tell();
        number += 1;
        return wallet.answer({ ...called, call, fields: { ...fields, txID: `other-${number}` } });
      },
    });
    expect(failed.map(({ rule }) => rule)).toContain('idempotency.bet');
  });

  it('a bet that the operator may know already takes its amount or nothing, and any other amount breaks bet.debit', async () => {
    expect((await bet({ maybeKnown: true })).failed).toEqual([]);
    expect((await bet({ maybeKnown: true, behaviour: takes('6.00') })).failed).toMatchObject([
      { rule: 'bet.debit', actual: 'the balance moved by -6.00' },
    ]);
  });

  it('an accepted bet that takes nothing is right only if it was carried out before, and the advice says so', async () => {
    const { failed, next } = await bet({ maybeKnown: true, behaviour: takes('0') });
    expect(failed).toEqual([]);
    expect(next).toContain('right only if the bet was carried out before');
  });

  it('a bet with a wrong signature must be refused', async () => {
    expect((await bet({ sign: 'garbage' })).failed).toEqual([]);
    const { failed } = await bet({
      sign: 'garbage',
      behaviour: (called, _tell, wallet) => wallet.answer({ ...called, signedRight: true }),
    });
    expect(failed.map(({ rule }) => rule)).toContain('signature.mismatch');
  });

  it('the advice after a failed bet is to refund it', async () => {
    const { next, answer } = await bet({
      behaviour: ({ call }, tell) => (call === 'bet' ? { status: 500, body: { message: 'Oops' } } : tell()),
    });
    expect(answer).toBe('failed');
    expect(next).toContain('croupier call refund --orig-tx-id tx-1');
  });

  it('a balance that changes without a call proves nothing about the bet', async () => {
    const changes = ['0', '1.00', '0.30', '0.45'];
    const { failed, disturbed } = await bet({
      behaviour: ({ call }, tell, wallet) => {
        if (call === 'balance') wallet.move(changes.shift() ?? '0');
        return tell();
      },
    });
    expect(failed).toEqual([]);
    expect(disturbed).toBe(true);
  });
});
