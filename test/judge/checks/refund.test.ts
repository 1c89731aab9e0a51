import { at, changing, moving, movingSilently, nodding, refused, saying, withFields } from '../lies.ts';
import { error, type Lie } from '../toy-wallet.ts';
import { judges } from './table.ts';

const BROKEN =
  'steps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: }, { balance: , after: linger }]';

/** The bet of step 1 is taken only when the linger is over, refund or no refund. */
const landsLate: Lie = at('1', (_ask, _tell, wallet) => {
  wallet.later(() => wallet.move('-7.00'));
  return wallet.ok();
});

judges('refund', {
  'refund.restore': {
    story: 'steps: [{ bet: { amount: "3.00" } }, { balance: }, { refund: }, { balance: }]',
    lies: {
      'gives nothing back': nodding('3'),
      'gives back twice': moving('3', '3.00'),
      'is refused': saying('3', refused),
      'gives back half': moving('3', '-1.50'),
    },
  },
  'refund.unknown': {
    story: 'steps: [{ bet: }, { refund: }, { refund: { of: unknown } }, { balance: }]',
    lies: {
      'is refused': saying('3', error(404, 'No such bet')),
      'has no balance': withFields('3', { balance: undefined }),
      'is an error with 200': [
        saying('3', { status: 200, body: { message: 'No such bet' } }),
        'fail',
        ['reply.error-is-not-200'],
      ],
    },
  },
  'refund.unknown-pays-nothing': {
    story: 'steps: [{ refund: { of: unknown, amount: "4.00" } }, { balance: }]',
    lies: { 'is paid': moving('1', '4.00') },
  },
  'refund.declined-bet': {
    story:
      'steps: [{ bet: { amount: "${balance + stake}" }, as: no, expect: { outcome: declined, code: insufficient_funds } }, { balance: }, { refund: { of: no }, expect: either }, { balance: }]',
    lies: { 'is paid': moving('3', '101.00') },
  },
  'refund.without-round': {
    story:
      'steps: [{ bet: }, { refund: }, { balance: }, { bet: { amount: "2.00" } }, { balance: }, { refund: { round: none } }, { balance: }]',
    lies: {
      'is refused': saying('6', refused),
      'gives nothing back': nodding('6'),
    },
  },
  'refund.broken-connection': [
    {
      story: BROKEN,
      lies: {
        'takes the bet late, and keeps it': landsLate,
        'took the bet, and does not give it back': nodding('2'),
        'pays for a bet that it never took': at('1', (_ask, tell, wallet) => {
          tell();
          wallet.move('7.00');
          return wallet.ok();
        }),
        'takes the bet after the refund, but gives it back by itself': [
          at('2', (_ask, tell, wallet) => {
            const told = tell();
            wallet.move('-7.00');
            wallet.later(() => wallet.move('7.00'));
            return told;
          }),
          'note',
        ],
        'refuses the refund': saying('2', refused),
      },
    },
    {
      story: BROKEN,
      options: { lie: (ask, tell, wallet) => (ask.key === '1' ? wallet.ok() : tell()) },
      lies: {
        'says 0 in the reply to a refund of what it never took': [
          (ask, tell) => (ask.key === '2' ? withFields('2', { balance: '0' })(ask, tell, null as never) : tell()),
          'pass',
        ],
      },
    },
  ],
  'refund.after-error': {
    story: 'steps: [{ bet: { amount: "2.00" }, as: failed, expect: either }, { refund: { of: failed } }, { balance: }]',
    honest: 'skip',
    lies: {
      'fails, and is mended by the refund': [changing('1', error(500, 'Oops')), 'pass'],
      'fails, and stays taken': [
        at('1', (_ask, _tell, wallet) => {
          wallet.move('-2.00');
          return error(500, 'Oops');
        }),
        'fail',
      ],
      'comes too late, and is mended': [
        at('1', (_ask, tell) => {
          tell();
          return { none: 'too-late' };
        }),
        'pass',
        ['reply.deadline'],
      ],
    },
  },
  'refund.retried': {
    story:
      'steps: [{ bet: { amount: "4.00" } }, { balance: }, { refund: , as: back, break: sent }, { resend: back }, { balance: }, { balance: , after: linger }]',
    lies: {
      'pays twice': moving('4', '4.00'),
      'never pays': at('3', (_ask, tell, wallet) => {
        tell();
        wallet.move('-4.00');
        return wallet.ok();
      }),
      'is refused': saying('4', refused),
    },
  },
  'refund.one-of-many': {
    story:
      'steps: [{ bet: , as: a }, { bet: { round: a, amount: "2.00" }, as: b }, { bet: { round: a, amount: "4.00" } }, { balance: }, { refund: { of: b } }, { balance: }]',
    lies: {
      'gives back the whole round': moving('5', '5.00'),
      'gives back another bet': moving('5', '-1.00'),
      'is refused': [saying('5', refused), 'fail', ['refund.restore']],
    },
  },
  'refund.once': {
    story:
      'steps: [{ bet: { amount: "2.00" }, as: b }, { refund: { of: b } }, { balance: }, { refund: { of: b }, expect: either }, { balance: }]',
    lies: {
      'pays twice': moving('4', '2.00'),
      'refuses the second, which is its right': [saying('4', refused), 'pass'],
    },
  },
  'refund.before-bet': {
    story:
      'steps: [{ refund: { of: late } }, { balance: }, { bet: { amount: "3.00" }, as: late, expect: either }, { balance: }]',
    lies: { 'takes the bet': movingSilently('3', '-3.00'), 'answers 200 and takes nothing': [nodding('3'), 'pass'] },
  },
  'refund.foreign-session': {
    story:
      'needs: { other: { player: other } }\nsteps: [{ balance: { session: other } }, { bet: { amount: "2.00" }, as: mine }, { balance: }, { refund: { session: other, of: mine, amount: "${mine.amount}" }, expect: either }, { balance: { session: other } }, { balance: }]',
    lies: { 'pays the sender': moving('4', '2.00', 'p2') },
  },
  'refund.amount-mismatch': {
    story:
      'steps: [{ bet: { amount: "2.00" }, as: b }, { balance: }, { refund: { of: b, amount: "1.00" }, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'gives back what it says': [moving('3', '-1.00'), 'note'] },
  },
  'refund.after-win': {
    story:
      'steps: [{ bet: { amount: "2.00" }, as: b }, { win: }, { balance: }, { refund: { of: b }, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'is refused': [saying('4', refused), 'note'] },
  },
  'refund.of-win': {
    story:
      'steps: [{ bet: }, { win: { amount: "2.00" }, as: w }, { balance: }, { refund: { of: w }, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'takes the win back': [moving('4', '-2.00'), 'note'] },
  },
});
