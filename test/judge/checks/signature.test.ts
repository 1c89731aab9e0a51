import { changing, moving, movingSilently, refused, saying } from '../lies.ts';
import { error, type Lie } from '../toy-wallet.ts';
import { judges } from './table.ts';

/** Takes a step whatever its signature. */
const trusting =
  (key: string): Lie =>
  (ask, tell, wallet) =>
    ask.key === key ? wallet.answer({ ...ask, signedRight: true }) : tell();

const noKey = error(401, 'Wrong signature');

const bad = (sign: string): string =>
  `steps: [{ bet: , as: earlier }, { balance: }, { win: { amount: "2.00" }, as: bad, sign: ${sign}, expect: refused }, { balance: }, { resend: bad, sign: valid }, { balance: }]`;

judges('signature', {
  'signature.accepted': {
    story: 'steps: [{ bet: }, { win: }, { balance: }]',
    lies: {
      'is refused': saying('1', noKey),
      'is of a form that is refused': saying('1', error(415, 'Not this form')),
      'is of a method that is refused': saying('1', error(405, 'Not this method')),
    },
  },
  'signature.mismatch': [
    {
      story: bad('garbage'),
      lies: {
        'is taken': trusting('3'),
        'is a 403': saying('3', error(403, 'No')),
        'is a 500': saying('3', error(500, 'No')),
      },
    },
    { story: bad('one-off'), lies: { 'is taken': trusting('3') } },
  ],
  'signature.missing': [
    { story: bad('missing'), lies: { 'is taken': trusting('3'), 'is a 400': saying('3', error(400, 'Sign it')) } },
    { story: bad('empty'), lies: { 'is taken': trusting('3') } },
  ],
  'signature.message': {
    story: bad('garbage'),
    lies: {
      'is empty': changing('3', { body: '' }),
      'is text': changing('3', { body: 'Unauthorized' }),
      'has no message': changing('3', { body: { error: 'signature' } }),
      'has a message that is no text': changing('3', { body: { message: 401 } }),
      'has a message that is null': changing('3', { body: { message: null } }),
    },
  },
  'signature.no-effect': {
    story: bad('garbage'),
    lies: {
      'moves money all the same': movingSilently('3', '2.00'),
      'uses its txID up': saying('5', error(409, 'Used')),
      'uses its txID up, but says 200': moving('5', '-2.00'),
    },
  },
  'signature.tampered-body': {
    story:
      'steps: [{ bet: }, { balance: }, { win: , tamper: { body: { amount: "3.00" } }, expect: refused }, { balance: }, { win: }, { balance: }]',
    lies: { 'is taken': trusting('3') },
  },
  'signature.tampered-query': {
    story:
      'steps: [{ balance: , query: { add: { language: en } }, expect: accepted }, { balance: , query: { add: { language: en } }, tamper: { query: { language: fr } }, expect: refused }]',
    lies: { 'is taken': trusting('2') },
  },
  'signature.raw-body': {
    story:
      'steps: [{ bet: , body: { set: { note: plain } }, expect: accepted }, { bet: , body: { set: { note: "café/🎲" } }, expect: accepted }, { balance: }]',
    lies: {
      'is refused': saying('2', noKey),
      'is refused like any further field': [(ask, tell) => (ask.call === 'bet' ? refused : tell()), 'untested'],
    },
  },
  'signature.raw-body-escapes': {
    story:
      'steps: [{ bet: , body: { set: { note: plain } }, expect: accepted }, { bet: , body: { set: { note: "<b>&" } }, expect: accepted }, { balance: }]',
    lies: { 'is refused': [saying('2', noKey), 'warn'] },
  },
  'signature.non-canonical': {
    story: 'steps: [{ bet: }, { balance: }, { bet: , body: { format: pretty }, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'is refused': [saying('3', noKey), 'note'] },
  },
  'signature.query-canonical': {
    story:
      'steps: [{ balance: , query: { add: { language: en } }, expect: accepted }, { balance: , query: { add: { place: "north east" }, order: reversed, encode: all }, expect: accepted }]',
    lies: {
      'is refused': saying('2', noKey),
      'is lost': [(ask, tell) => (ask.key === '2' ? { none: 'reset' } : tell()), 'untested'],
    },
  },
  'signature.query-unicode': {
    story:
      'steps: [{ balance: , query: { add: { label: plain } }, expect: accepted }, { balance: , query: { add: { label: "a/b" } }, expect: accepted }]',
    lies: { 'is refused': [saying('2', noKey), 'warn'] },
  },
  'signature.header-case': {
    story: 'steps: [{ bet: , header-case: lower, expect: accepted }, { bet: }, { balance: }]',
    lies: { 'is not found': saying('1', noKey) },
  },
  'signature.client-key': {
    story: `needs: { client: other }\n${bad('other-client')}`,
    lies: { 'is taken': trusting('3') },
  },
  'signature.upper-case': {
    story: 'steps: [{ bet: }, { balance: }, { bet: , sign: upper-case, expect: either }, { balance: }]',
    honest: 'note',
    lies: { 'is refused': [saying('3', noKey), 'note'] },
  },
});
