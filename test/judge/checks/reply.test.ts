import { expect, it } from 'vitest';
import { answering, at, changing, refused, withFields } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error, type Fault } from '../toy-wallet.ts';
import { judges } from './table.ts';

const ROUND = 'steps: [{ bet: }, { balance: }, { win: { amount: "2.00" } }, { balance: }]';
const BEYOND =
  'steps: [{ bet: }, { bet: { amount: "${balance + unit}" }, expect: { outcome: declined, code: insufficient_funds } }, { balance: }]';
const poor = (message: unknown) =>
  answering('2', { status: 402, body: { code: 'insufficient_funds', message: message as string } });

judges('reply', {
  'reply.success-is-200': {
    yaml: ROUND,
    faults: {
      'is a 201 with a good body': changing('1', { status: 201 }),
      'is a 204': changing('1', { status: 204, body: '' }),
      'is a redirect': answering('1', { status: 302, body: '' }),
    },
  },
  'reply.error-is-not-200': {
    yaml: BEYOND,
    faults: {
      'says 200 with a code': answering('2', {
        status: 200,
        body: { code: 'insufficient_funds', message: 'Not enough' },
      }),
      'says 200 with an error of its own': [
        answering('2', { status: 200, body: { error: 'poor' } }),
        'fail',
        ['bet.insufficient-funds'],
      ],
    },
  },
  'reply.deadline': {
    yaml: ROUND,
    faults: {
      'took 5.2 s': changing('1', { tookMs: 5200 }),
      'is incomplete': at('1', (_request, honest) => {
        honest();
        return { none: 'too-late' };
      }),
      'was lost on the way': [at('3', () => ({ none: 'closed-early' })), 'pass'],
    },
  },
  'reply.json': {
    yaml: ROUND,
    faults: {
      'is HTML': [changing('1', { body: '<html>' }), 'fail'],
      'has a name twice': changing('1', { body: '{"balance":"99.00","balance":"99.00","txID":"a"}' }),
      'is empty': changing('2', { body: '' }),
    },
  },
  'reply.content-type': {
    yaml: ROUND,
    faults: {
      'is text': [changing('1', { type: 'text/html' }), 'warn'],
      'names another charset': [changing('1', { type: 'application/json; charset=latin1' }), 'warn'],
      'is JSON of a kind': [changing('1', { type: 'application/problem+json; charset=utf-8' }), 'pass'],
    },
  },
  'reply.tx-id': [
    {
      yaml: ROUND,
      faults: {
        'is missing': withFields('1', { txID: undefined }),
        'is empty': withFields('1', { txID: '' }),
        'is null': withFields('1', { txID: null }),
        'is a number': [withFields('1', { txID: 7 }), 'warn'],
      },
    },
    {
      yaml: 'steps: [{ bet: }, { balance: }, { refund: }, { balance: }]',
      faults: { 'is empty, for the refund of an accepted bet': withFields('3', { txID: '' }) },
    },
    {
      yaml: 'steps: [{ refund: { of: unknown } }, { balance: }]',
      faults: { 'is empty, for the refund of an unknown bet': [withFields('1', { txID: '' }), 'warn'] },
    },
    {
      yaml: 'steps: [{ bet: , as: lost, break: sent }, { refund: { of: lost } }, { refund: { of: lost } }, { balance: }]',
      faults: {
        'is empty, for a further refund of a bet with an unknown outcome': [withFields('3', { txID: '' }), 'warn'],
      },
    },
  ],
  'reply.tx-id-distinct': {
    yaml: ROUND,
    faults: { 'is the bet’s': [withFields('3', { txID: 'op-1' }), 'warn'] },
  },
  'reply.error-message': [
    {
      yaml: 'steps: [{ bet: , as: first }, { resend: first }, { balance: }]',
      honest: 'untested',
      faults: {
        'shows SQL in the reply to a call that must be accepted': [
          answering('2', error(409, "Duplicate entry '8f14e45f' for key 'transactions.PRIMARY'")),
          'fail',
          ['idempotency.bet'],
        ],
        'can be read in the reply to a call that must be accepted': [
          answering('2', error(409, 'This bet was placed before.')),
          'untested',
          ['idempotency.bet'],
        ],
        'is not there in a temporary error': [
          answering('2', { status: 503, body: '' }),
          'untested',
          ['idempotency.bet'],
        ],
      },
    },
    {
      yaml: BEYOND,
      faults: {
        'shows SQL': poor('SELECT balance FROM wallets WHERE id = 1'),
        'shows a stack trace': poor('Error\n    at bet (/srv/app.js:10:5)'),
        'shows markup': poor('<b>Not enough</b>'),
        'is empty': poor(' '),
        'says undefined': poor('undefined'),
        'has a < before a number': [poor('Bet too small <min. 0.50>. SEE https://casino.example/limits'), 'pass'],
        'is no text': [poor(12), 'warn'],
        'is not there': [answering('2', { status: 402, body: { code: 'insufficient_funds' } }), 'warn'],
      },
    },
  ],
  'reply.error-code': {
    yaml: BEYOND,
    faults: {
      'is one of its own': [answering('2', error(402, 'No', 'poor')), 'note'],
      'is not given': [answering('2', refused), 'untested'],
    },
  },
});

it('a reply without txID is explained by a race if the wallet also sends impossible balances in the race', () => {
  const race = `rules: [concurrency.no-lost-update]
steps: [{ bet: , as: a }, { balance: }, { together: [{ bet: }, { win: { round: a, amount: "5.00" } }] }, { balance: }]`;
  const mixedUp = (key: string): Fault => at(key, (_request, honest) => ({ ...honest(), body: { balance: '7.00' } }));
  expect(judgeScenario(race, { fault: mixedUp('3.1') }).broken).toEqual(['concurrency.no-lost-update']);
  expect(judgeScenario(race, { fault: withFields('3.1', { txID: undefined }) }).broken).toEqual(['reply.tx-id']);
});
