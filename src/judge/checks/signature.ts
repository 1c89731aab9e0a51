import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { SignKind } from '../../contract/deviation.ts';
import { isFormRejected, isGatewayError, isRedirect } from '../../reply/status.ts';
import { breach, type Decision, explainedBy, PASS } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import { isPlain, type PlannedCall } from '../planned-calls.ts';
import { check200, decisionOnReply, type GroupChecks, isLimitCode, type RuleCheck } from './check.ts';

const WRONG: readonly (SignKind | undefined)[] = [
  'garbage',
  'malformed',
  'wrong-key',
  'empty-key',
  'truncated',
  'prefix',
  'suffix',
  'one-off',
  'base64',
  'of-other-body',
];

const sentAs = (planned: PlannedCall, ...kinds: readonly (SignKind | undefined)[]): boolean =>
  planned.step.deviations.sign !== undefined && kinds.includes(planned.step.deviations.sign);

const isNewCall = ({ step }: PlannedCall): boolean => step.origin.kind === 'fresh';

const isPost = ({ step }: PlannedCall): boolean => step.call !== 'balance';

/** Matches characters that the published verifiers write in different ways in JSON: some programming languages escape them. */
const ESCAPED_BY_SOME = /[<>&\u2028]/;
const ANY_TEXT = /[/\u0080-\uffff]/;

function bodyText(planned: PlannedCall): string {
  const set = planned.step.deviations.body?.set ?? [];
  return JSON.stringify(set.map(([, template]) => template));
}

function queryText(planned: PlannedCall): string {
  return JSON.stringify(planned.step.deviations.query?.add ?? []);
}

const isEscapedText = (text: string): boolean => ESCAPED_BY_SOME.test(text) || text.includes('\\u2028');

const withText = (planned: PlannedCall): boolean =>
  isPost(planned) &&
  isNewCall(planned) &&
  planned.signedRight &&
  ANY_TEXT.test(bodyText(planned)) &&
  !isEscapedText(bodyText(planned)) &&
  planned.step.expect.outcome === 'accepted';

const withEscapes = (planned: PlannedCall): boolean =>
  isPost(planned) &&
  isNewCall(planned) &&
  planned.signedRight &&
  isEscapedText(bodyText(planned)) &&
  planned.step.expect.outcome === 'accepted';

/** True if a name or a value in the query contains text that JSON libraries write in different ways. */
export const hasSpecialQueryText = (planned: PlannedCall): boolean =>
  isEscapedText(queryText(planned)) || ANY_TEXT.test(queryText(planned));

/**
 * Judges a call that must be answered 401.
 *
 * @param general the rule about every wrong signature, if the judged rule is a special case of this rule; otherwise empty
 */
function check401(observed: ObservedCall, what: string, general: readonly RuleId[]): Decision {
  if (observed.closesConnection) return breach(`${what} is answered 401`, describeOutcome(observed), general);
  if (!observed.reading) return { kind: 'undecided', reason: describeOutcome(observed) };
  if (observed.answer === 'refused') return PASS;
  return breach(
    `${what} is answered 401`,
    describeOutcome(observed),
    observed.answer === 'error-200'
      ? ['reply.error-is-not-200']
      : // An operator that checks other bytes than the body accepts the signature of other bytes, and refuses the right one.
        observed.answer === 'accepted' && sentAs(observed.planned, 'of-other-body')
        ? ['signature.accepted']
        : // If wrong signatures get another error than 401, this is one fault for all kinds of them.
          observed.answer === 'declined' || observed.answer === 'failed'
          ? [...general, ...causesOfDecline(observed)]
          : [],
  );
}

/**
 * Returns the rules that explain why a wrong signature was declined with another status than 401. An operator may check other
 * things before the signature. For example, it may decline every call that is sent again, every refund of an unknown transaction,
 * every win of 0, or every call of a free round.
 */
function causesOfDecline({ planned: { step }, answer, amount, reading }: ObservedCall): readonly RuleId[] {
  if (isRedirect(reading?.status)) return ['reply.success-is-200'];
  if (step.call === 'win' && amount?.isZero()) return ['win.zero'];
  if (step.type === 'free' && step.call !== 'balance' && step.call !== 'refund') return [`free-rounds.${step.call}`];
  if (answer !== 'declined' || step.call === 'balance') return [];
  if (step.refund?.kind === 'unknown') return ['refund.unknown'];
  return step.origin.kind === 'fresh' ? [] : [`idempotency.${step.call}`];
}

function expect401(
  what: string,
  applies: RuleCheck['applies'],
  general: readonly RuleId[] = ['signature.mismatch'],
): RuleCheck {
  return { controlled: 1, applies, reply: (observed) => check401(observed, what, general) };
}

/**
 * Judges a call that is signed correctly in an unusual form. Only a 401 says that the operator did not find or verify the
 * signature. The operator may also decline the call for another reason. This rule does not judge such a decline.
 */
function expectVerified(what: string, applies: RuleCheck['applies'], controlled: 1 | 2 | 3 = 1): RuleCheck {
  return {
    controlled,
    applies,
    reply(observed) {
      const { answer } = observed;
      if (answer === 'refused') return breach(`${what} is accepted`, describeOutcome(observed), ['signature.accepted']);
      if (answer !== 'declined' && answer !== 'failed') return check200(observed, what) ?? PASS;
      return { kind: 'skip', reason: `the operator declined the call: ${describeOutcome(observed)}`, declined: true };
    },
  };
}

/** Returns the hypothesis that a call was carried out although it was answered 401. */
function hypothesesOfRefused(observed: ObservedCall): ReturnType<NonNullable<RuleCheck['hypotheses']>> {
  return observed.answer === 'refused' && !observed.effect.isZero()
    ? [{ by: observed.effect, meaning: 'the call that was answered 401 was carried out' }]
    : [];
}

/**
 * True for a call that was refused and is sent again with the right signature. The txID must still be usable, although the operator
 * refused the first call.
 */
const isResentCorrectly = (planned: PlannedCall): boolean =>
  planned.step.origin.kind === 'resend' &&
  planned.regular &&
  planned.source !== null &&
  planned.source.step.expect.outcome === 'refused' &&
  isPost(planned);

export const signatureChecks: GroupChecks<'signature'> = {
  'signature.accepted': {
    applies: (planned) =>
      isPlain(planned) ||
      (planned.step.origin.kind === 'resend' && planned.regular && planned.source?.step.expect.outcome === 'refused'),
    reply(observed) {
      // A gateway or a limit of the number of calls may produce the reply before the operator checks the signature.
      const status = observed.reading?.status;
      if (status === undefined || status === 429 || isGatewayError(status)) return undefined;
      // If a resend is declined because the operator has already used its txID, the rule `signature.no-effect` reports this.
      if (observed.answer !== 'refused' && !isFormRejected(status)) return PASS;
      return breach(`a correctly signed ${nameOf(observed.planned.step.call)} is accepted`, describeOutcome(observed));
    },
  },
  'signature.mismatch': expect401(
    'a wrong signature',
    (planned) => sentAs(planned, ...WRONG) && planned.step.expect.outcome === 'refused',
    [],
  ),
  'signature.missing': expect401(
    'a call without a signature',
    (planned) => sentAs(planned, 'missing', 'empty') && planned.step.expect.outcome === 'refused',
  ),

  'signature.message': {
    applies: (planned) => planned.step.expect.outcome === 'refused',
    // If all replies are no valid JSON in the same way, a 401 is only one of them.
    reply: (observed) =>
      decisionOnReply('signature.message', observed, observed.reading?.messageForm === 'text' ? ['reply.json'] : []),
  },

  'signature.no-effect': {
    effect: 'a call that was answered 401 moves nothing and leaves its txID free',
    applies: (planned) =>
      (isPost(planned) && planned.step.expect.outcome === 'refused' && !planned.signedRight) ||
      (isPost(planned) && sentAs(planned, 'upper-case')) ||
      isResentCorrectly(planned),
    reply(observed) {
      if (
        !isResentCorrectly(observed.planned) ||
        observed.earlier?.state !== 'refused' ||
        observed.answer === 'refused'
      )
        return undefined;
      // For the operator, this is a new bet. It may decline this bet because of its own limit.
      if (observed.planned.step.call === 'bet' && isLimitCode(observed.reading?.code))
        return {
          kind: 'skip',
          reason: `the operator declined the bet because of its own limit: ${describeOutcome(observed)}`,
          declined: true,
        };
      const refused = check200(observed, 'a call that was answered 401, sent again with the right signature,');
      // If the operator accepts no win or no refund at all, the reason is not the signature.
      const { call } = observed.planned.step;
      return explainedBy(refused, call === 'win' ? ['win.credit'] : call === 'refund' ? ['refund.restore'] : []);
    },
    hypotheses(observed) {
      if (!isResentCorrectly(observed.planned)) return hypothesesOfRefused(observed);
      return observed.answer === 'accepted' && observed.earlier?.state === 'refused' && !observed.effect.isZero()
        ? [
            {
              by: observed.effect.negated(),
              meaning:
                'the wallet remembered the txID of the call that it had answered 401, so the correct call with this txID moved no money',
              causes: ['bet.debit', 'win.credit', 'refund.restore'],
            },
          ]
        : [];
    },
  },

  'signature.tampered-body': expect401(
    'a body that was changed after it was signed',
    (planned) => planned.step.deviations.tamper?.part === 'body' && planned.step.expect.outcome === 'refused',
  ),
  'signature.tampered-query': expect401(
    'a query that was changed after it was signed',
    (planned) => planned.step.deviations.tamper?.part === 'query' && planned.step.expect.outcome === 'refused',
  ),
  'signature.raw-body': expectVerified('a body whose text JSON libraries write in different ways', withText, 2),
  'signature.raw-body-escapes': expectVerified('a body with `<`, `>`, `&` or U+2028', withEscapes, 3),

  'signature.non-canonical': {
    observed: true,
    applies: (planned) =>
      isPost(planned) &&
      planned.step.deviations.body?.format !== undefined &&
      planned.step.deviations.body.format !== 'canonical',
  },

  'signature.query-canonical': expectVerified(
    'GET /balance, with any parameters, order and encoding of its query,',
    (planned) =>
      planned.step.call === 'balance' &&
      planned.signedRight &&
      planned.step.expect.outcome === 'accepted' &&
      planned.step.deviations.query !== undefined &&
      !hasSpecialQueryText(planned),
  ),
  'signature.query-unicode': expectVerified(
    'GET /balance with text that JSON libraries escape in different ways',
    (planned) =>
      planned.step.call === 'balance' &&
      planned.signedRight &&
      planned.step.expect.outcome === 'accepted' &&
      hasSpecialQueryText(planned),
    3,
  ),
  'signature.header-case': expectVerified(
    'a call whose signature header is written in another letter case',
    (planned) =>
      planned.step.deviations.headerCase !== undefined &&
      planned.signedRight &&
      planned.step.expect.outcome === 'accepted',
  ),
  'signature.client-key': expect401(
    "a call signed with another client's key",
    (planned) => sentAs(planned, 'other-client') && planned.step.expect.outcome === 'refused',
  ),

  'signature.upper-case': { observed: true, applies: (planned) => sentAs(planned, 'upper-case') },
};

function nameOf(call: CallName): string {
  return call === 'balance' ? 'GET /balance' : `POST /${call}`;
}
