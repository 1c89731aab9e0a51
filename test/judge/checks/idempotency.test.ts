import { answering, answeringOnly, at, changing, moving, movingSilently, refused, withFields } from '../faults.ts';
import { error, type Fault } from '../toy-wallet.ts';
import { judges } from './table.ts';

const replay = (call: string): string =>
  `steps: [{ bet: { amount: "3.00" }${call === 'bet' ? ', as: first' : ''} }, ${call === 'bet' ? '' : `{ ${call}: , as: first }, `}{ balance: }, { resend: first }, { balance: }]`;

const UNKNOWN_TWICE = 'steps: [{ bet: }, { refund: { of: unknown }, as: first }, { resend: first }, { balance: }]';

const again = {
  'is refused': (key: string) => answering(key, refused),
  'has another txID': (key: string) => withFields(key, { txID: 'another' }),
};

const faults = (key: string, twice: Fault): Record<string, Fault> => ({
  'takes effect twice': twice,
  ...Object.fromEntries(Object.entries(again).map(([name, make]) => [name, make(key)])),
});

/** Carries out a copy as if it were a new call. */
const asNew = (effect: string): Fault => {
  let copies = 0;
  return (request, honest, wallet) => {
    if (!request.key.startsWith('3.')) return honest();
    copies += 1;
    if (copies === 1) return honest();
    wallet.move(effect);
    return wallet.ok();
  };
};

judges('idempotency', {
  'idempotency.bet': { yaml: replay('bet'), faults: faults('3', movingSilently('3', '-3.00')) },
  'idempotency.win': { yaml: replay('win'), faults: faults('4', movingSilently('4', '1.00')) },
  'idempotency.refund': [
    { yaml: replay('refund'), faults: faults('4', movingSilently('4', '3.00')) },
    {
      yaml: UNKNOWN_TWICE,
      faults: {
        'is refused': answering('3', refused),
        'has another txID, where nothing was booked': [withFields('3', { txID: 'another' }), 'pass'],
      },
    },
  ],
  'idempotency.same-reply': [
    {
      yaml: 'steps: [{ bet: , as: first }, { bet: { amount: "2.00" } }, { resend: first }, { balance: }]',
      faults: { 'tells the balance of now': [withFields('3', { balance: '97.00' }), 'warn'] },
    },
    { yaml: UNKNOWN_TWICE, faults: { 'has another txID': [withFields('3', { txID: 'another' }), 'warn'] } },
  ],
  'idempotency.concurrent': {
    yaml: 'steps: [{ bet: }, { balance: }, { together: [{ win: { amount: "2.00" }, as: raced, copies: 4, expect: either }] }, { balance: }]',
    faults: {
      'is credited each time': asNew('2.00'),
      'is answered as many transactions, with one effect': (request, honest, wallet) =>
        request.key.startsWith('3.') && honest() ? wallet.ok() : honest(),
      'is never answered 200': [
        (request, honest) => {
          const reply = honest();
          return request.key.startsWith('3.') ? error(409, 'Still busy') : reply;
        },
        'skip',
      ],
    },
  },
  'idempotency.declined-bet': {
    yaml: 'steps: [{ bet: { amount: "${balance + unit}" }, as: no, expect: { outcome: declined, code: insufficient_funds } }, { bet: }, { win: { amount: "3.00" } }, { balance: }, { resend: no, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'stays declined': [answering('5', refused), 'note'] },
  },
  'idempotency.after-refund': {
    yaml: 'steps: [{ bet: { amount: "3.00" }, as: b }, { refund: { of: b } }, { balance: }, { resend: b, expect: either }, { balance: }]',
    faults: {
      'is taken': movingSilently('4', '-3.00'),
      'is declined, which it may be': [answering('4', refused), 'pass'],
    },
  },
  'idempotency.conflicting-body': [
    {
      yaml: 'steps: [{ bet: { amount: "2.00" }, as: first }, { balance: }, { bet: { txID: "${first.txID}", round: first, amount: "3.00" }, expect: either }, { balance: }]',
      faults: {
        'is taken as a new bet': [movingSilently('3', '-3.00'), 'warn'],
        'changes the first': [movingSilently('3', '-1.00'), 'warn'],
        'is answered 200 and moves nothing': [answeringOnly('3'), 'pass'],
      },
    },
    {
      yaml: 'steps: [{ bet: { amount: "2.00" }, as: first }, { balance: }, { bet: { txID: "${first.txID}", round: first, amount: "5.00" }, expect: either }, { refund: { of: first } }, { balance: }]',
      faults: { 'replaces what a refund goes by': [moving('4', '3.00'), 'warn'] },
    },
  ],
  'idempotency.across-calls': {
    yaml: 'steps: [{ bet: { amount: "2.00" }, as: first }, { balance: }, { win: { txID: "${first.txID}", round: first, amount: "3.00" }, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'is credited': [moving('3', '3.00'), 'note'] },
  },
  'idempotency.durable': {
    yaml: 'steps: [{ bet: { amount: "2.00" } }, { balance: }, { resend: { earliest: bet } }, { balance: }]',
    faults: {
      'is taken again': movingSilently('3', '-2.00'),
      'is refused': answering('3', refused),
      'is lost on the way': [at('3', () => ({ none: 'reset' })), 'untested'],
      'is taken by another operation of the same amount': changing('3', { status: 410 }),
    },
  },
});
