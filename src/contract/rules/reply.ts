import { REPLY_DEADLINE_SECONDS } from '../limits.ts';
import type { RuleEntry } from '../rule.ts';

export const replyRules = {
  'reply.success-is-200': {
    level: 'MUST',
    clause: 'Rules 1',
    sentence:
      'a successful call is answered 200 and with no other status: the service takes 201, 202, 204 and redirects as errors',
    means:
      'The game treats a success as a failure: a stake that was taken is not given back, and a win that was paid is sent again.',
    hint: 'Look for a framework that answers POST with 201 by default, or a redirect for a trailing slash or for https.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'reply.error-is-not-200': {
    level: 'MUST',
    clause: 'Rules 1',
    sentence: 'a call that is declined is not answered 200',
    means:
      'The game treats a failure as a success: players play with bets that were never charged, and refused wins are not sent again.',
    hint: 'Look for errors that are sent as a 200 with an error field. The service treats every 200 as a success.',
  },
  'reply.deadline': {
    level: 'MUST',
    clause: 'Limits',
    sentence: `the reply is complete within ${REPLY_DEADLINE_SECONDS} seconds after the last byte of the request (calls that are sent together are not judged, and the time to connect does not count)`,
    means: 'Players wait and see their bets cancelled, because the operator answers too late.',
    hint: 'Look for locks, remote calls and missing database indexes that delay the reply. The service treats a later reply as an error, and refunds a bet.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'reply.json': {
    level: 'MUST',
    clause: 'Integration Adapter',
    sentence: 'the body of a 200 reply is a single JSON object, encoded in UTF-8',
    means: "The game cannot read the operator's answer and shows the player a failure, though the money has moved.",
    hint: 'Look for log lines or warnings printed into the body, a byte order mark, another encoding, or a `Content-Length` that counts characters and not bytes.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'reply.content-type': {
    level: 'SHOULD',
    clause: 'position',
    sentence: 'the `Content-Type` of a 200 reply names JSON',
    means:
      "Strict software may refuse to read the operator's answers, and players would see failures instead of their balance.",
    hint: 'Set `Content-Type: application/json` on the replies.',
    endpoints: ['balance', 'bet', 'win', 'refund'],
  },
  'reply.tx-id': {
    level: 'MUST',
    clause: 'Integration Adapter',
    sentence:
      'the reply to a bet, win or refund has the `txID` that the operator gave the transaction (a number is a warning, and so is an empty string for an unknown refund)',
    means: "When a player complains, the operator's record of that bet, win or refund cannot be found.",
    hint: 'Return the identifier of your own transaction record as a string.',
    endpoints: ['bet', 'win', 'refund'],
  },
  'reply.tx-id-distinct': {
    level: 'SHOULD',
    clause: 'position',
    sentence: 'two different bets or wins never get the same `txID` from the operator',
    means: 'Different bets or wins have the same number, so that it is unclear which of them a complaint is about.',
    hint: 'Look for a reply whose `txID` is a constant, or the id of the round or of the session, instead of the id of the transaction.',
  },
  'reply.error-message': {
    level: 'MUST',
    clause: 'Errors',
    sentence:
      'a player can read the `message` of an error: it is not empty, is not `undefined` or `null`, and has no exception text, stack trace, database error, SQL, source path or HTML element (a missing `message` is a warning, except in a 401; a key such as `errors.low_balance` instead of the text is a warning; other fields may contain anything)',
    means:
      'Players can be shown pieces of code or of a database instead of a sentence that they understand, or nothing at all.',
    hint: 'Map internal errors to sentences for players, and put the technical part into `details`.',
  },
  'reply.error-code': {
    level: 'NOTE',
    clause: 'position',
    sentence: 'whether the `code` of an error, if there is one, is one of the published codes',
    hint: 'Nothing needs fixing: the contract shows only some of the codes.',
  },
} as const satisfies Readonly<Record<`reply.${string}`, RuleEntry>>;
