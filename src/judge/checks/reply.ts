import { PUBLISHED_ERROR_CODES } from '../../contract/error-codes.ts';
import { replyMs } from '../../journal/exchange.ts';
import {
  breach,
  type Decision,
  described,
  type GroupChecks,
  isMaybeUnknown,
  isRedirect,
  ofPoorRepeat,
  PASS,
  type Seen,
} from '../check.ts';
import { describeJsonProblem } from '../reply-json.ts';
import { contentTypeProblem, leakIn } from '../reply-text.ts';

const isError = (seen: Seen): boolean =>
  seen.answer === 'declined' || seen.answer === 'refused' || seen.answer === 'failed' || seen.answer === 'error-200';

export const replyChecks: GroupChecks<'reply'> = {
  'reply.success-is-200': {
    applies: (part) => part.step.expect.outcome === 'accepted',
    reply(seen) {
      const { reading } = seen;
      if (!reading) return undefined;
      if (reading.status === 200) return PASS;
      if (reading.status >= 300 && reading.status < 400) {
        return breach(
          'a call that succeeds is answered 200',
          `answered ${reading.status}, a redirect, which the service does not follow`,
        );
      }
      return reading.status > 200 && reading.status < 300
        ? breach('a call that succeeds is answered 200', `answered ${reading.status}`)
        : undefined;
    },
  },

  'reply.error-is-not-200': {
    applies: (part) => part.step.expect.outcome !== 'accepted' || part.step.origin.kind === 'fresh',
    reply(seen) {
      if (seen.answer === 'error-200')
        return breach('a call that is declined is not answered 200', `${described(seen)}, with the body of an error`);
      return isError(seen) ? PASS : undefined;
    },
  },

  'reply.deadline': {
    // What hangs on a body that the service would not send is told under the rule about that body.
    applies: (part) =>
      part.group === null && part.step.deviations.break === undefined && part.step.deviations.body === undefined,
    reply(seen) {
      const limit = seen.deadlineMs;
      if (seen.answer === 'late')
        return breach(`the whole reply arrives within ${limit / 1000} seconds`, 'it had not arrived by then');
      const took = replyMs(seen.exchange.stamps);
      if (!seen.reading || took === null) return undefined;
      return took > limit
        ? breach(`the whole reply arrives within ${limit / 1000} seconds`, `it took ${(took / 1000).toFixed(2)} s`)
        : PASS;
    },
  },

  'reply.json': {
    applies: (part) => part.step.expect.outcome === 'accepted',
    reply(seen) {
      const { reading } = seen;
      // A 204 has no body by its nature; that it is no 200 is told already.
      if (seen.answer !== 'accepted' || !reading || reading.status === 204) return undefined;
      return reading.problem
        ? breach(
            'a 200 has one JSON object in UTF-8 as its body',
            describeJsonProblem(reading.problem),
            ofPoorRepeat(seen),
          )
        : PASS;
    },
  },

  'reply.content-type': {
    applies: (part) => part.step.expect.outcome === 'accepted',
    reply(seen) {
      // Where there is no body there is nothing to say about it.
      if (seen.answer !== 'accepted' || !seen.reading || seen.reading.status === 204) return undefined;
      const problem = contentTypeProblem(seen.reading.contentType);
      return problem === undefined ? PASS : breach('`Content-Type` says JSON', problem);
    },
  },

  'reply.tx-id': {
    applies: (part) => part.step.call !== 'balance' && part.step.expect.outcome === 'accepted',
    reply(seen) {
      const { reading } = seen;
      if (seen.answer !== 'accepted' || !reading?.object) return undefined;
      const problem = txIDProblem(seen);
      return problem?.kind === 'breach'
        ? breach(problem.expected, problem.actual, [
            ...(isMaybeUnknown(seen) ? (['refund.unknown'] as const) : []),
            ...ofPoorRepeat(seen),
          ])
        : (problem ?? PASS);
    },
  },

  // Decided over the story, see judge.ts.
  'reply.tx-id-distinct': {
    applies: (part) =>
      (part.step.call === 'bet' || part.step.call === 'win') &&
      part.step.origin.kind === 'fresh' &&
      part.namesake === null &&
      part.step.expect.outcome === 'accepted',
  },

  'reply.error-message': {
    applies: (part) => part.step.expect.outcome !== 'accepted',
    reply(seen) {
      const { reading } = seen;
      if (!isError(seen) || !reading) return undefined;
      const expected = "an error's `message` can be shown to a player";
      // Of a 401 it is told under `signature.message` that it has none.
      if (reading.messageForm === 'other')
        return seen.answer === 'refused' ? undefined : breach(expected, 'its `message` is not a string');
      if (reading.message === undefined) {
        // A redirect is no error that is shown to anybody.
        if (seen.answer === 'refused' || isRedirect(seen)) return undefined;
        return {
          kind: 'warn',
          expected: 'an error has a `message` that can be shown to a player',
          actual: `${described(seen)}, without a \`message\``,
        };
      }
      const leak = leakIn(reading.message);
      return leak === undefined
        ? PASS
        : breach(expected, `its \`message\` ${leak}: ${JSON.stringify(reading.message.slice(0, 160))}`);
    },
  },

  'reply.error-code': {
    applies: (part) => part.step.expect.outcome !== 'accepted',
    reply(seen) {
      const code = seen.reading?.code;
      if (!isError(seen) || code === undefined) return undefined;
      return (PUBLISHED_ERROR_CODES as readonly string[]).includes(code)
        ? PASS
        : { kind: 'note', actual: `the code ${JSON.stringify(code)} is not one of the published ones` };
    },
  },
};

function txIDProblem(seen: Seen): Decision | undefined {
  const expected = "the reply holds the operator's own `txID`, a string";
  switch (seen.reading?.txIDForm) {
    case 'text':
    case undefined:
      return undefined;
    case 'number':
      return { kind: 'warn', expected, actual: `its \`txID\` is the number ${seen.reading.txID}` };
    case 'empty':
      return seen.part.step.call === 'refund' && seen.target?.state !== 'applied' && seen.target?.state !== 'reversed'
        ? { kind: 'warn', expected, actual: 'its `txID` is empty' }
        : breach(expected, 'its `txID` is empty');
    case 'missing':
      return breach(expected, 'it has no `txID`');
    case 'other':
      return breach(expected, 'its `txID` is neither a string nor a number');
  }
}
