import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { SignKind } from '../../scenario/plan.ts';
import {
  breach,
  type Decision,
  described,
  type GroupChecks,
  isOfForm,
  ownLimit,
  PASS,
  type RuleCheck,
  type Seen,
  wants200,
} from '../check.ts';
import { isPlain, type Part } from '../story.ts';

const WRONG: readonly (SignKind | undefined)[] = [
  'garbage',
  'malformed',
  'wrong-key',
  'truncated',
  'prefix',
  'suffix',
  'one-off',
  'base64',
  'of-other-body',
];

const sentAs = (part: Part, ...kinds: readonly (SignKind | undefined)[]): boolean =>
  part.step.deviations.sign !== undefined && kinds.includes(part.step.deviations.sign);

const isNewCall = ({ step }: Part): boolean => step.origin.kind === 'fresh';

const isPost = ({ step }: Part): boolean => step.call !== 'balance';

/** Text in which the published verifiers of some languages write JSON differently. */
const ESCAPED_BY_SOME = /[<>&\u2028]/;
const ANY_TEXT = /[/\u0080-\uffff]/;

function bodyText(part: Part): string {
  const set = part.step.deviations.body?.set ?? [];
  return JSON.stringify(set.map(([, template]) => template));
}

function queryText(part: Part): string {
  const add = part.step.deviations.query?.add ?? [];
  return JSON.stringify(add.map(([, template]) => template));
}

const isEscapedText = (text: string): boolean => ESCAPED_BY_SOME.test(text) || text.includes('\\u2028');

const withText = (part: Part): boolean =>
  isPost(part) &&
  isNewCall(part) &&
  part.signedRight &&
  ANY_TEXT.test(bodyText(part)) &&
  !isEscapedText(bodyText(part)) &&
  part.step.expect.outcome === 'accepted';

const withEscapes = (part: Part): boolean =>
  isPost(part) &&
  isNewCall(part) &&
  part.signedRight &&
  isEscapedText(bodyText(part)) &&
  part.step.expect.outcome === 'accepted';

const hasOddText = (part: Part): boolean => isEscapedText(queryText(part)) || ANY_TEXT.test(queryText(part));

/** @param rung the rule about any wrong signature, of which all others are special cases; undefined: it is that one */
function wants401(seen: Seen, what: string, rung: readonly RuleId[]): Decision {
  if (seen.closes) return breach(`${what} is answered 401`, described(seen), rung);
  if (!seen.reading) return { kind: 'undecided', reason: described(seen) };
  if (seen.answer === 'refused') return PASS;
  const limit = ownLimit(seen);
  if (limit) return { kind: 'skip', reason: limit };
  return breach(
    `${what} is answered 401`,
    described(seen),
    seen.answer === 'error-200'
      ? ['reply.error-is-not-200']
      : // Another status than 401 is one fault, in whatever way the signature was wrong.
        seen.answer === 'declined' || seen.answer === 'failed'
        ? rung
        : [],
  );
}

function refusedOf(
  what: string,
  applies: RuleCheck['applies'],
  rung: readonly RuleId[] = ['signature.mismatch'],
): RuleCheck {
  return { controlled: 1, applies, reply: (seen) => wants401(seen, what, rung) };
}

function acceptedOf(what: string, applies: RuleCheck['applies'], controlled: 1 | 2 | 3 = 1): RuleCheck {
  return { controlled, applies, reply: (seen) => wants200(seen, what) ?? PASS };
}

/** What a call that was answered 401 would have moved. */
function offsetsOfRefused(seen: Seen): ReturnType<NonNullable<RuleCheck['offsets']>> {
  return seen.answer === 'refused' && !seen.effect.isZero()
    ? [{ by: seen.effect, meaning: 'the call that was answered 401 was carried out all the same' }]
    : [];
}

/** The refused call once more, this time rightly signed: its txID must still be free. */
const isMended = (part: Part): boolean =>
  part.step.origin.kind === 'resend' &&
  part.regular &&
  part.source !== null &&
  part.source.step.expect.outcome === 'refused' &&
  isPost(part);

export const signatureChecks: GroupChecks<'signature'> = {
  'signature.accepted': {
    applies: (part) =>
      isPlain(part) ||
      (part.step.origin.kind === 'resend' && part.regular && part.source?.step.expect.outcome === 'refused'),
    reply(seen) {
      if (!seen.reading) return undefined;
      // A replay that is refused because its txID was used up is told under `signature.no-effect`.
      if (seen.answer !== 'refused' && !isOfForm(seen.reading.status)) return PASS;
      return breach(`a correctly signed ${nameOf(seen.part.step.call)} is let in`, described(seen));
    },
  },
  'signature.mismatch': refusedOf(
    'a wrong signature',
    (part) => sentAs(part, ...WRONG) && part.step.expect.outcome === 'refused',
    [],
  ),
  'signature.missing': refusedOf(
    'a call without a signature',
    (part) => sentAs(part, 'missing', 'empty') && part.step.expect.outcome === 'refused',
  ),

  'signature.message': {
    applies: (part) => part.step.expect.outcome === 'refused',
    reply(seen) {
      const { reading } = seen;
      if (seen.answer !== 'refused' || !reading) return undefined;
      if (reading.messageForm === 'text' && reading.problem === undefined) return PASS;
      const actual = reading.object
        ? `the 401 has ${reading.message === undefined ? 'no `message`' : 'a `message`'} but is not sound JSON`
        : 'the body of the 401 is not a JSON object';
      return breach(
        'a 401 carries a JSON body with a `message` string',
        reading.object && reading.messageForm === 'missing'
          ? 'the 401 has no `message`'
          : reading.messageForm === 'other'
            ? 'its `message` is not a string'
            : actual,
      );
    },
  },

  'signature.no-effect': {
    effect: 'a call that was answered 401 moves nothing and leaves its txID free',
    applies: (part) =>
      (isPost(part) && part.step.expect.outcome === 'refused' && !part.signedRight) ||
      (isPost(part) && sentAs(part, 'upper-case')) ||
      isMended(part),
    reply(seen) {
      if (!isMended(seen.part) || seen.earlier?.state !== 'refused' || seen.answer === 'refused') return undefined;
      const refused = wants200(seen, 'a call that was answered 401, sent again with the right signature,');
      return refused;
    },
    offsets(seen) {
      if (!isMended(seen.part)) return offsetsOfRefused(seen);
      return seen.answer === 'accepted' && seen.earlier?.state === 'refused' && !seen.effect.isZero()
        ? [
            {
              by: seen.effect.negated(),
              meaning: 'its txID was used up by the call that was answered 401',
              causes: ['bet.debit', 'win.credit', 'refund.restore'],
            },
          ]
        : [];
    },
  },

  'signature.tampered-body': refusedOf(
    'a body that was changed after it was signed',
    (part) => part.step.deviations.tamper?.part === 'body' && part.step.expect.outcome === 'refused',
  ),
  'signature.tampered-query': refusedOf(
    'a query that was changed after it was signed',
    (part) => part.step.deviations.tamper?.part === 'query' && part.step.expect.outcome === 'refused',
  ),
  'signature.raw-body': acceptedOf('a body whose text JSON libraries write in different ways', withText, 2),
  'signature.raw-body-escapes': acceptedOf('a body with `<`, `>`, `&` or U+2028', withEscapes, 3),

  'signature.non-canonical': {
    observed: true,
    applies: (part) =>
      isPost(part) &&
      part.step.deviations.body?.format !== undefined &&
      part.step.deviations.body.format !== 'canonical',
  },

  'signature.query-canonical': acceptedOf(
    'GET /balance, whatever the order and encoding of its query,',
    (part) =>
      part.step.call === 'balance' &&
      part.signedRight &&
      part.step.expect.outcome === 'accepted' &&
      part.step.deviations.query !== undefined &&
      (part.step.deviations.query.order !== undefined || part.step.deviations.query.encode !== undefined) &&
      !hasOddText(part),
    2,
  ),
  'signature.query-unicode': acceptedOf(
    'GET /balance with text that JSON libraries escape in different ways',
    (part) =>
      part.step.call === 'balance' && part.signedRight && part.step.expect.outcome === 'accepted' && hasOddText(part),
    3,
  ),
  'signature.header-case': acceptedOf(
    'a call whose signature header is written in another letter case',
    (part) =>
      part.step.deviations.headerCase !== undefined && part.signedRight && part.step.expect.outcome === 'accepted',
  ),
  'signature.client-key': refusedOf(
    "a call signed with another client's key",
    (part) => sentAs(part, 'other-client') && part.step.expect.outcome === 'refused',
  ),

  'signature.upper-case': { observed: true, applies: (part) => sentAs(part, 'upper-case') },
};

function nameOf(call: CallName): string {
  return call === 'balance' ? 'GET /balance' : `POST /${call}`;
}
