import { expect, it } from 'vitest';
import { answering, at, refused } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error, type Fault } from '../toy-wallet.ts';
import { judges } from './table.ts';

const everyRead =
  (amount: string): Fault =>
  (request, honest, wallet) => {
    if (request.call === 'balance') wallet.move(amount);
    return honest();
  };

judges('balance', {
  'balance.read': {
    yaml: 'steps: [{ balance: }]',
    faults: {
      'is a 404': answering('1', error(404, 'No such path')),
      'has no balance': answering('1', { status: 200, body: { amount: '1.00' } }),
      'is no amount': [answering('1', { status: 200, body: { balance: 'a lot' } }), 'fail', ['money.decimal-string']],
      'is a 401': [answering('1', error(401, 'Who are you?')), 'inconclusive', ['signature.accepted']],
      'is no JSON': [answering('1', { status: 200, body: '<html>' }), 'inconclusive', ['reply.json']],
      'is lost': [at('1', () => ({ none: 'reset' })), 'pass', []],
    },
  },
  'balance.read-only': {
    yaml: 'steps: [{ balance: }, { balance: }, { balance: }]',
    faults: { 'costs something': everyRead('-0.01'), 'pays something': everyRead('0.50') },
  },
  'balance.extra-query': {
    yaml: 'steps: [{ balance: }, { balance: , query: { add: { language: en } }, expect: accepted }]',
    faults: {
      'is refused': [answering('2', refused), 'warn'],
      'breaks its signature': [answering('2', error(401, 'Wrong signature')), 'skip', ['signature.query-canonical']],
      'is declined because of a limit': [answering('2', error(429, 'Slow down')), 'skip'],
    },
  },
});

it('a balance that is no amount breaks one rule', () => {
  const fault = answering('1', { status: 200, body: { balance: 'a lot' } });
  expect(judgeScenario('steps: [{ balance: }]', { fault }).broken).toEqual(['money.decimal-string']);
});
