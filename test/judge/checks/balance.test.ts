import { at, refused, saying } from '../lies.ts';
import { error, type Lie } from '../toy-wallet.ts';
import { judges } from './table.ts';

const everyRead =
  (amount: string): Lie =>
  (ask, tell, wallet) => {
    if (ask.call === 'balance') wallet.move(amount);
    return tell();
  };

judges('balance', {
  'balance.read': {
    story: 'steps: [{ balance: }]',
    lies: {
      'is a 404': saying('1', error(404, 'No such path')),
      'has no balance': saying('1', { status: 200, body: { amount: '1.00' } }),
      'is no amount': [saying('1', { status: 200, body: { balance: 'a lot' } }), 'fail', ['money.decimal-string']],
      'is a 401': [saying('1', error(401, 'Who are you?')), 'inconclusive', ['signature.accepted']],
      'is no JSON': [saying('1', { status: 200, body: '<html>' }), 'inconclusive', ['reply.json']],
      'is lost': [at('1', () => ({ none: 'reset' })), 'pass', []],
    },
  },
  'balance.read-only': {
    story: 'steps: [{ balance: }, { balance: }, { balance: }]',
    lies: { 'costs something': everyRead('-0.01'), 'pays something': everyRead('0.50') },
  },
  'balance.extra-query': {
    story: 'steps: [{ balance: }, { balance: , query: { add: { language: en } }, expect: accepted }]',
    lies: {
      'is refused': saying('2', refused),
      'breaks its signature': saying('2', error(401, 'Wrong signature')),
      'is held against a limit': [saying('2', error(429, 'Slow down')), 'skip'],
    },
  },
});
