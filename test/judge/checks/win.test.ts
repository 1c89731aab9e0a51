import { at, changing, moving, movingSilently, nodding, refused, saying } from '../lies.ts';
import { error } from '../toy-wallet.ts';
import { judges } from './table.ts';

judges('win', {
  'win.credit': {
    story: 'steps: [{ bet: }, { balance: }, { win: { amount: "3.00" } }, { balance: }]',
    lies: {
      'is not credited': nodding('3'),
      'is credited twice': moving('3', '3.00'),
      'is taken': moving('3', '-6.00'),
      'is credited wrongly in a way that nobody would guess': moving('3', '0.77'),
    },
  },
  'win.zero': {
    story: 'steps: [{ bet: }, { win: { amount: "1.00" } }, { bet: }, { win: { amount: "0" } }, { balance: }]',
    lies: {
      'is refused': saying('4', refused),
      'is held against the rate': [saying('4', error(429, 'Slow down')), 'skip'],
    },
  },
  'win.many-in-round': {
    story: 'steps: [{ bet: }, { win: { amount: "2.00" } }, { balance: }, { win: { amount: "3.00" } }, { balance: }]',
    lies: {
      'is accepted and not credited': nodding('4'),
      'is credited twice': moving('4', '3.00'),
      'is credited less what was won before': moving('4', '-2.00'),
      'is refused': [saying('4', refused), 'warn'],
    },
  },
  'win.retried': {
    story:
      'steps: [{ bet: }, { balance: }, { win: { amount: "5.00" }, as: won, break: sent }, { resend: won }, { balance: }, { balance: , after: linger }]',
    lies: {
      'is credited twice': moving('4', '5.00'),
      'is never credited': at('4', (_ask, tell, wallet) => {
        tell();
        wallet.move('-5.00');
        return wallet.ok();
      }),
      'is credited once more, later': at('3', (_ask, tell, wallet) => {
        const told = tell();
        wallet.later(() => wallet.move('5.00'));
        return told;
      }),
      'is refused': saying('4', refused),
    },
  },
  'win.failed-keeps-bet': {
    story:
      'steps: [{ bet: { amount: "2.00" } }, { balance: }, { win: , sign: garbage, expect: refused }, { balance: }]',
    lies: { 'gives the bet back': movingSilently('3', '2.00') },
  },
  'win.without-bet': {
    story: 'steps: [{ win: { round: new }, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'is refused': [saying('1', refused), 'note'] },
  },
  'win.after-refund': {
    story: 'steps: [{ bet: }, { refund: }, { balance: }, { win: , expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'is refused': [changing('4', refused), 'note'] },
  },
});
