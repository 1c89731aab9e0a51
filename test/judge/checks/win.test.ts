import { answering, answeringOnly, at, changing, moving, movingSilently, refused } from '../faults.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('win', {
  'win.credit': {
    yaml: 'steps: [{ bet: }, { balance: }, { win: { amount: "3.00" } }, { balance: }]',
    faults: {
      'is not credited': answeringOnly('3'),
      'is credited twice': moving('3', '3.00'),
      'is taken': moving('3', '-6.00'),
      // The operator answers the bet, so it is not too busy for the win.
      'is always turned away': answering('3', error(503, 'Busy')),
      'meets a limit': answering('3', error(403, 'Blocked', 'account_blocked')),
      'is credited with an unpredictable sum': moving('3', '0.77'),
    },
  },
  'win.zero': {
    yaml: 'steps: [{ bet: }, { win: { amount: "1.00" } }, { bet: }, { win: { amount: "0" } }, { balance: }]',
    faults: {
      'is refused': answering('4', refused),
      // Every attempt gets this answer, and another win is answered 200, so it is the answer to a win of 0.
      'is declined because of too many requests': answering('4', error(429, 'Slow down')),
    },
  },
  'win.many-in-round': {
    yaml: 'steps: [{ bet: }, { win: { amount: "2.00" } }, { balance: }, { win: { amount: "3.00" } }, { balance: }]',
    faults: {
      'is accepted and not credited': answeringOnly('4'),
      'is credited twice': moving('4', '3.00'),
      'is credited minus the earlier wins': moving('4', '-2.00'),
      'is refused': [answering('4', refused), 'warn'],
    },
  },
  'win.retried': {
    yaml: 'steps: [{ bet: }, { balance: }, { win: { amount: "5.00" }, as: won, break: sent }, { resend: won }, { balance: }, { balance: , after: linger }]',
    faults: {
      'is credited twice': moving('4', '5.00'),
      'is never credited': at('4', (_request, honest, wallet) => {
        honest();
        wallet.move('-5.00');
        return wallet.ok();
      }),
      'is credited a second time, later': at('3', (_request, honest, wallet) => {
        const reply = honest();
        wallet.later(() => wallet.move('5.00'));
        return reply;
      }),
      'is refused': answering('4', refused),
    },
  },
  'win.failed-keeps-bet': {
    yaml: 'steps: [{ bet: { amount: "2.00" } }, { balance: }, { win: , sign: garbage, expect: refused }, { balance: }]',
    faults: { 'gives the bet back': movingSilently('3', '2.00') },
  },
  'win.without-bet': {
    yaml: 'steps: [{ win: { round: new }, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'is refused': [answering('1', refused), 'note'] },
  },
  'win.after-refund': {
    yaml: 'steps: [{ bet: }, { refund: }, { balance: }, { win: , expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'is refused': [changing('4', refused), 'note'] },
  },
});
