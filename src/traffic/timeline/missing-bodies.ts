import type { Deviation } from '../books/deviation.ts';
import type { Books } from '../books/wallet-books.ts';
import { isCut, type LoggedCall } from '../calls/logged-call.ts';

/**
 * True if the log has neither the bodies of any of these calls nor their fields. Access logs have no bodies, so they show no amounts
 * and no balances.
 */
export function lackBodies(calls: readonly LoggedCall[]): boolean {
  return calls.length > 0 && calls.every(lacksBody);
}

function lacksBody({ seen, alsoSeen, balance }: LoggedCall): boolean {
  const { answer, request } = seen.exchange;
  const isReplyKnown = answer.kind === 'reply' && answer.body !== null;
  const isRequestKnown = request.body !== null && request.body !== 'unknown';
  return alsoSeen === null && !isReplyKnown && !isRequestKnown && balance === null && seen.amount === null;
}

/** Says why calls belong to nobody, as the end of a clause. Empty if the reason is not known. */
export function ownerlessCauseOf(calls: readonly LoggedCall[]): string {
  if (!lackBodies(calls)) return cutCauseOf(calls);
  return `, because ${calls.length === 1 ? 'its body was' : 'their bodies were'} not logged`;
}

/**
 * Lists the bodies that the logger has cut, but only those whose missing part could change the verdict about money. If a later
 * balance confirms the calls, a missing part does not matter.
 *
 * @returns a clause for each such body, with its line in the log; empty if there is none
 */
export function cutBodiesOf(books: Books, calls: readonly LoggedCall[]): readonly string[] {
  return calls.flatMap((call) => {
    const isConfirmed = isConfirmedLater(call, books);
    const sent = missingInRequest(call, isConfirmed);
    const replied = missingInReply(call, isConfirmed);
    return [
      ...(sent.length === 0 ? [] : [cutClause('request of', call, sent)]),
      ...(replied.length === 0 ? [] : [cutClause('reply to', call, replied)]),
    ];
  });
}

/** Says on which line a logger has cut a body, and which fields are missing in the log for this reason. */
function cutClause(body: string, { number, seen }: LoggedCall, fields: readonly string[]): string {
  const { file, line } = seen.exchange.place;
  return `the logger has cut the ${body} call ${number} (${file}:${line}), so its ${fields.join(', ').replace(/, ([^,]*)$/, ' and $1')} ${fields.length === 1 ? 'is' : 'are'} not known`;
}

/**
 * Says why calls belong to nobody: the logger has cut their requests. Returns this as the end of a clause, or an empty text if
 * there is another reason.
 */
function cutCauseOf(calls: readonly LoggedCall[]): string {
  const cut = calls.find(({ seen }) => isCutRequest(seen.exchange.request.body));
  if (!cut) return '';
  const { file, line } = cut.seen.exchange.place;
  return `, because the logger has cut ${calls.length === 1 ? 'its request' : `the request of call ${cut.number}`} (${file}:${line})`;
}

function isCutRequest(body: LoggedCall['seen']['exchange']['request']['body']): boolean {
  return body !== null && body !== 'unknown' && body.truncated;
}

/**
 * Returns the names of the fields that are missing in the logged request. The fields after the amount matter only if no balance
 * confirms the call.
 */
function missingInRequest({ seen, alsoSeen, amount }: LoggedCall, isConfirmed: boolean): readonly string[] {
  if (seen.call === 'balance' || !isCutRequest(seen.exchange.request.body) || alsoSeen?.whole) return [];
  const isRefund = seen.call === 'refund';
  const needed = [
    ['txID', seen.txID],
    ['origTxID', isRefund ? seen.origTxID : ''],
    // The refund belongs to the round of its bet.
    ['roundID', isRefund ? '' : seen.roundID],
    ['amount', amount],
    // A free bet takes no money.
    ['type', isConfirmed || isRefund ? '' : seen.type],
  ] as const;
  return needed.flatMap(([name, value]) => (value === null ? [name] : []));
}

/** True if the log does not show whether a call belongs to a campaign, because the logger has cut the request of this call. */
export function isTypeCut({ seen }: LoggedCall): boolean {
  return isCutRequest(seen.exchange.request.body) && seen.type === null && seen.frID === null;
}

/**
 * Returns the parts of a reply that are missing in the log. The missing part matters if no balance shows whether the operator
 * carried out the call.
 */
function missingInReply({ reading, ending, balance }: LoggedCall, isConfirmed: boolean): readonly string[] {
  if (!isCut(reading)) return [];
  if (ending === 'unknown') return ['result'];
  return ending === 'accepted' && balance === null && !isConfirmed ? ['balance'] : [];
}

/**
 * True if the balances in the replies confirm the effect of the call: one balance is of an earlier call, and one is of this call or of
 * a later call.
 */
function isConfirmedLater(call: LoggedCall, { firstSaid, lastSaid, deviations, unknown }: Books): boolean {
  if (unknown !== null || firstSaid === null || lastSaid === null) return false;
  if (firstSaid.call.number > call.number || lastSaid.call.number < call.number) return false;
  return !deviations.some((one) => one.fixedBy === null && mayExplain(call, one));
}

/**
 * True if a call may have caused a wrong balance. The call is one of the known causes, or it was sent after the last right balance
 * and no later than the wrong balance.
 */
function mayExplain({ number }: LoggedCall, { call, after, causes }: Deviation): boolean {
  if (causes.some(({ transaction }) => transaction.attempts.some((attempt) => attempt.number === number))) return true;
  return number <= call.number && (after === null || number > after.number);
}
