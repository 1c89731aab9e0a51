import {
  BODY_FORMATS,
  type BreakMoment,
  EARLY_BREAKS,
  HEADER_CASES,
  QUERY_ENCODINGS,
  QUERY_ORDERS,
  SIGN_KINDS,
  SIGN_MEANINGS,
  type Trickle,
} from '../../contract/deviation.ts';
import type { Expression, Template } from '../expressions/expression.ts';
import type { Deviations, Expect } from '../plan/plan.ts';
import type { Word } from '../scenario.ts';
import type { Range } from '../yaml/source.ts';
import { anything, duration, integer, money, name, templateText, text, word } from './scalar-shapes.ts';
import { byKind, dictionary, type Field, field, list, map, refuse, type Shape, transform } from './shape.ts';

/** The shape of `sign:`. */
const signs = word('a way to sign', SIGN_KINDS, SIGN_MEANINGS);

const SELF_AMOUNT: Expression = { kind: 'name', path: ['self', 'amount'], start: 0, end: 0 };
const UNIT: Expression = { kind: 'name', path: ['unit'], start: 0, end: 0 };
/** The change that `tamper: body` makes: the amount is one smallest unit higher than the signed amount. */
const ONE_UNIT_MORE: Template = {
  kind: 'expression',
  expression: { kind: 'arithmetic', operator: '+', left: SELF_AMOUNT, right: UNIT },
};

type Tamper = NonNullable<Deviations['tamper']>;

/** The shape of `tamper:`. */
const tamper: Shape<Tamper> = byKind('`body`, or a map of the fields to change', {
  scalar: transform(
    word('a part to tamper with', ['body', 'query'] as const),
    (part, node, reading): Tamper | undefined => {
      if (part === 'body') return { part, fields: [['amount', ONE_UNIT_MORE]] };
      reading.report(
        node.range,
        'the parameter of the query to change is missing',
        'write tamper: { query: { sessionID: "another" } }',
      );
      return undefined;
    },
  ),
  map: transform(
    map('tamper', {
      body: field(
        'Fields of the body to change after signing, with their new values. `tamper: body` without a map raises the amount by the smallest amount of the currency.',
        dictionary('a map of the fields to change', anything()),
      ),
      query: field(
        'Parameters of the query to change after signing, with their new values. Only for a balance call.',
        dictionary('a map of the parameters to change', templateText('the value of a parameter')),
      ),
    }),
    ({ values, keys, size, range }, _node, reading): Tamper | undefined => {
      if (keys.size !== 1) {
        if (size !== 1)
          reading.report(range, '`tamper` must change either the body or the query', 'write `body` or `query`');
        return undefined;
      }
      if (values.body) return { part: 'body', fields: values.body };
      return values.query && { part: 'query', fields: values.query };
    },
  ),
});

/** The shape of `body:`. */
const body: Shape<NonNullable<Deviations['body']>> = byKind(
  'a raw body as text, or a map with `set`, `drop`, `format`',
  {
    scalar: transform(templateText('a raw body'), (raw) => ({ raw })),
    map: transform(
      map('body', {
        set: field('Fields to add or to change.', dictionary('a map of fields', anything())),
        drop: field('Fields to omit.', list('a list of the names of fields', text('the name of a field'))),
        format: field(
          'The form in which the JSON is written. The values stay the same. Default: `canonical`.',
          word('a way to write the body', BODY_FORMATS, {
            canonical: 'the usual way',
            pretty: 'indented',
            spaced: 'a space after each comma and colon',
            unsorted: 'the names in reverse order',
            escaped: 'text with \\u escapes that are not necessary',
          }),
        ),
      }),
      ({ values, keys, range }, _node, reading) => {
        if (keys.size === 0) reading.report(range, 'this `body` changes nothing');
        const { set, drop, format } = values;
        return { ...(set && { set }), ...(drop && { drop: drop.map((each) => each.text) }), ...(format && { format }) };
      },
    ),
  },
);

/** The shape of `query:`. */
const query: Shape<NonNullable<Deviations['query']>> = transform(
  map('query', {
    add: field('Additional parameters.', dictionary('a map of parameters', templateText('the value of a parameter'))),
    order: field(
      'The order of the parameters. Default: `sorted`.',
      word('an order', QUERY_ORDERS, {
        sorted: 'by name',
        reversed: 'by name, from Z to A',
        'as-given': 'the usual parameters first, then those of `add` in their order',
      }),
    ),
    encode: field(
      'The characters that are percent-encoded. Default: `standard`.',
      word('a way to encode', QUERY_ENCODINGS, {
        standard: 'as `encodeURIComponent` in JavaScript',
        all: 'every byte',
        letters: 'also the first letter of each value',
        minimal: 'only the characters that must be percent-encoded',
        plus: 'a space is written as a plus',
      }),
    ),
  }),
  ({ values, size, range }, _node, reading) => {
    if (size === 0) reading.report(range, 'this `query` changes nothing');
    const { add, order, encode } = values;
    return { ...(add && { add }), ...(order && { order }), ...(encode && { encode }) };
  },
);

/** The shape of `break:`. */
const breaking: Shape<BreakMoment> = transform(
  duration('a time after the last byte', ['sent', ...EARLY_BREAKS]),
  (moment) => {
    if (moment === 'sent') return { at: 'sent', afterMs: 0 };
    return typeof moment === 'number' ? { at: 'sent', afterMs: moment } : { at: moment };
  },
);

const DEFAULT_GAP_MS = 50;
const pieces = integer('the number of pieces', 2, 1000);
/** The shape of `trickle:`. */
const trickle: Shape<Trickle> = byKind('a number of pieces, or a map with `pieces` and `gap`', {
  scalar: transform(pieces, (count) => ({ pieces: count, gapMs: DEFAULT_GAP_MS })),
  map: transform(
    map('trickle', {
      pieces: field('The number of pieces into which the body is divided.', pieces, true),
      gap: field(`The pause before each piece. Default: ${DEFAULT_GAP_MS}ms.`, duration('a time')),
    }),
    ({ values }) =>
      values.pieces === undefined ? undefined : { pieces: values.pieces, gapMs: values.gap ?? DEFAULT_GAP_MS },
  ),
});

const OUTCOMES = ['accepted', 'declined', 'refused', 'either'] as const;
const outcome = word('an outcome', OUTCOMES, {
  accepted: '200, with the effect that the contract defines for the call; any other reply fails the run',
  declined: 'an error without any effect on the balance',
  refused: '401 with a message and without any effect on the balance; the txID can be used again',
  either: 'the contract does not define the outcome, so croupier records it and does not judge it',
});

type Status = NonNullable<Expect['status']>[number];
const statusClass = word('a class of statuses', ['2xx', '3xx', '4xx', '5xx'] as const);
const statusNumber = integer('a status', 100, 599);
const status: Shape<Status> = {
  read(node, reading) {
    const resolved = reading.resolve(node);
    if (resolved.kind !== 'scalar') return refuse(reading, resolved, 'a status such as 401, or a class such as 4xx');
    return typeof resolved.value === 'string' && /x/i.test(resolved.value)
      ? statusClass.read(resolved, reading)
      : statusNumber.read(resolved, reading);
  },
  json: () => ({ anyOf: [statusNumber.json(), statusClass.json()] }),
};

const expectMap = map('expect', {
  outcome: field(
    'The expected outcome. Default: `declined` if the step expects an error (`status` or `code`), otherwise `accepted`.',
    outcome,
  ),
  status: field(
    'The expected status: a number, a class such as 4xx, or a list of numbers and classes. Default: every status that fits the outcome.',
    byKind<readonly Status[], never, readonly Status[]>('a status or a list of statuses', {
      scalar: transform(status, (one) => [one]),
      list: list('a list of statuses', status),
    }),
  ),
  code: field('The expected `code` of the error.', text('an error code')),
  reply: field('`same`: the reply must equal the reply to the first call.', word('a reply', ['same'] as const)),
  moves: field(
    "The expected change of the balance in the step's session. It is negative if the balance falls.",
    money('an amount', true),
  ),
  within: field('The whole reply must arrive within this time. Default: the deadline of the run.', duration('a time')),
  body: field(
    "Expected values in the reply's body, by dotted path.",
    dictionary('a map from paths to values', anything()),
  ),
});

/** The shape of `expect:`. */
const expectation: Shape<Expect> = byKind('an outcome, or a map', {
  scalar: transform(outcome, (found) => ({ outcome: found, stated: true })),
  map: transform(expectMap, ({ values, keys, size, range }, _node, reading): Expect => {
    if (size === 0) reading.report(range, 'this `expect` is empty', `possible here: ${OUTCOMES.join(', ')}, or a map`);
    const { status: statuses, code, reply, moves, within, body: paths } = values;
    const fails = code !== undefined || (statuses !== undefined && !statuses.some(isSuccess));
    const found = values.outcome ?? (fails ? 'declined' : 'accepted');
    contradictions(found, values, (key, message) => reading.report(keys.get(key) ?? range, message));
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
  report: (key: string, message: string) => void,
): void {
  const statuses = values.status ?? [];
  if (found === 'accepted' && statuses.length > 0 && !statuses.some(isSuccess))
    report('status', 'an accepted call is answered with 200');
  if (found === 'accepted' && values.code) report('code', 'an accepted call has no error code');
  if (found === 'declined' && statuses.length > 0 && statuses.every(isSuccess))
    report('status', 'a declined call is not answered with 200');
  if (found === 'refused' && statuses.length > 0 && !statuses.some((each) => each === 401 || each === '4xx'))
    report('status', 'a refused call is answered with 401');
}

const MAX_TIMES = 1_000_000;
/** Maximum number of connections that are open at the same time. */
export const MAX_AT_ONCE = 1000;

/** The keys of a step that change how it is sent or say what is expected. */
export const MODIFIERS = {
  as: field('A name by which other steps can refer to this step.', name('a name')),
  expect: field(
    'The reply that this scenario expects. croupier also checks the rules of the contract, with or without `expect`.',
    expectation,
  ),
  sign: field('The kind of signature of the call. Default: `valid`.', signs),
  tamper: field('The part of the call that is changed after signing.', tamper),
  'header-case': field(
    'The letter case in which the name of the header X-REQUEST-SIGN is written. Default: `upper`.',
    word('a letter case', HEADER_CASES),
  ),
  body: field(
    'A body that the service would not send, with a correct signature: raw text, or a map with `set`, `drop` and `format`.',
    body,
  ),
  query: field('A query that the service would not send, with a correct signature. Only for a balance call.', query),
  break: field(
    'The moment when croupier breaks the connection. `head`: after the headers. `half-body`: after half of the body. `sent`: after the last byte. A duration: this time after the last byte, unless the reply comes earlier.',
    breaking,
  ),
  trickle: field(
    `The body is sent in this number of pieces, with a pause of ${DEFAULT_GAP_MS} ms before each piece. A map can set another pause.`,
    trickle,
  ),
  times: field(
    'The number of times that the call is sent, each time with new ids: one after another, or at the same moment inside `together`. Default: 1.',
    integer('a number of times', 1, MAX_TIMES),
  ),
  copies: field(
    'The number of copies of the same bytes that are sent at the same moment (only inside `together`). Default: 1.',
    integer('a number of copies', 2, MAX_AT_ONCE),
  ),
  after: field(
    'The time to wait before a balance read, such as `500ms`. `linger`: the configured time (2 s by default) after which a late debit would be visible. Default: no time.',
    duration('a time', ['linger']),
  ),
  eventually: field(
    'croupier reads the balance again until it is as expected, or until this time is over. Default: one read.',
    duration('a time'),
  ),
  at: field(
    'The time when the step begins, counted from the first step. Inside a `together`, the time when the call is sent, counted from the first call of the `together`.',
    duration('a time'),
  ),
};

type ValueOf<F> = F extends Field<infer T> ? T : never;

/** The modifiers of one step: the values that have no mistake, and the place of each key. */
export interface Modifiers {
  readonly values: { readonly [K in keyof typeof MODIFIERS]?: ValueOf<(typeof MODIFIERS)[K]> };
  readonly keys: ReadonlyMap<string, Range>;
}
