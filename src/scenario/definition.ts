import { CALL_NAMES } from '../contract/call-name.ts';
import type { Expression } from './expression.ts';
import {
  BODY_FORMATS,
  type BreakMoment,
  type Deviations,
  type Expect,
  HEADER_CASES,
  QUERY_ENCODINGS,
  QUERY_ORDERS,
  SIGN_KINDS,
  type Template,
} from './plan.ts';
import type { RoundChoice, TargetChoice, Word } from './scenario.ts';
import {
  anything,
  byKind,
  dictionary,
  duration,
  field,
  integer,
  list,
  map,
  money,
  name,
  refuse,
  type Shape,
  templateText,
  text,
  transform,
  word,
} from './shape.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const round: Shape<RoundChoice> = transform(
  templateText('a round: the name of a step, `new`, `none` or an id'),
  (template, cell, reading) => {
    if (template.kind !== 'literal' || typeof template.value !== 'string') return { kind: 'given', id: template };
    if (template.value === 'new' || template.value === 'none') return { kind: template.value };
    if (UUID.test(template.value)) return { kind: 'given', id: template };
    const named = name('the name of a step').read(cell, reading);
    return named && { kind: 'of-step', name: named };
  },
);

const target: Shape<TargetChoice> = transform(name('the name of a step, or `unknown`'), (named) =>
  named.text === 'unknown' ? { kind: 'unknown' } : { kind: 'step', name: named },
);

const session = field(
  'Alias of the session, as in `needs`. Left out: the first session. `unknown`: one that the operator never issued.',
  name('the alias of a session'),
);
const amount = field('How much, in the main unit: a decimal in quotes, or an expression.', money('an amount', false));
const txID = field('The transaction id. Left out: a fresh UUID v4.', templateText('a txID'));
const roundField = field(
  'The round: the name of a step whose round it is, `new`, or an id. Left out: a new one for a bet, that of the latest bet for a win, that of the refunded bet for a refund.',
  round,
);
const type = field(
  '`free` marks a free round; left out: `regular`.',
  word('a type of round', ['regular', 'free'] as const),
);
const frID = field("The campaign's id. Left out in a free round: the configured campaign's.", templateText('a frID'));

const playFields = { amount, type, frID, round: roundField, session, txID };
const refundFields = {
  of: field(
    'Which bet it gives back: the name of a step, or `unknown` for one that exists nowhere. Left out: the latest bet.',
    target,
  ),
  amount,
  round: field('The round; `none` leaves it out. Left out here: that of the refunded bet.', round),
  session,
  txID,
  origTxID: field('The id of the original bet, where `of` does not do.', templateText('an origTxID')),
};

/** The fields of each call. */
export const CALL_FIELDS = {
  bet: map('a bet', playFields, 'may be empty'),
  win: map('a win', playFields, 'may be empty'),
  refund: map('a refund', refundFields, 'may be empty'),
  balance: map('a balance call', { session }, 'may be empty'),
};

const signs = word('a way to sign', SIGN_KINDS, {
  valid: 'right; signs a resend anew',
  missing: 'no header',
  empty: 'a header without a value',
  garbage: '64 hexadecimal digits that have nothing to do with it',
  malformed: 'text that is no signature',
  'wrong-key': 'the right form, with a key that nobody has',
  'other-client': 'with the key of another ExtCID of the same operator',
  truncated: 'the first half of the right one',
  prefix: 'only the first 8 digits are right',
  suffix: 'only the last 8 digits are right',
  'one-off': 'only the last digit is wrong',
  'upper-case': 'right, in upper-case hexadecimal',
  base64: 'the right bytes, in base64',
  'of-other-body': 'right for another body',
});

const SELF_AMOUNT: Expression = { kind: 'name', path: ['self', 'amount'], start: 0, end: 0 };
const UNIT: Expression = { kind: 'name', path: ['unit'], start: 0, end: 0 };
/** What the short `tamper: body` does: one smallest unit more than was signed. */
const ONE_UNIT_MORE: Template = {
  kind: 'expression',
  expression: { kind: 'arithmetic', operator: '+', left: SELF_AMOUNT, right: UNIT },
};

type Tamper = NonNullable<Deviations['tamper']>;

const tamper: Shape<Tamper> = byKind('`body`, or a map of the fields to change', {
  scalar: transform(
    word('a part to tamper with', ['body', 'query'] as const),
    (part, cell, reading): Tamper | undefined => {
      if (part === 'body') return { part, fields: [['amount', ONE_UNIT_MORE]] };
      reading.complain(
        cell.spot,
        'which parameter of the query is changed?',
        'write tamper: { query: { sessionID: "another" } }',
      );
      return undefined;
    },
  ),
  map: transform(
    map('tamper', {
      body: field(
        'Fields of the body to change after signing.',
        dictionary('a map of the fields to change', anything()),
      ),
      query: field(
        'Parameters of the query to change after signing.',
        dictionary('a map of the parameters to change', templateText('the value of a parameter')),
      ),
    }),
    ({ values, keys, size, spot }, _cell, reading): Tamper | undefined => {
      if (keys.size !== 1) {
        if (size !== 1)
          reading.complain(spot, 'tamper changes either the body or the query', 'write one of `body` and `query`');
        return undefined;
      }
      if (values.body) return { part: 'body', fields: values.body };
      return values.query && { part: 'query', fields: values.query };
    },
  ),
});

const body: Shape<NonNullable<Deviations['body']>> = byKind(
  'a raw body as text, or a map with `set`, `drop`, `format`',
  {
    scalar: transform(templateText('a raw body'), (raw) => ({ raw })),
    map: transform(
      map('body', {
        set: field('Fields to put in, or to give another value.', dictionary('a map of fields', anything())),
        drop: field('Fields to leave out.', list('a list of the names of fields', text('the name of a field'))),
        format: field('Another way to write the same JSON.', word('a way to write the body', BODY_FORMATS)),
      }),
      ({ values, keys, spot }, _cell, reading) => {
        if (keys.size === 0) reading.complain(spot, 'this `body` changes nothing');
        const { set, drop, format } = values;
        return { ...(set && { set }), ...(drop && { drop: drop.map((each) => each.text) }), ...(format && { format }) };
      },
    ),
  },
);

const query: Shape<NonNullable<Deviations['query']>> = transform(
  map('query', {
    add: field('Further parameters.', dictionary('a map of parameters', templateText('the value of a parameter'))),
    order: field('In which order the parameters are written.', word('an order', QUERY_ORDERS)),
    encode: field('How much is percent-encoded.', word('a way to encode', QUERY_ENCODINGS)),
  }),
  ({ values, size, spot }, _cell, reading) => {
    if (size === 0) reading.complain(spot, 'this `query` changes nothing');
    const { add, order, encode } = values;
    return { ...(add && { add }), ...(order && { order }), ...(encode && { encode }) };
  },
);

const breaking: Shape<BreakMoment> = transform(
  duration('a time after the last byte', ['sent', 'head', 'half-body']),
  (moment) => {
    if (moment === 'sent') return { at: 'sent', afterMs: 0 };
    return typeof moment === 'number' ? { at: 'sent', afterMs: moment } : { at: moment };
  },
);

const DEFAULT_GAP_MS = 50;
const pieces = integer('the number of pieces', 2, 1000);
const trickle: Shape<NonNullable<Deviations['trickle']>> = byKind(
  'a number of pieces, or a map with `pieces` and `gap`',
  {
    scalar: transform(pieces, (count) => ({ pieces: count, gapMs: DEFAULT_GAP_MS })),
    map: transform(
      map('trickle', {
        pieces: field('Into how many pieces the body is cut.', pieces, true),
        gap: field('The pause between two pieces.', duration('a time')),
      }),
      ({ values }) =>
        values.pieces === undefined ? undefined : { pieces: values.pieces, gapMs: values.gap ?? DEFAULT_GAP_MS },
    ),
  },
);

const OUTCOMES = ['accepted', 'declined', 'refused', 'either'] as const;
const outcome = word('an outcome', OUTCOMES, {
  accepted: '200, with the effect that the contract gives the call',
  declined: 'an error; nothing moved',
  refused: '401 with a message; nothing moved; the txID is not used up',
  either: 'left open: what happens is written down',
});

type Status = NonNullable<Expect['status']>[number];
const statusClass = word('a class of statuses', ['2xx', '3xx', '4xx', '5xx'] as const);
const statusNumber = integer('a status', 100, 599);
const status: Shape<Status> = {
  read(cell, reading) {
    const settled = reading.settle(cell);
    if (settled.kind !== 'scalar') return refuse(reading, settled, 'a status such as 401, or a class such as 4xx');
    return typeof settled.value === 'string' && /x/i.test(settled.value)
      ? statusClass.read(settled, reading)
      : statusNumber.read(settled, reading);
  },
  json: () => ({ anyOf: [statusNumber.json(), statusClass.json()] }),
};

const expectMap = map('expect', {
  outcome: field('What happens; left out: accepted, or declined where `status` or `code` says so.', outcome),
  status: field(
    'The status: a number, a class such as 4xx, or a list of them.',
    byKind<readonly Status[], never, readonly Status[]>('a status or a list of statuses', {
      scalar: transform(status, (one) => [one]),
      list: list('a list of statuses', status),
    }),
  ),
  code: field("The error's `code`.", text('an error code')),
  reply: field('`same`: the reply is that of the first call.', word('a reply', ['same'] as const)),
  moves: field(
    "By how much the balance of the step's session changes; negative where it falls.",
    money('an amount', true),
  ),
  within: field('The whole reply comes within this time.', duration('a time')),
  body: field("Values in the reply's body, by dotted path.", dictionary('a map from paths to values', anything())),
});

/** What an author's `expect` says. */
const expect: Shape<Expect> = byKind('an outcome, or a map', {
  scalar: transform(outcome, (found) => ({ outcome: found, stated: true })),
  map: transform(expectMap, ({ values, keys, size, spot }, _cell, reading): Expect => {
    if (size === 0)
      reading.complain(spot, 'this `expect` says nothing', `possible here: ${OUTCOMES.join(', ')}, or a map`);
    const { status: statuses, code, reply, moves, within, body: paths } = values;
    const fails = code !== undefined || (statuses !== undefined && !statuses.some(isSuccess));
    const found = values.outcome ?? (fails ? 'declined' : 'accepted');
    contradictions(found, values, (key, message) => reading.complain(keys.get(key) ?? spot, message));
    return {
      outcome: found,
      stated: true,
      ...(statuses && { status: statuses }),
      ...(code && { code: code.text }),
      ...(reply && { reply }),
      ...(moves && { moves }),
      ...(within !== undefined && { withinMs: within }),
      ...(paths && { body: paths }),
    };
  }),
});

function isSuccess(each: Status): boolean {
  return each === 200 || each === '2xx';
}

function contradictions(
  found: Expect['outcome'],
  values: { readonly status?: readonly Status[]; readonly code?: Word },
  complain: (key: string, message: string) => void,
): void {
  const statuses = values.status ?? [];
  if (found === 'accepted' && statuses.length > 0 && !statuses.some(isSuccess))
    complain('status', 'what is accepted is answered 200');
  if (found === 'accepted' && values.code) complain('code', 'what is accepted has no error code');
  if (found === 'declined' && statuses.length > 0 && statuses.every(isSuccess))
    complain('status', 'what is declined is not answered 200');
  if (found === 'refused' && statuses.length > 0 && !statuses.some((each) => each === 401 || each === '4xx'))
    complain('status', 'what is refused is answered 401');
}

const MOST_TIMES = 1_000_000;
const MOST_COPIES = 1000;

/** What a step can say beside its verb. */
export const MODIFIERS = {
  as: field('A name, by which other steps can refer to this one.', name('a name')),
  expect: field('What is particular to this story. What the contract says anyway need not be written.', expect),
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
    integer('a number of copies', 2, MOST_COPIES),
  ),
  after: field(
    'When the balance is read: `linger`, once a late debit would have shown, or after so long.',
    duration('a time', ['linger']),
  ),
  eventually: field('The balance is read again and again, for so long at most, until it is right.', duration('a time')),
  at: field('When the step begins, counted from the first step.', duration('a time')),
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

export const CALL_WORD = word('a call', CALL_NAMES);
export const WAIT = duration('a time', ['linger']);
export const FRAGMENT_PATH = text('the path of a fragment file');
export const FRAGMENT_ARGUMENTS = dictionary('a map of parameters', anything());
