import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import { PUBLISHED_ERROR_CODES } from '../../contract/error-codes.ts';
import { type HeaderList, header } from '../../journal/exchange.ts';
import type { Verdict } from '../../journal/finding.ts';
import { describeJsonProblem } from '../../judge/reply-json.ts';
import { contentTypeProblem, leakIn } from '../../judge/reply-text.ts';
import { hasFloatRest } from './float-rest.ts';
import { DEADLINE_MS, type ToldCall } from './told-call.ts';
import type { Bets, Transaction } from './transaction.ts';

/** A rule that one reply breaks, or leans on. */
export interface Breach {
  readonly call: number;
  readonly rule: RuleId;
  readonly verdict: Extract<Verdict, 'fail' | 'warn'>;
  readonly text: string;
}

/** What is wrong with single replies and with how replays were answered, as far as what was read tells. */
export function breachesOf(
  calls: readonly ToldCall[],
  transactions: readonly Transaction[],
  bets: Bets,
  { currency, isKeyProven }: { readonly currency: string | null; readonly isKeyProven: boolean },
): readonly Breach[] {
  return [
    ...calls.flatMap((call) => [...signatureBreaches(call, isKeyProven), ...replyBreaches(call, currency)]),
    ...transactions.flatMap((transaction) => transactionBreaches(transaction, bets)),
  ].toSorted((a, b) => a.call - b.call);
}

function breach(call: ToldCall, rule: RuleId, text: string, isWarning = false): Breach {
  return { call: call.number, rule, verdict: isWarning || ruleById(rule).level !== 'MUST' ? 'warn' : 'fail', text };
}

/** @param isKeyProven some call is rightly signed by the keys at hand, so that they are the right ones */
function signatureBreaches(call: ToldCall, isKeyProven: boolean): readonly Breach[] {
  const { signature, ending, status, code } = call;
  const isTaken = status !== null && status < 300 && ending !== 'error-200';
  switch (signature) {
    case 'unknown':
      return [];
    case 'right':
      // Of a session that is over, too, some say 401.
      return ending === 'refused' && PUBLISHED_ERROR_CODES.every((known) => known !== code)
        ? [breach(call, 'signature.accepted', 'it is rightly signed, and was answered 401')]
        : [];
    case 'missing':
      return isTaken ? [breach(call, 'signature.missing', `it bears no signature, and was answered ${status}`)] : [];
    case 'wrong': {
      if (!isTaken) return [];
      if (call.isSignedByOther) {
        return [
          breach(call, 'signature.client-key', `it is signed with another client's key, and was answered ${status}`),
        ];
      }
      const said = `its signature is not that of the keys at hand, and it was answered ${status}`;
      return isKeyProven
        ? [breach(call, 'signature.mismatch', said)]
        : [breach(call, 'signature.mismatch', `${said}; unless the operator has another key`, true)];
    }
  }
}

function replyBreaches(call: ToldCall, currency: string | null): readonly Breach[] {
  const late = call.ending === 'late' ? [breach(call, 'reply.deadline', lateText(call))] : [];
  const { status, ending } = call;
  if (status === null) return late;
  switch (ending) {
    case 'accepted':
      return [...late, ...successBreaches(call, currency)];
    case 'late':
      return status === 200 ? [...late, ...successBreaches(call, currency)] : late;
    case 'error-200':
      return [breach(call, 'reply.error-is-not-200', `it was answered ${status} with the body of an error`)];
    case 'declined':
    case 'refused':
    case 'failed':
      return errorBreaches(call, status);
    case 'lost':
    case 'not-sent':
    case 'unknown':
      return late;
  }
}

function lateText({ seen, alsoSeen }: ToldCall): string {
  const tookMs = Math.max(seen.exchange.tookMs ?? 0, alsoSeen?.exchange.tookMs ?? 0);
  return tookMs > DEADLINE_MS && (alsoSeen !== null || seen.exchange.answer.kind === 'reply')
    ? `the reply took ${(tookMs / 1000).toFixed(2)} s, and five are allowed`
    : 'no reply came within five seconds';
}

function successBreaches(call: ToldCall, currency: string | null): readonly Breach[] {
  const { reading, status } = call;
  const found: Breach[] = [];
  if (status !== 200) found.push(breach(call, 'reply.success-is-200', `it was answered ${status}; a success is 200`));
  const type = contentTypeProblem(contentType(call) ?? undefined);
  if (contentType(call) !== null && type !== undefined)
    found.push(breach(call, 'reply.content-type', `of its Content-Type: ${type}`));
  if (!reading) return found;
  if (reading.problem) return [...found, breach(call, 'reply.json', describeJsonProblem(reading.problem))];
  if (call.seen.call !== 'balance') found.push(...txIDBreaches(call));
  return [...found, ...balanceBreaches(call, currency)];
}

/** undefined: there was none. null: nobody wrote down which headers there were. */
function contentType({ seen, alsoSeen }: ToldCall): string | null | undefined {
  const lists = [seen, alsoSeen].flatMap((view): HeaderList[] => {
    const answer = view?.exchange.answer;
    return answer?.kind === 'reply' && answer.headers !== null && answer.headers.length > 0 ? [answer.headers] : [];
  });
  return lists[0] === undefined ? null : header(lists[0], 'content-type');
}

function txIDBreaches(call: ToldCall): readonly Breach[] {
  const { reading, seen } = call;
  switch (reading?.txIDForm) {
    case 'number':
      return [breach(call, 'reply.tx-id', `its txID is the number ${reading.txID}, and should be a string`, true)];
    case 'empty':
      return [breach(call, 'reply.tx-id', 'its txID is empty', seen.call === 'refund')];
    case 'missing':
      return [breach(call, 'reply.tx-id', 'it has no txID')];
    case 'other':
      return [breach(call, 'reply.tx-id', 'its txID is no string')];
    case 'text':
    case undefined:
      return [];
  }
}

function balanceBreaches(call: ToldCall, currency: string | null): readonly Breach[] {
  const { reading, seen } = call;
  if (!reading) return [];
  const { form, written, money, decimals } = reading.balance;
  if (written !== undefined && hasFloatRest(written)) {
    const text = `its balance ${written} is what a sum of binary floating-point numbers leaves`;
    const isNumber =
      form === 'number' ? [breach(call, 'money.decimal-string', 'its balance is a number, and must be a string')] : [];
    return [...isNumber, breach(call, 'money.exact', text)];
  }
  switch (form) {
    case 'missing':
      return seen.call === 'balance'
        ? [breach(call, 'balance.read', 'it has no balance')]
        : seen.call === 'refund'
          ? []
          : [breach(call, 'money.decimal-string', 'it has no balance')];
    case 'number':
      return [breach(call, 'money.decimal-string', `its balance is the number ${written}, and must be a string`)];
    case 'odd-text':
    case 'not-an-amount':
      return [
        breach(call, 'money.decimal-string', `its balance is ${JSON.stringify(written)}, which is no plain decimal`),
      ];
    case 'plain': {
      const allowed = currency === null ? null : (currencyByCode(currency)?.decimals ?? null);
      if (allowed === null || decimals <= allowed) return [];
      const isExcess = (money?.decimals() ?? 0) > allowed;
      return [
        breach(
          call,
          'money.precision',
          `its balance ${written} has ${decimals} decimals, and ${currency} has ${allowed}`,
          !isExcess,
        ),
      ];
    }
  }
}

function errorBreaches(call: ToldCall, status: number): readonly Breach[] {
  const { reading, ending, seen, code } = call;
  const found: Breach[] = [];
  if (ending === 'refused' && reading && reading.messageForm !== 'text') {
    found.push(breach(call, 'signature.message', 'it was answered 401 without a message'));
  }
  if (status >= 300 && status < 400) {
    found.push(
      breach(call, 'reply.success-is-200', `it was answered ${status}, a redirect, which the service does not follow`),
    );
  }
  const leak = reading?.message === undefined ? undefined : leakIn(reading.message);
  if (leak !== undefined) found.push(breach(call, 'reply.error-message', `its message ${leak}`));
  if (seen.call === 'bet' && status === 500 && code === 'insufficient_funds') {
    found.push(
      breach(call, 'bet.insufficient-funds', 'lack of money was answered 500, which calls for a refund', true),
    );
  }
  if (
    seen.call === 'balance' &&
    (status === 500 || PUBLISHED_ERROR_CODES.every((known) => known !== code)) &&
    ending !== 'refused'
  ) {
    found.push(breach(call, 'balance.read', `reading the balance was answered ${status}`));
  }
  return found;
}

function transactionBreaches(transaction: Transaction, bets: Bets): readonly Breach[] {
  const { call, attempts } = transaction;
  const found: Breach[] = [];
  const first = attempts.find(({ done, ending }) => done === 'yes' && ending === 'accepted');
  if (call === 'refund') found.push(...refundBreaches(transaction, bets));
  if (!first) return found;
  for (const again of attempts.filter(({ number }) => number > first.number)) {
    const rule = `idempotency.${call}` as const;
    if (amountsDiffer(first, again)) {
      if (again.ending === 'accepted')
        found.push(
          breach(again, 'idempotency.conflicting-body', 'the same txID was accepted again with another amount', true),
        );
      continue;
    }
    if (again.ending === 'declined' || again.ending === 'failed' || again.ending === 'error-200') {
      found.push(
        breach(
          again,
          rule,
          `it repeats call ${first.number}, which was answered 200, and was answered ${again.status}`,
        ),
      );
    } else if (again.ending === 'accepted') found.push(...replayBreaches(first, again, rule));
  }
  return found;
}

/** A refund is sent when the bet's outcome was not known: not to know the bet is no reason to decline it. */
function refundBreaches({ origTxID, attempts }: Transaction, bets: Bets): readonly Breach[] {
  const bet = origTxID === null ? undefined : bets.get(origTxID);
  const declined = attempts.filter(
    ({ ending }) => ending === 'declined' || ending === 'failed' || ending === 'error-200',
  );
  return declined.map((attempt) => {
    const isKnown = bet?.attempts.some((placed) => placed.done === 'yes' && wasBefore(placed, attempt)) ?? false;
    const status = attempt.status ?? 'with an error';
    const text = `a refund must be answered 200, also when its bet is not known, and it was answered ${status}`;
    return breach(attempt, isKnown ? 'refund.restore' : 'refund.unknown', text);
  });
}

/** It was answered before the other was sent. */
function wasBefore(call: ToldCall, other: ToldCall): boolean {
  if (call.atMs === null || other.atMs === null) return call.number < other.number;
  const tookMs = Math.max(call.seen.exchange.tookMs ?? 0, call.alsoSeen?.exchange.tookMs ?? 0);
  return call.number < other.number && call.atMs + tookMs <= other.atMs;
}

function amountsDiffer(a: ToldCall, b: ToldCall): boolean {
  return a.amount !== null && b.amount !== null && !a.amount.equals(b.amount);
}

function replayBreaches(first: ToldCall, again: ToldCall, rule: RuleId): readonly Breach[] {
  const found: Breach[] = [];
  if (first.replyTxID !== null && again.replyTxID !== null && first.replyTxID !== again.replyTxID) {
    found.push(
      breach(
        again,
        rule,
        `it repeats call ${first.number} and was answered with another txID: it was carried out anew`,
      ),
    );
  } else if (first.balance !== null && again.balance !== null && !first.balance.equals(again.balance)) {
    const said = `${again.balance} instead of ${first.balance}`;
    found.push(
      breach(
        again,
        'idempotency.same-reply',
        `it repeats call ${first.number} and was answered with another balance, ${said}`,
      ),
    );
  }
  return found;
}
