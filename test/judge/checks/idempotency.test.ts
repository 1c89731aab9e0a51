import { at, changing, moving, movingSilently, nodding, refused, saying, withFields } from '../lies.ts';
import { error, type Lie } from '../toy-wallet.ts';
import { judges } from './table.ts';

const replay = (call: string): string =>
  `steps: [{ bet: { amount: "3.00" }${call === 'bet' ? ', as: first' : ''} }, ${call === 'bet' ? '' : `{ ${call}: , as: first }, `}{ balance: }, { resend: first }, { balance: }]`;

const UNKNOWN_TWICE = 'steps: [{ bet: }, { refund: { of: unknown }, as: first }, { resend: first }, { balance: }]';

const again = {
  'is refused': (key: string) => saying(key, refused),
  'has another txID': (key: string) => withFields(key, { txID: 'another' }),
};

const lies = (key: string, twice: Lie): Record<string, Lie> => ({
  'takes effect twice': twice,
  ...Object.fromEntries(Object.entries(again).map(([name, make]) => [name, make(key)])),
});

/** Carries a copy out as if it were new. */
const asNew = (effect: string): Lie => {
  let copies = 0;
  return (ask, tell, wallet) => {
    if (!ask.key.startsWith('3.')) return tell();
    copies += 1;
    if (copies === 1) return tell();
    wallet.move(effect);
    return wallet.ok();
  };
};

judges('idempotency', {
  'idempotency.bet': { story: replay('bet'), lies: lies('3', movingSilently('3', '-3.00')) },
  'idempotency.win': { story: replay('win'), lies: lies('4', movingSilently('4', '1.00')) },
  'idempotency.refund': [
    { story: replay('refund'), lies: lies('4', movingSilently('4', '3.00')) },
    {
      story: UNKNOWN_TWICE,
      lies: {
        'is refused': saying('3', refused),
        'has another txID, where nothing was booked': [withFields('3', { txID: 'another' }), 'pass'],
      },
    },
  ],
  'idempotency.same-reply': [
    {
      story: 'steps: [{ bet: , as: first }, { bet: { amount: "2.00" } }, { resend: first }, { balance: }]',
      lies: { 'tells the balance of now': [withFields('3', { balance: '97.00' }), 'warn'] },
    },
    { story: UNKNOWN_TWICE, lies: { 'has another txID': [withFields('3', { txID: 'another' }), 'warn'] } },
  ],
  'idempotency.concurrent': {
    story:
      'steps: [{ bet: }, { balance: }, { together: [{ win: { amount: "2.00" }, as: raced, copies: 4, expect: either }] }, { balance: }]',
    lies: {
      'is credited each time': asNew('2.00'),
      'is answered as many transactions, with one effect': (ask, tell, wallet) =>
        ask.key.startsWith('3.') && tell() ? wallet.ok() : tell(),
      'is never answered 200': [
        (ask, tell) => {
          const told = tell();
          return ask.key.startsWith('3.') ? error(409, 'Still busy') : told;
        },
        'skip',
      ],
    },
  },
  'idempotency.declined-bet': {
    story:
      'steps: [{ bet: { amount: "${balance + unit}" }, as: no, expect: { outcome: declined, code: insufficient_funds } }, { bet: }, { win: { amount: "3.00" } }, { balance: }, { resend: no, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'stays declined': [saying('5', refused), 'note'] },
  },
  'idempotency.after-refund': {
    story:
      'steps: [{ bet: { amount: "3.00" }, as: b }, { refund: { of: b } }, { balance: }, { resend: b, expect: either }, { balance: }]',
    lies: {
      'is taken': movingSilently('4', '-3.00'),
      'is refused, which is its right': [saying('4', refused), 'pass'],
    },
  },
  'idempotency.conflicting-body': [
    {
      story:
        'steps: [{ bet: { amount: "2.00" }, as: first }, { balance: }, { bet: { txID: "${first.txID}", round: first, amount: "3.00" }, expect: either }, { balance: }]',
      lies: {
        'is taken as new': movingSilently('3', '-3.00'),
        'changes the first': movingSilently('3', '-1.00'),
        'is answered 200 and moves nothing': [nodding('3'), 'pass'],
      },
    },
    {
      story:
        'steps: [{ bet: { amount: "2.00" }, as: first }, { balance: }, { bet: { txID: "${first.txID}", round: first, amount: "5.00" }, expect: either }, { refund: { of: first } }, { balance: }]',
      lies: { 'replaces what a refund goes by': moving('4', '3.00') },
    },
  ],
  'idempotency.across-calls': {
    story:
      'steps: [{ bet: { amount: "2.00" }, as: first }, { balance: }, { win: { txID: "${first.txID}", round: first, amount: "3.00" }, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'is credited': [moving('3', '3.00'), 'note'] },
  },
  'idempotency.durable': {
    story: 'steps: [{ bet: { amount: "2.00" } }, { balance: }, { resend: { earliest: bet } }, { balance: }]',
    lies: {
      'is taken again': movingSilently('3', '-2.00'),
      'is refused': saying('3', refused),
      'is lost on the way': [at('3', () => ({ none: 'reset' })), 'untested'],
      'is taken by another operation of the same amount': changing('3', { status: 410 }),
    },
  },
});
