import { breach, PASS } from '../decision.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import type { PlannedCall } from '../planned-calls.ts';
import { check4xx, check200, type GroupChecks, type RuleCheck } from './check.ts';

const isNew = ({ step }: PlannedCall): boolean => step.origin.kind === 'fresh' && step.call !== 'balance';

const isPlainText = (planned: PlannedCall): boolean =>
  /^[\w .,:"[\]{}-]*$/.test(JSON.stringify(planned.step.deviations.body?.set ?? []));

const FIELDS = ['sessionID', 'txID', 'roundID', 'amount', 'type', 'frID', 'origTxID'];

/** True for a body with a field that the service never sends. */
export const addsField = (planned: PlannedCall): boolean =>
  (planned.step.deviations.body?.set ?? []).some(([name]) => !FIELDS.includes(name));

/** True for a call whose amount was replaced by a bad one. The operator is expected to decline such a call. */
const hasBadAmount = (planned: PlannedCall): boolean =>
  planned.sameTxID === null &&
  planned.step.expect.outcome === 'declined' &&
  (planned.step.deviations.body?.set ?? []).some(([name]) => name === 'amount');

/** Returns the hypothesis that the faulty call was carried out. Empty if its amount cannot be read. */
function moved(what: string): NonNullable<RuleCheck['hypotheses']> {
  return (observed): readonly BalanceHypothesis[] =>
    observed.reading && observed.answer !== 'accepted' && !observed.effect.isZero()
      ? [{ by: observed.effect, meaning: `${what} was carried out although it was declined` }]
      : [];
}

export const robustnessChecks: GroupChecks<'robustness'> = {
  'robustness.unknown-field': {
    controlled: 1,
    applies: (planned) =>
      isNew(planned) &&
      planned.signedRight &&
      addsField(planned) &&
      isPlainText(planned) &&
      planned.step.expect.outcome === 'accepted',
    reply(observed) {
      const refused = check200(observed, 'a body with a field that the operator does not know');
      // An operator may parse the body and write it in another form before it verifies the signature. Such an operator may answer
      // 401.
      return refused?.kind === 'breach' && observed.answer === 'refused'
        ? breach(refused.expected, refused.actual, [
            ...(refused.causes ?? []),
            'signature.raw-body',
            'signature.raw-body-escapes',
          ])
        : (refused ?? PASS);
    },
  },
  'robustness.malformed-json': {
    controlled: 1,
    applies: (planned) => isNew(planned) && planned.step.deviations.body?.raw !== undefined && planned.signedRight,
    reply: (observed) => check4xx(observed, 'a signed body that is not JSON') ?? PASS,
  },
  'robustness.missing-field': {
    controlled: 1,
    effect: 'a call without `txID` or `amount` moves nothing',
    applies: (planned) =>
      isNew(planned) &&
      (planned.step.deviations.body?.drop ?? []).some((name) => name === 'txID' || name === 'amount') &&
      planned.signedRight,
    reply: (observed) =>
      check4xx(
        observed,
        `a ${observed.planned.step.call} without ${(observed.planned.step.deviations.body?.drop ?? []).map((name) => `\`${name}\``).join(' and ')}`,
      ) ?? PASS,
    hypotheses: moved('a call with a field missing'),
  },
  'robustness.bad-amount': {
    controlled: 1,
    effect: 'a call with a bad amount moves nothing',
    applies: (planned) => isNew(planned) && planned.signedRight && hasBadAmount(planned),
    reply: (observed) => check4xx(observed, `a ${observed.planned.step.call} with a bad amount`) ?? PASS,
    hypotheses: moved('a call with a bad amount'),
  },
  'robustness.slow-body': {
    controlled: 1,
    applies: (planned) =>
      isNew(planned) &&
      planned.step.deviations.trickle !== undefined &&
      planned.signedRight &&
      planned.step.expect.outcome === 'accepted',
    reply: (observed) => check200(observed, 'a body that arrives in pieces') ?? PASS,
  },
};
