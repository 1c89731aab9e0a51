import { expect, it } from 'vitest';
import { sessionInUrl } from '../../src/journal/exchange.ts';

it('the session in the query of an address is found, also if other addresses were read before', () => {
  const addresses = [
    ['http://h/balance?sessionID=s-1', 's-1'],
    ['http://h/balance?sessionID=s-2', 's-2'],
    ['http://h/balance?a=1&sessionID=s%201', 's 1'],
    ['http://h/balance?sessionID=', ''],
    ['http://h/balance', undefined],
    ['not an address', undefined],
  ] as const;
  for (const [address, session] of [...addresses, ...addresses]) expect(sessionInUrl(address)).toBe(session);
});
