import type { Template } from '../../scenario/plan.ts';
import { breach, type GroupChecks, PASS, wants200 } from '../check.ts';
import { isPlain } from '../story.ts';
import { isOfExpired } from './session.ts';

export const balanceChecks: GroupChecks<'balance'> = {
  'balance.read': {
    applies: (part) => part.step.call === 'balance' && isPlain(part),
    reply(seen) {
      // A 401 is a matter of the signature, which a rule of its own judges.
      if (seen.answer === 'refused') return { kind: 'undecided', reason: 'the read was answered 401' };
      if (seen.answer === 'declined' && isOfExpired(seen.part, seen.story.plan))
        return { kind: 'skip', reason: 'the operator does not show the balance of an expired session' };
      const refused = wants200(seen, 'a signed GET /balance');
      if (refused) return refused;
      if (seen.reading?.balance.money) return PASS;
      // What is no JSON is no balance either, but is told under the rule about JSON.
      if (seen.reading?.problem) return { kind: 'undecided', reason: 'the reply cannot be read as JSON' };
      const written = seen.reading?.balance.written;
      return breach(
        'the reply holds `balance`',
        written === undefined ? 'it has no `balance`' : `its \`balance\` is ${written}`,
      );
    },
  },

  // Decided over several reads in a row, see reads.ts.
  'balance.read-only': {
    applies: (part, story) => {
      const before = story.parts[part.index - 1];
      if (!isPlain(part) || part.step.call !== 'balance') return false;
      // One of several that `times` made of one step.
      if (/x\d+$/.test(part.step.key)) return true;
      return before?.step.call === 'balance' && isPlain(before);
    },
  },

  'balance.extra-query': {
    controlled: 1,
    applies: ({ step, signedRight }) =>
      step.call === 'balance' &&
      step.deviations.query?.add !== undefined &&
      step.deviations.query.order === undefined &&
      step.deviations.query.encode === undefined &&
      isPlainText(step.deviations.query.add) &&
      signedRight &&
      step.expect.outcome === 'accepted',
    reply: (seen) => wants200(seen, 'GET /balance with a further, signed query parameter') ?? PASS,
  },
};

/** Values that are written alike whatever encodes them. */
function isPlainText(added: readonly (readonly [string, Template])[]): boolean {
  return added.every(
    ([, value]) => value.kind === 'literal' && typeof value.value === 'string' && /^[A-Za-z0-9-]*$/.test(value.value),
  );
}
