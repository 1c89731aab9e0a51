import type { RuleId } from '../../contract/catalogue.ts';
import { PASS } from '../decision.ts';
import { isPlain } from '../planned-calls.ts';
import { check200, decisionOnReply, type GroupChecks } from './check.ts';
import { isOfExpired } from './session.ts';
import { hasSpecialQueryText } from './signature.ts';

export const balanceChecks: GroupChecks<'balance'> = {
  'balance.read': {
    applies: (planned) => planned.step.call === 'balance' && isPlain(planned),
    reply(observed) {
      // A 401 concerns the signature, which another rule judges.
      if (observed.answer === 'refused') return { kind: 'undecided', reason: 'the read was answered 401' };
      if (observed.answer === 'declined' && isOfExpired(observed.planned, observed.plannedCalls.plan))
        return { kind: 'skip', reason: 'the operator does not show the balance of an expired session' };
      const refused = check200(observed, 'a signed GET /balance');
      if (refused) return refused;
      // If there is a `balance`, but not as an amount, this is only one fault.
      const causes: readonly RuleId[] = observed.reading?.balance.written === undefined ? [] : ['money.decimal-string'];
      // A body that is not a JSON object breaks the rule `reply.json`. So this check decides nothing.
      return (
        decisionOnReply('balance.read', observed, causes) ?? {
          kind: 'undecided',
          reason: 'the reply cannot be read as JSON',
        }
      );
    },
  },

  // The file reads/idle-reads.ts decides this rule, after several reads in a row.
  'balance.read-only': {
    applies: (planned, plannedCalls) => {
      const before = plannedCalls.calls[planned.index - 1];
      if (!isPlain(planned) || planned.step.call !== 'balance') return false;
      // If `times` repeats a step, the key of each repetition ends in `x` and a number. Then the read before this read is a
      // repetition of the same step.
      if (/x\d+$/.test(planned.step.key)) return true;
      return before?.step.call === 'balance' && isPlain(before);
    },
  },

  'balance.extra-query': {
    controlled: 1,
    applies: (planned) => {
      const { call, deviations, expect } = planned.step;
      return (
        call === 'balance' &&
        deviations.query?.add !== undefined &&
        deviations.query.order === undefined &&
        deviations.query.encode === undefined &&
        !hasSpecialQueryText(planned) &&
        planned.signedRight &&
        expect.outcome === 'accepted'
      );
    },
    reply: (observed) =>
      // A 401 shows that the operator verified the query without this parameter, or with a changed value. The rule
      // `signature.query-canonical` judges this.
      observed.answer === 'refused'
        ? { kind: 'skip', reason: 'the call was answered 401, which signature.query-canonical judges' }
        : (check200(observed, 'GET /balance with a further, signed query parameter') ?? PASS),
  },
};
