import { expect, it } from 'vitest';
import { answering, changing, moving, movingSilently, refused } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error, type Fault } from '../toy-wallet.ts';
import { judges } from './table.ts';

/** Carries out a step with any signature. */
const trusting =
  (key: string): Fault =>
  (request, honest, wallet) =>
    request.key === key ? wallet.answer({ ...request, signedRight: true }) : honest();

const noKey = error(401, 'Wrong signature');

const bad = (sign: string): string =>
  `steps: [{ bet: , as: earlier }, { balance: }, { win: { amount: "2.00" }, as: bad, sign: ${sign}, expect: refused }, { balance: }, { resend: bad, sign: valid }, { balance: }]`;

judges('signature', {
  'signature.accepted': {
    yaml: 'steps: [{ bet: }, { win: }, { balance: }]',
    faults: {
      'is refused': answering('1', noKey),
      'is of a form that is refused': answering('1', error(415, 'Not this form')),
      'is of a method that is refused': answering('1', error(405, 'Not this method')),
    },
  },
  'signature.mismatch': [
    {
      yaml: bad('garbage'),
      faults: {
        'is taken': trusting('3'),
        'is a 403': answering('3', error(403, 'No')),
        'is a 500': answering('3', error(500, 'No')),
      },
    },
    { yaml: bad('empty-key'), faults: { 'is taken': trusting('3') } },
    { yaml: bad('one-off'), faults: { 'is taken': trusting('3') } },
  ],
  'signature.missing': [
    {
      yaml: bad('missing'),
      faults: { 'is taken': trusting('3'), 'is a 400': answering('3', error(400, 'Sign it')) },
    },
    { yaml: bad('empty'), faults: { 'is taken': trusting('3') } },
  ],
  'signature.message': {
    yaml: bad('garbage'),
    faults: {
      'is empty': changing('3', { body: '' }),
      'is text': changing('3', { body: 'Unauthorized' }),
      'has no message': changing('3', { body: { error: 'signature' } }),
      'has a message that is no text': changing('3', { body: { message: 401 } }),
      'has a message that is null': changing('3', { body: { message: null } }),
    },
  },
  'signature.no-effect': {
    yaml: bad('garbage'),
    faults: {
      'moves money all the same': movingSilently('3', '2.00'),
      'uses its txID up': answering('5', error(409, 'Used')),
      'uses its txID up, but says 200': moving('5', '-2.00'),
    },
  },
  'signature.tampered-body': {
    yaml: 'steps: [{ bet: }, { balance: }, { win: , tamper: { body: { amount: "3.00" } }, expect: refused }, { balance: }, { win: }, { balance: }]',
    faults: { 'is taken': trusting('3') },
  },
  'signature.tampered-query': {
    yaml: 'steps: [{ balance: , query: { add: { language: en } }, expect: accepted }, { balance: , query: { add: { language: en } }, tamper: { query: { language: fr } }, expect: refused }]',
    faults: { 'is taken': trusting('2') },
  },
  'signature.raw-body': {
    yaml: 'steps: [{ bet: , body: { set: { note: plain } }, expect: accepted }, { bet: , body: { set: { note: "café/🎲" } }, expect: accepted }, { balance: }]',
    faults: {
      'is refused': answering('2', noKey),
      'is refused like any further field': [
        (request, honest) => (request.call === 'bet' ? refused : honest()),
        'untested',
      ],
    },
  },
  'signature.raw-body-escapes': {
    yaml: 'steps: [{ bet: , body: { set: { note: plain } }, expect: accepted }, { bet: , body: { set: { note: "<b>&" } }, expect: accepted }, { balance: }]',
    faults: { 'is refused': [answering('2', noKey), 'warn'] },
  },
  'signature.non-canonical': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: , body: { format: pretty }, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'is refused': [answering('3', noKey), 'note'] },
  },
  'signature.query-canonical': [
    {
      yaml: 'steps: [{ balance: }, { balance: , query: { add: { place: "north east" }, order: reversed, encode: all }, expect: accepted }]',
      faults: {
        'is refused': answering('2', noKey),
        'is refused like every read': [() => noKey, 'untested', ['signature.accepted']],
        'is declined for another reason': [answering('2', error(400, 'An unknown parameter')), 'skip'],
        'is lost': [(request, honest) => (request.key === '2' ? { none: 'reset' } : honest()), 'untested'],
      },
    },
    {
      yaml: 'steps: [{ balance: }, { balance: , query: { add: { note: "" } }, expect: accepted }]',
      faults: { 'is refused': answering('2', noKey) },
    },
    {
      yaml: 'steps: [{ balance: }, { balance: , query: { add: { "filter[kind]": "7" } }, expect: accepted }]',
      faults: { 'is refused': answering('2', noKey) },
    },
  ],
  'signature.query-unicode': {
    yaml: 'steps: [{ balance: , query: { add: { label: plain } }, expect: accepted }, { balance: , query: { add: { label: "a/b" } }, expect: accepted }]',
    faults: { 'is refused': [answering('2', noKey), 'warn'] },
  },
  'signature.header-case': {
    yaml: 'steps: [{ bet: , header-case: lower, expect: accepted }, { bet: }, { balance: }]',
    faults: { 'is not found': answering('1', noKey) },
  },
  'signature.client-key': {
    yaml: `needs: { client: other }\n${bad('other-client')}`,
    faults: { 'is taken': trusting('3') },
  },
  'signature.upper-case': {
    yaml: 'steps: [{ bet: }, { balance: }, { bet: , sign: upper-case, expect: either }, { balance: }]',
    honest: 'note',
    faults: { 'is refused': [answering('3', noKey), 'note'] },
  },
});

it.each([
  ['win: { amount: "0" }', 503, ['win.zero']],
  ['win: { amount: "0" }', 200, []],
  ['win: { type: free }', 404, ['free-rounds.win']],
  ['win: { amount: "2.00" }', 404, []],
] as const)('a wrong signature of %s that is answered %i may be explained by %j', (win, status, causes) => {
  const { findings } = judgeScenario(
    `rules: [signature.mismatch]\nsteps: [{ bet: }, { win: }, { bet: }, { balance: }, { ${win}, sign: garbage, expect: refused }]`,
    { fault: status === 200 ? trusting('5') : answering('5', error(status, 'No')) },
  );
  const breach = findings.find(({ rule, verdict }) => rule === 'signature.mismatch' && verdict === 'fail');
  expect(breach?.causes).toEqual(causes);
});

it('a 401 whose JSON is wrong in the same way as in all other replies is explained by reply.json', () => {
  const marked: Fault = (_request, honest) => {
    const reply = honest();
    return { ...reply, body: `\uFEFF${JSON.stringify(reply.body)}` };
  };
  expect(judgeScenario(bad('garbage'), { fault: marked }).broken).toEqual(['reply.json']);
  const onlyRefused: Fault = (request, honest, wallet) =>
    request.key === '3' ? marked(request, honest, wallet) : honest();
  expect(judgeScenario(bad('garbage'), { fault: onlyRefused }).broken).toEqual(['signature.message']);
});
