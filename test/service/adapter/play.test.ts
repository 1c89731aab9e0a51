import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { type FreeCampaign, Play } from '../../../src/service/adapter/play.ts';
import { DemoBalances } from '../../../src/service/demo-balances.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';
import { type StartedAdapter, settled, startAdapter, startFront, until } from './adapter-setup.ts';
import type { Front } from './operator-front.ts';
import { sessionOf } from './sessions.ts';

const SPRING: FreeCampaign = { frID: 'spring', quantity: 3, amount: '0.20', maxMult: '50' };

async function setUp(random = 0): Promise<StartedAdapter & { front: Front; play: Play; demo: DemoBalances }> {
  const front = await startFront();
  const started = startAdapter(front.url);
  const demo = new DemoBalances(openServiceDatabase());
  const play = new Play({ adapter: started.adapter, demo, uuid: randomUUID, random: () => random });
  return { ...started, front, demo, play };
}

it('a round is played with a drawn or a chosen outcome', async () => {
  const { play, front } = await setUp(0.9999);
  expect(await play.round(sessionOf(), '1.00', '2.5')).toMatchObject({
    prize: '2.50',
    bet: { kind: 'accepted', balance: '999.00' },
    win: { kind: 'settled', amount: '2.50', balance: '1001.50' },
  });
  expect(await play.round(sessionOf(), '1.00')).toMatchObject({ multiplier: '100', prize: '100.00' });
  expect(front.balance()).toBe('1100.50');
  expect(await play.balance(sessionOf())).toEqual({ kind: 'balance', balance: '1100.50' });
  expect(await play.round(sessionOf(), '9000.00', '3')).toMatchObject({
    bet: { kind: 'declined', code: 'insufficient_funds' },
    win: null,
  });
});

it('a demo round makes no reverse calls', async () => {
  const { play, front, demo } = await setUp();
  const session = { ...sessionOf(), demo: true };
  demo.open(session, Money.of('5'));
  expect(await play.round(session, '2.00', '3')).toMatchObject({
    bet: { kind: 'accepted', balance: '3.00' },
    win: { kind: 'settled', amount: '6.00', balance: '9.00' },
  });
  expect(await play.round(session, '9.01', '3')).toMatchObject({
    bet: { kind: 'declined', code: 'insufficient_funds', refunding: false },
    win: null,
  });
  expect(await play.balance(session)).toEqual({ kind: 'balance', balance: '9.00' });
  expect(front.arrived).toEqual([]);
});

it('the wins of a campaign’s free rounds are paid at the end in one regular win', async () => {
  const { play, front, adapter } = await setUp();
  const session = sessionOf();
  expect(play.progress(session, SPRING)).toEqual({ left: 3, won: '0.00', gameID: null, withdrawn: false });
  const first = await play.freeRound(session, SPRING, '2');
  expect(first).toMatchObject({ stake: '0.20', prize: '0.40', bet: { kind: 'accepted', balance: '1000.00' } });
  expect(play.progress(session, SPRING)).toEqual({ left: 2, won: '0.40', gameID: 'catch', withdrawn: false });
  // The multiplier is limited by the campaign.
  expect(await play.freeRound(session, SPRING, '1000')).toMatchObject({ prize: '10.00' });
  const last = await play.freeRound(session, SPRING, '0');
  await settled(adapter);
  expect(play.progress(session, SPRING)).toEqual({ left: 0, won: '10.40', gameID: 'catch', withdrawn: true });
  expect(front.arrived.map(({ call, fields: { type, frID, amount } }) => [call, type, frID, amount])).toEqual([
    ['bet', 'free', 'spring', '0.20'],
    ['win', 'free', 'spring', '0.40'],
    ['bet', 'free', 'spring', '0.20'],
    ['win', 'free', 'spring', '10.00'],
    ['bet', 'free', 'spring', '0.20'],
    ['win', 'free', 'spring', '0'],
    ['win', 'regular', 'spring', '10.40'],
  ]);
  expect(front.arrived.at(-1)?.fields.roundID).toBe(last.roundID);
  expect(front.balance()).toBe('1010.40');
  expect(await play.freeRound(session, SPRING)).toMatchObject({ bet: { kind: 'refused', reason: 'used-up' } });
  expect(adapter.rounds().filter(({ over }) => !over)).toEqual([]);
});

it('each player can use a campaign in one game only', async () => {
  const { play } = await setUp();
  await play.freeRound(sessionOf('p0', 'catch'), SPRING);
  expect(await play.freeRound(sessionOf('p0', 'swipe'), SPRING)).toMatchObject({
    bet: { kind: 'refused', reason: 'other-game' },
  });
  expect(await play.freeRound(sessionOf('p1', 'swipe'), SPRING)).toMatchObject({ bet: { kind: 'accepted' } });
});

it('a free round whose bet was declined or refunded does not count', async () => {
  const { play, front, adapter } = await setUp();
  front.mishap = ({ call }, nth) =>
    call === 'bet' && nth <= 2 ? { kind: 'status', status: nth === 1 ? 503 : 500 } : undefined;
  await play.freeRound(sessionOf(), SPRING);
  await play.freeRound(sessionOf(), SPRING);
  await settled(adapter);
  expect(play.progress(sessionOf(), SPRING).left).toBe(3);
});

it('the wins of a cancelled campaign are paid when its open rounds are over', async () => {
  const { play, front, adapter } = await setUp();
  await play.freeRound(sessionOf('p0'), SPRING, '2');
  await play.freeRound(sessionOf('p1'), SPRING, '3');
  front.mishap = ({ call }) => (call === 'bet' ? { kind: 'late', ms: 80 } : undefined);
  const begun = play.freeRound(sessionOf('p0'), SPRING, '5');
  await until(() => front.arrived.length === 5, 'the bet');
  adapter.endCampaign('acme', 'spring');
  await begun;
  await settled(adapter);
  const withdrawals = front.arrived.filter(({ fields }) => fields.type === 'regular');
  expect(withdrawals.map(({ fields }) => [fields.sessionID, fields.amount])).toEqual([
    ['s-p1', '0.60'],
    ['s-p0', '1.40'],
  ]);
  expect(front.balance('p0')).toBe('1001.40');
  expect(await play.freeRound(sessionOf('p0'), SPRING)).toMatchObject({ bet: { reason: 'campaign-ended' } });
  expect(await play.freeRound(sessionOf('p2'), SPRING)).toMatchObject({ bet: { reason: 'campaign-ended' } });
  expect(play.progress(sessionOf('p2'), SPRING).left).toBe(0);
});

it('the sum of a campaign is paid only after every free win was answered 200', async () => {
  const { play, front, adapter } = await setUp();
  const once = { ...SPRING, quantity: 1 };
  front.mishap = ({ call }, nth) => (call === 'win' && nth < 4 ? { kind: 'status', status: 500 } : undefined);
  await play.freeRound(sessionOf(), once, '5');
  await settled(adapter);
  expect(front.arrived.map(({ call, fields }) => `${call} ${fields.type}`)).toEqual([
    'bet free',
    ...Array.from({ length: 4 }, () => 'win free'),
    'win regular',
  ]);
});
