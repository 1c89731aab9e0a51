import { breach, type GroupChecks, PASS, type RuleCheck, wants4xx, wants200 } from '../check.ts';
import type { Offset } from '../obligation.ts';
import type { Part } from '../story.ts';

const isNew = ({ step }: Part): boolean => step.origin.kind === 'fresh' && step.call !== 'balance';

const isPlainText = (part: Part): boolean =>
  /^[\w .,:"[\]{}-]*$/.test(JSON.stringify(part.step.deviations.body?.set ?? []));

const FIELDS = ['sessionID', 'txID', 'roundID', 'amount', 'type', 'frID', 'origTxID'];

/** A body with a field that no such call has. */
export const addsField = (part: Part): boolean =>
  (part.step.deviations.body?.set ?? []).some(([name]) => !FIELDS.includes(name));

/** An amount of its own on a call that is otherwise as the service sends it, and that is to be declined. */
const hasBadAmount = (part: Part): boolean =>
  part.namesake === null &&
  part.step.expect.outcome === 'declined' &&
  (part.step.deviations.body?.set ?? []).some(([name]) => name === 'amount');

/** What the bad call would move if it were carried out, as far as its amount can be read. */
function moved(what: string): NonNullable<RuleCheck['offsets']> {
  return (seen): readonly Offset[] =>
    seen.reading && seen.answer !== 'accepted' && !seen.effect.isZero()
      ? [{ by: seen.effect, meaning: `${what} was carried out although it was declined` }]
      : [];
}

export const robustnessChecks: GroupChecks<'robustness'> = {
  'robustness.unknown-field': {
    controlled: 1,
    applies: (part) =>
      isNew(part) &&
      part.signedRight &&
      addsField(part) &&
      isPlainText(part) &&
      part.step.expect.outcome === 'accepted',
    reply(seen) {
      const refused = wants200(seen, 'a body with a field that the operator does not know');
      // A 401 is about the signature: the body is read rightly and written otherwise before it is verified.
      return refused?.kind === 'breach' && seen.answer === 'refused'
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
    applies: (part) => isNew(part) && part.step.deviations.body?.raw !== undefined && part.signedRight,
    reply: (seen) => wants4xx(seen, 'a signed body that is not JSON') ?? PASS,
  },
  'robustness.missing-field': {
    controlled: 1,
    effect: 'a call without `txID` or `amount` moves nothing',
    applies: (part) =>
      isNew(part) &&
      (part.step.deviations.body?.drop ?? []).some((name) => name === 'txID' || name === 'amount') &&
      part.signedRight,
    reply: (seen) =>
      wants4xx(
        seen,
        `a ${seen.part.step.call} without ${(seen.part.step.deviations.body?.drop ?? []).map((name) => `\`${name}\``).join(' and ')}`,
      ) ?? PASS,
    offsets: moved('a call with a field missing'),
  },
  'robustness.bad-amount': {
    controlled: 1,
    effect: 'a call with a bad amount moves nothing',
    applies: (part) => isNew(part) && part.signedRight && hasBadAmount(part),
    reply: (seen) => wants4xx(seen, `a ${seen.part.step.call} with a bad amount`) ?? PASS,
    offsets: moved('a call with a bad amount'),
  },
  'robustness.slow-body': {
    controlled: 1,
    applies: (part) =>
      isNew(part) &&
      part.step.deviations.trickle !== undefined &&
      part.signedRight &&
      part.step.expect.outcome === 'accepted',
    reply: (seen) => wants200(seen, 'a body that arrives in pieces') ?? PASS,
  },
};
