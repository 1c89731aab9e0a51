import { expect, it, onTestFinished } from 'vitest';
import { referenceControls } from '../../../../src/cli/commands/serve/reference-controls.ts';
import { rightSignature, SIGNATURE_HEADER, signBody } from '../../../../src/contract/signature.ts';
import { demoOperator } from '../../../../src/operator/demo.ts';
import { NextReplies } from '../../../../src/operator/next-replies.ts';
import { createOperator } from '../../../../src/operator/operator.ts';
import { textOf } from '../../../../src/operator/rewriting.ts';
import { behaviourWith } from '../../../../src/operator/variation.ts';

const { clients } = demoOperator({ first: 'the-first-key-of-tests', second: 'the-second-key-of-tests' });
const [client] = clients;
const { basePath, integrationApiKey } = client;
const ANNA = { extCID: client.extCID, player: 'anna', currency: 'USD' };

function start() {
  const listeners = new Set<() => void>();
  const waits: number[] = [];
  const replies = new NextReplies(
    () => {
      for (const listener of listeners) listener();
    },
    async (ms) => waits.push(ms),
  );
  const operator = createOperator({ clients }, replies.appliedTo(behaviourWith([])));
  onTestFinished(() => operator.close());
  const controls = referenceControls({ operator, client, replies, variations: [], listeners });
  const read = async (sessionID: string) => {
    const query = `sessionID=${sessionID}`;
    const signature = rightSignature({ method: 'GET', query, body: null }, integrationApiKey) ?? '';
    const path = `${basePath}/balance`;
    const headers = [[SIGNATURE_HEADER, signature]] as const;
    const reply = await operator.handle({ method: 'GET', path, query, headers, body: Buffer.alloc(0) });
    return { status: reply.status, body: JSON.parse(textOf(reply)) as Record<string, unknown> };
  };
  const bet = async (txID: string) => {
    const body = Buffer.from(
      JSON.stringify({
        sessionID: 'eu-anna-usd-catch',
        txID,
        roundID: 'b7e0a3d2-91c4-4f6b-8d15-0c3e9f7a6b25',
        amount: '10.00',
        type: 'regular',
      }),
    );
    const headers = [[SIGNATURE_HEADER, signBody(body, integrationApiKey)]] as const;
    const path = `${basePath}/bet`;
    const { status } = await operator.handle({ method: 'POST', path, query: '', headers, body });
    return status;
  };
  const balance = () =>
    controls.wallets().find(({ player, currency }) => player === 'anna' && currency === 'USD')?.balance;
  return { controls, read, bet, balance, waits };
}

it('changes balances exactly, and refuses changes that are not possible', () => {
  const { controls, balance } = start();
  expect(controls.changeBalance(ANNA, { kind: 'add', amount: '0.05' })).toBe('1000.05');
  expect(controls.changeBalance(ANNA, { kind: 'take', amount: '1000' })).toBe('0.05');
  expect(() => controls.changeBalance(ANNA, { kind: 'take', amount: '0.06' })).toThrow('anna has only 0.05 USD');
  expect(() => controls.changeBalance(ANNA, { kind: 'add', amount: '0.001' })).toThrow(
    '"0.001" is not an amount in USD',
  );
  expect(() => controls.changeBalance(ANNA, { kind: 'add', amount: '0' })).toThrow('"0" is not an amount in USD');
  expect(() => controls.changeBalance({ ...ANNA, player: 'eve' }, { kind: 'empty' })).toThrow(
    'eve has no wallet in USD',
  );
  expect(controls.changeBalance(ANNA, { kind: 'empty' })).toBe('0.00');
  expect(balance()).toBe('0.00');
});

it('answers the next call of a session badly once, and lists the fault until then', async () => {
  const { controls, read } = start();
  controls.addFault('balance', 'error-500', 'eu-anna-usd-catch');
  controls.addFault('balance', 'declined', null);
  expect(controls.waiting()).toHaveLength(2);
  expect((await read('eu-ben-eur')).status).toBe(403);
  expect(controls.waiting()).toEqual([{ id: 1, call: 'balance', sessionID: 'eu-anna-usd-catch', kind: 'error-500' }]);
  expect((await read('eu-ben-eur')).status).toBe(200);
  expect((await read('eu-anna-usd-catch')).status).toBe(500);
  expect(controls.waiting()).toEqual([]);
  expect(controls.removeFault(1)).toBe(false);
});

it('carries out no call that it answers 500 or declines, and carries out a call that it answers late', async () => {
  const { controls, bet, balance, waits } = start();
  controls.addFault('bet', 'error-500', null);
  expect(await bet('6f1d2c7e-3b54-4a86-9c0f-000000000001')).toBe(500);
  controls.addFault('bet', 'declined', null);
  expect(await bet('6f1d2c7e-3b54-4a86-9c0f-000000000002')).toBe(403);
  expect(balance()).toBe('1000.00');
  controls.addFault('bet', 'late', null);
  expect(await bet('6f1d2c7e-3b54-4a86-9c0f-000000000003')).toBe(200);
  expect(waits).toEqual([6000]);
  expect(balance()).toBe('990.00');
});

it('switches defects on and off while it runs, and says after each change that something changed', async () => {
  const { controls, read } = start();
  let changes = 0;
  const end = controls.subscribe(() => {
    changes += 1;
  });
  expect((await read('eu-anna-usd-catch')).body.balance).toBe('1000.00');
  expect(controls.setDefect('balance-plus-sign', true)).toBe(true);
  expect((await read('eu-anna-usd-catch')).body.balance).toBe('+1000.00');
  expect(controls.defects().filter(({ isOn }) => isOn)).toMatchObject([{ name: 'balance-plus-sign' }]);
  controls.addFault('balance', 'error-500', null);
  expect((await read('eu-anna-usd-catch')).status).toBe(500);
  controls.setDefect('balance-plus-sign', false);
  expect((await read('eu-anna-usd-catch')).body.balance).toBe('1000.00');
  expect(controls.setDefect('no-such-defect', true)).toBe(false);
  expect(changes).toBe(4);
  end();
  controls.changeBalance(ANNA, { kind: 'empty' });
  expect(changes).toBe(4);
});
