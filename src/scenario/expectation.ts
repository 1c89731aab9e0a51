import type { Expect } from './plan.ts';
import { anything, duration, integer, money, text, word } from './scalar-shapes.ts';
import type { Word } from './scenario.ts';
import { byKind, dictionary, field, list, map, refuse, type Shape, transform } from './shape.ts';

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

/** `expect:` */
export const expectation: Shape<Expect> = byKind('an outcome, or a map', {
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
