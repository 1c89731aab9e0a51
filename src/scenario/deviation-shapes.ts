import type { Expression } from './expression.ts';
import {
  BODY_FORMATS,
  type BreakMoment,
  type Deviations,
  QUERY_ENCODINGS,
  QUERY_ORDERS,
  SIGN_KINDS,
  type Template,
} from './plan.ts';
import { anything, duration, integer, templateText, text, word } from './scalar-shapes.ts';
import { byKind, dictionary, field, list, map, type Shape, transform } from './shape.ts';

/** `sign:` */
export const signs = word('a way to sign', SIGN_KINDS, {
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

/** `tamper:` */
export const tamper: Shape<Tamper> = byKind('`body`, or a map of the fields to change', {
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

/** `body:` */
export const body: Shape<NonNullable<Deviations['body']>> = byKind(
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

/** `query:` */
export const query: Shape<NonNullable<Deviations['query']>> = transform(
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

/** `break:` */
export const breaking: Shape<BreakMoment> = transform(
  duration('a time after the last byte', ['sent', 'head', 'half-body']),
  (moment) => {
    if (moment === 'sent') return { at: 'sent', afterMs: 0 };
    return typeof moment === 'number' ? { at: 'sent', afterMs: moment } : { at: moment };
  },
);

const DEFAULT_GAP_MS = 50;
const pieces = integer('the number of pieces', 2, 1000);
/** `trickle:` */
export const trickle: Shape<NonNullable<Deviations['trickle']>> = byKind(
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
