import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Currency } from '../contract/currencies.ts';
import { plural } from '../contract/plural.ts';
import { isPublishedCode, type ReplyAnswer } from './classify.ts';
import { describeJsonProblem, type ReplyReading } from './read.ts';
import { isBusy, isGatewayError, isRedirect, isSuccess } from './status.ts';
import { technicalTextIn, unfinishedTextIn } from './technical-text.ts';

/** A reply and the facts about its call that are needed to judge it. */
export interface JudgedReply {
  readonly call: CallName;
  readonly answer: ReplyAnswer;
  readonly status: number;
  /** The parsed reply. null if the body is unknown; the body is then not judged. */
  readonly reading: ReplyReading | null;
  /** The value of the Content-Type header. undefined if there is no such header, null if the headers are unknown. */
  readonly contentType: string | undefined | null;
  /** The currency of the session. undefined if it is unknown or not a currency of the service. */
  readonly currency: Currency | undefined;
  /** For a refund, true if the operator carried out the bet that the refund names. False if this is unknown. */
  readonly isBetKnown: boolean;
}

/**
 * A problem of a reply.
 *
 * - `breach`: the rule is broken. The level of the rule decides whether this is a failure or a warning
 * - `warning`: a warning at every level of the rule
 * - `note`: only reported
 */
export type ReplyProblem = {
  readonly expected: string;
  /** The actual reply, as a clause. */
  readonly actual: string;
} & (
  | { readonly kind: 'breach' | 'note' }
  /** `why` completes "It only warns, because …". */
  | { readonly kind: 'warning'; readonly why: string }
);

/** The verdict of one rule on one reply. undefined if the rule does not apply to the reply. */
export type ReplyVerdict = 'pass' | ReplyProblem | undefined;

/** The rules that judge a single reply, without the calls before it. */
export type ReplyRule = Extract<
  RuleId,
  | 'reply.success-is-200'
  | 'reply.error-is-not-200'
  | 'reply.json'
  | 'reply.content-type'
  | 'reply.tx-id'
  | 'reply.error-message'
  | 'reply.error-code'
  | 'signature.message'
  | 'balance.read'
  | 'money.decimal-string'
  | 'money.precision'
>;

const RULES: Readonly<Record<ReplyRule, (reply: JudgedReply) => ReplyVerdict>> = {
  'reply.success-is-200': successStatus,
  'reply.error-is-not-200': errorStatus,
  'reply.json': json,
  'reply.content-type': contentType,
  'reply.tx-id': transactionId,
  'balance.read': balanceRead,
  'money.decimal-string': decimalString,
  'money.precision': precision,
  'reply.error-message': errorMessage,
  'reply.error-code': errorCode,
  'signature.message': refusalMessage,
};

/** Judges a reply by one rule. */
export function verdictOn(rule: ReplyRule, reply: JudgedReply): ReplyVerdict {
  return RULES[rule](reply);
}

/** Returns all problems of a reply, each with its rule. */
export function problemsOf(reply: JudgedReply): readonly (readonly [ReplyRule, ReplyProblem])[] {
  return (Object.keys(RULES) as ReplyRule[]).flatMap((rule) => {
    const verdict = verdictOn(rule, reply);
    return verdict === undefined || verdict === 'pass' ? [] : [[rule, verdict] as const];
  });
}

/**
 * Judges a call by `reply.deadline` (contract, Limits).
 *
 * @param isWhole false if the reply was not complete when the deadline passed
 * @param tookMs time in milliseconds from the last byte of the request to the last byte of the reply; null if unknown
 */
export function verdictOnTime(isWhole: boolean, tookMs: number | null, deadlineMs: number): ReplyVerdict {
  const expected = `the whole reply arrives within ${deadlineMs / 1000} seconds`;
  if (!isWhole) return breach(expected, 'the reply was not complete by then');
  if (tookMs === null) return undefined;
  return tookMs > deadlineMs ? breach(expected, `the reply took ${(tookMs / 1000).toFixed(2)} s`) : 'pass';
}

/** Describes a problem in one sentence, for reports without separate columns for expected and actual. */
export function describeProblem({ expected, actual }: ReplyProblem): string {
  return `expected ${expected}; ${actual}`;
}

function breach(expected: string, actual: string): ReplyProblem {
  return { kind: 'breach', expected, actual };
}

function successStatus({ status }: JudgedReply): ReplyVerdict {
  const expected = 'a call that succeeds is answered 200';
  if (status === 200) return 'pass';
  if (isRedirect(status)) return breach(expected, `answered ${status}, a redirect, which the service does not follow`);
  return isSuccess(status) ? breach(expected, `answered ${status}`) : undefined;
}

function errorStatus({ answer, status, reading }: JudgedReply): ReplyVerdict {
  if (answer === 'accepted') return undefined;
  return answer === 'error-200'
    ? breach(
        'a call that is declined is not answered 200',
        `${describeAnswer(status, reading)}, with the body of an error`,
      )
    : 'pass';
}

/** True for a success that may have a body. A 204 never has a body, and its status is already a finding. */
function hasSuccessBody({ answer, status }: JudgedReply): boolean {
  return answer === 'accepted' && status !== 204;
}

function json(reply: JudgedReply): ReplyVerdict {
  if (!hasSuccessBody(reply) || !reply.reading) return undefined;
  const { problem, excessBytes } = reply.reading;
  const expected = 'a 200 has one JSON object in UTF-8 as its body';
  const excess = excessBytes === 1 ? '1 more byte' : `${excessBytes} more bytes`;
  if (problem) {
    const isCut = excessBytes > 0 ? `. The operator sent ${excess} than its \`Content-Length\` says` : '';
    return breach(expected, `${describeJsonProblem(problem)}${isCut}`);
  }
  if (excessBytes === 0) return 'pass';
  return {
    kind: 'warning',
    expected: 'a reply ends where its `Content-Length` says',
    actual: `the operator sent ${excess} than the \`Content-Length\` says`,
    why: 'the body is one JSON object, and the service reads no further',
  };
}

function contentType(reply: JudgedReply): ReplyVerdict {
  if (!hasSuccessBody(reply) || reply.contentType === null) return undefined;
  const problem = contentTypeProblem(reply.contentType);
  return problem === undefined ? 'pass' : breach('the `Content-Type` names JSON', problem);
}

/** The `Content-Type` that was read last. Nearly all replies of an operator have the same one. */
let latest: { readonly value: string; readonly problem: string | undefined } | undefined;

/** Returns a clause that says what is wrong with the `Content-Type` of a JSON reply; undefined if nothing is wrong. */
function contentTypeProblem(value: string | undefined): string | undefined {
  if (value === undefined) return 'the reply has no `Content-Type`';
  if (latest?.value !== value) latest = { value, problem: mediaTypeProblem(value) };
  return latest.problem;
}

function mediaTypeProblem(value: string): string | undefined {
  const [type = '', ...parameters] = value
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (type !== 'application/json' && !/^[\w.+-]+\/[\w.+-]+\+json$/.test(type))
    return `the \`Content-Type\` is ${JSON.stringify(value)}`;
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii'
    ? undefined
    : `the \`Content-Type\` names the charset ${JSON.stringify(charset)}, but JSON must be UTF-8`;
}

function transactionId({ call, answer, reading, isBetKnown }: JudgedReply): ReplyVerdict {
  if (call === 'balance' || answer !== 'accepted' || !reading?.object) return undefined;
  const expected = "the reply has the operator's own `txID`, which is a string";
  switch (reading.txIDForm) {
    case 'text':
      return 'pass';
    case 'number':
      return {
        kind: 'warning',
        expected,
        actual: `the \`txID\` is the number ${reading.txID}`,
        why: 'a number identifies the transaction too',
      };
    case 'empty': {
      const actual = 'the `txID` is empty';
      // If an operator does not know a bet, it has no transaction for the refund (contract, Rules 3), and many operators then send
      // an empty id. So if it is unknown whether the operator knew the bet, an empty id gives only a warning.
      return call === 'refund' && !isBetKnown
        ? {
            kind: 'warning',
            expected,
            actual,
            why: 'if the operator does not know the bet, it has no transaction whose id it could return',
          }
        : breach(expected, actual);
    }
    case 'missing':
      return breach(expected, 'the reply has no `txID`');
    case 'other':
      return breach(expected, 'the `txID` is neither a string nor a number');
  }
}

function balanceRead({ call, answer, reading }: JudgedReply): ReplyVerdict {
  // A body that is not a JSON object breaks `reply.json` instead.
  if (call !== 'balance' || answer !== 'accepted' || !reading || reading.problem) return undefined;
  const { money, written } = reading.balance;
  if (money) return 'pass';
  return breach(
    'the reply has a `balance`',
    written === undefined ? 'the reply has no `balance`' : `the \`balance\` is ${written}`,
  );
}

function decimalString({ call, answer, reading }: JudgedReply): ReplyVerdict {
  if (answer !== 'accepted' || !reading) return undefined;
  const expected = '`balance` is a JSON string with a plain decimal';
  const { form, written } = reading.balance;
  switch (form) {
    case 'plain':
      return 'pass';
    case 'negative':
      return {
        kind: 'note',
        expected,
        actual: `the balance is ${written}: the contract does not say whether a balance may be negative`,
      };
    case 'number':
      return breach(expected, `the \`balance\` is the number ${written}`);
    case 'odd-text':
      return breach(expected, `the \`balance\` is ${JSON.stringify(written)}`);
    case 'not-an-amount':
      return breach(expected, `the \`balance\` is ${written}`);
    case 'missing':
      // A read without a balance breaks `balance.read`. Rules about refunds judge the balance in the reply to a refund.
      return reading.object && !reading.problem && call !== 'balance' && call !== 'refund'
        ? breach(expected, 'the reply has no `balance`')
        : undefined;
  }
}

function precision({ answer, reading, currency }: JudgedReply): ReplyVerdict {
  if (answer !== 'accepted' || !reading || !currency || currency.decimals === null) return undefined;
  const { code, decimals: max, basis } = currency;
  const { money, decimals, written } = reading.balance;
  if (!money || decimals <= max) return 'pass';
  const expected =
    max === 0 ? `a balance in ${code} has no decimals` : `a balance in ${code} has at most ${plural(max, 'decimal')}`;
  const actual = `the \`balance\` is ${JSON.stringify(written)}`;
  // The contract names only JPY, KRW and VND as currencies without decimals. Other currencies have no decimals by ISO 4217. For
  // these, decimals give only a warning, because no operator fails because of a position of croupier (docs/positions.md). Extra
  // zeros do not change the amount, so they give a warning too.
  const isExcess = money.decimals() > max;
  const isPosition = basis === 'position' && max === 0;
  if (isExcess && !isPosition) return breach(expected, actual);
  const why = isExcess
    ? `the contract does not name ${code} among the currencies without decimals`
    : 'zeros at the end do not change the amount';
  return { kind: 'warning', expected, actual, why };
}

const FORM_IS_OPEN = 'the contract says only that a player must understand the `message`';
const MESSAGE_IS_OPTIONAL = 'the contract requires a `message` only of a 401';

function errorMessage({ answer, status, reading }: JudgedReply): ReplyVerdict {
  if (answer === 'accepted' || !reading) return undefined;
  const expected = "an error's `message` can be shown to a player";
  // If the message of a 401 is missing or not a string, the rule `signature.message` judges this fault. A redirect
  // needs no message, because no player sees it.
  if (reading.messageForm === 'other')
    return answer === 'refused'
      ? undefined
      : { kind: 'warning', expected, actual: 'the `message` is not a string', why: MESSAGE_IS_OPTIONAL };
  if (reading.message === undefined) {
    if (answer === 'refused' || isRedirect(status)) return undefined;
    // With such a status, a reply without a JSON object comes from a gateway before the wallet, so it is no message of the wallet.
    if (!reading.object && (isBusy(status) || isGatewayError(status))) return undefined;
    return {
      kind: 'warning',
      expected: 'an error has a `message` that can be shown to a player',
      actual: `${describeAnswer(status, reading)}, without a \`message\``,
      why: MESSAGE_IS_OPTIONAL,
    };
  }
  const said = JSON.stringify(reading.message.slice(0, 160));
  const content = technicalTextIn(reading.message);
  if (content !== undefined) return breach(expected, `the \`message\` ${content}: ${said}`);
  const unfinished = unfinishedTextIn(reading.message);
  if (unfinished === undefined) return 'pass';
  return { kind: 'warning', expected, actual: `the \`message\` ${unfinished}: ${said}`, why: FORM_IS_OPEN };
}

function errorCode({ answer, reading }: JudgedReply): ReplyVerdict {
  if (answer === 'accepted' || reading?.code === undefined) return undefined;
  return isPublishedCode(reading.code)
    ? 'pass'
    : {
        kind: 'note',
        expected: 'the `code` is one of the published codes',
        actual: `the code ${JSON.stringify(reading.code)} is not one of the published codes`,
      };
}

function refusalMessage({ answer, reading }: JudgedReply): ReplyVerdict {
  if (answer !== 'refused' || !reading) return undefined;
  const { object, messageForm, problem } = reading;
  if (messageForm === 'text' && problem === undefined) return 'pass';
  const expected = 'a 401 has a JSON body whose `message` is a string';
  if (!object) return breach(expected, 'the body of the 401 is not a JSON object');
  if (messageForm === 'missing') return breach(expected, 'the 401 has no `message`');
  if (messageForm === 'other') return breach(expected, 'the `message` is not a string');
  return breach(expected, 'the 401 has a `message`, but its body is not valid JSON');
}

/** Describes the status, code and message of a reply. The text can follow "expected 200, …". */
export function describeAnswer(status: number, reading: Pick<ReplyReading, 'code' | 'message'> | null): string {
  const code = reading?.code === undefined ? '' : ` with code ${JSON.stringify(reading.code)}`;
  const message = reading?.message === undefined ? '' : `, ${JSON.stringify(reading.message.slice(0, 120))}`;
  return `answered ${status}${code}${message}`;
}
