import { describe, expect, it } from 'vitest';
import { signBody } from '../../src/contract/signature.ts';
import { KEY, operatorServer, ran, scenarioOf } from './operator-server.ts';

/** The bodies and signatures of the bets that came, in their order. */
async function betsOf(steps: string) {
  const bets: { readonly body: string; readonly sign: string | undefined }[] = [];
  const { url } = await operatorServer(({ call, fields, request }, tell) => {
    const sign = request.headers['x-request-sign'];
    if (call === 'bet' && fields?.amount !== undefined)
      bets.push({ body: JSON.stringify(fields), sign: typeof sign === 'string' ? sign : undefined });
    return tell();
  });
  await ran(url, [scenarioOf('a/b', `rules: [balance.read]\nsteps: ${steps}`)], { deadlineMs: 2000 });
  return bets;
}

describe('a call that is sent again', () => {
  it('has the same bytes and the same signature', async () => {
    const [first, again] = await betsOf('[{ bet: { amount: "3.00" }, as: first }, { resend: first }]');
    expect(again).toEqual(first);
  });

  it('is what it was before the balance had moved', async () => {
    const [first, again] = await betsOf('[{ bet: { amount: "${balance - stake}" }, as: first }, { resend: first }]');
    expect(again?.body).toBe(first?.body);
  });

  it('is signed as the step says now', async () => {
    const [first, again] = await betsOf(
      '[{ bet: { amount: "3.00" }, as: first, sign: garbage, expect: refused }, { resend: first, sign: valid }]',
    );
    expect(again?.body).toBe(first?.body);
    expect(first?.sign).not.toBe(again?.sign);
    expect(again?.sign).toBe(signBody(Buffer.from(again?.body ?? ''), KEY));
  });

  it('is tampered with only where the step says so', async () => {
    const [first, again] = await betsOf(
      '[{ bet: { amount: "3.00" }, as: first, tamper: { body: { amount: "4.00" } }, expect: refused }, { resend: first, sign: valid }]',
    );
    expect([first?.body, again?.body].map((body) => /"amount":"([^"]+)"/.exec(body ?? '')?.[1])).toEqual([
      '4.00',
      '3.00',
    ]);
  });
});

it('sends no bet of less than nothing', async () => {
  expect(await betsOf('[{ bet: { amount: "${balance - 200 * stake}" } }]')).toEqual([]);
});
