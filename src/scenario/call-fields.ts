import { money, name, templateText, word } from './scalar-shapes.ts';
import type { RoundChoice, TargetChoice } from './scenario.ts';
import { field, map, type Shape, transform } from './shape.ts';

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
