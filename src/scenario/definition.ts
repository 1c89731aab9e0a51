import { CALL_NAMES } from '../contract/call-name.ts';
import { body, breaking, query, signs, tamper, trickle } from './deviation-shapes.ts';
import { expectation } from './expectation.ts';
import { HEADER_CASES } from './plan.ts';
import { duration, integer, name, text, word } from './scalar-shapes.ts';
import { byKind, field, map, refuse, type Shape, transform } from './shape.ts';

const MOST_TIMES = 1_000_000;
/** More connections than this are not opened side by side. */
export const MOST_AT_ONCE = 1000;

/** What a step can say beside its verb. */
export const MODIFIERS = {
  as: field('A name, by which other steps can refer to this one.', name('a name')),
  expect: field('What is particular to this story. What the contract says anyway need not be written.', expectation),
  sign: field('How the call is signed.', signs),
  tamper: field('What is changed after signing.', tamper),
  'header-case': field("The letter case of the header's name.", word('a letter case', HEADER_CASES)),
  body: field(
    'Another body than the service would send, rightly signed: a map with `set`, `drop`, `format`, or raw text.',
    body,
  ),
  query: field('Another query than the service would send, rightly signed. Of a balance call only.', query),
  break: field(
    'When the connection is broken: `sent` (after the last byte), `head`, `half-body`, or so long after the last byte.',
    breaking,
  ),
  trickle: field('The body is sent in so many pieces.', trickle),
  times: field(
    'Sent so many times, with fresh ids each time; one after another, or at once within `together`.',
    integer('a number of times', 1, MOST_TIMES),
  ),
  copies: field(
    'So many copies of the same bytes, at once. Only within `together`.',
    integer('a number of copies', 2, MOST_AT_ONCE),
  ),
  after: field(
    'When the balance is read: `linger`, once a late debit would have shown, or after so long.',
    duration('a time', ['linger']),
  ),
  eventually: field('The balance is read again and again, for so long at most, until it is right.', duration('a time')),
  at: field(
    'When the step begins, counted from the first step; within `together`, when the call leaves, counted from its first.',
    duration('a time'),
  ),
};

const EARLIER_CALLS = ['bet', 'win', 'refund'] as const;

/** What a resend sends again. */
export const RESENT = byKind('the name of a step, or a map with `earliest` or `earlier-run`', {
  scalar: name('the name of a step'),
  map: transform(
    map('resend', {
      earliest: field('The earliest accepted transaction of that kind of this run.', word('a call', EARLIER_CALLS)),
      'earlier-run': field('A transaction of an earlier run (`run --after JOURNAL`).', word('a call', EARLIER_CALLS)),
    }),
    ({ values, keys, size, spot }, _cell, reading) => {
      if (keys.size !== 1) {
        if (size !== 1) reading.complain(spot, 'resend says either `earliest` or `earlier-run`');
        return undefined;
      }
      if (values.earliest) return { call: values.earliest, from: 'run' as const };
      return values['earlier-run'] && { call: values['earlier-run'], from: 'journal' as const };
    },
  ),
});

/** Of a verb that says all by itself. */
export const NOTHING: Shape<null> = {
  read(cell, reading) {
    const settled = reading.settle(cell);
    return settled.kind === 'scalar' && settled.value === null
      ? null
      : refuse(reading, settled, 'nothing after the colon');
  },
  json: () => ({ type: 'null' }),
};

export const CALL_WORD = word('a call', CALL_NAMES);
export const WAIT = duration('a time', ['linger']);
export const FRAGMENT_PATH = text('the path of a fragment file');
