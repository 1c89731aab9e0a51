import { describe, expect, it } from 'vitest';
import { exchangesIn } from '../entries-in.ts';

const BET = '{"amount":"1.00","sessionID":"s-1","txID":"t-1"}';
const URL = 'https://wallet.example/eu/bet';

describe('a body that a terminal shows without a status', () => {
  const curl = `curl ${URL} -d '${BET}'\n`;

  it.each([
    ['a body of success', '{"txID":"o-1","balance":"9.00"}\n', 200],
    ['followed by its status', '{"message":"no"}402\n', 402],
    ['followed by a prompt', '{"txID":"o-1","balance":"9.00"}user@host:~$ \n', 200],
    ['on several lines', '{\n  "txID": "o-1",\n  "balance": "9.00"\n}\n', 200],
  ])('is read as the reply if it is %s', async (_, reply, status) => {
    const exchanges = await exchangesIn(`${curl}${reply}${curl}`);
    expect(exchanges.map(({ answer }) => answer.kind)).toEqual(['reply', 'unknown']);
    expect(exchanges[0]).toMatchObject({ answer: { status } });
  });

  it('has an unknown status if it is an error', async () => {
    const [exchange] = await exchangesIn(`${curl}{"code":"insufficient_funds","message":"no"}\n`);
    expect(exchange).toMatchObject({ answer: { kind: 'unknown' }, logged: { code: 'insufficient_funds' } });
  });

  it('is not a reply if it is a line of a log', async () => {
    const line = JSON.stringify({
      time: '2026-11-21T13:02:07Z',
      url: '/balance?sessionID=s-1',
      method: 'GET',
      status: 200,
    });
    const exchanges = await exchangesIn(`${curl}${line}\n`);
    expect(exchanges.map(({ answer }) => answer.kind)).toEqual(['unknown', 'reply']);
  });
});
