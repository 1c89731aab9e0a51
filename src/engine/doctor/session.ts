import { currencyByCode } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';
import type { Outcome } from '../../journal/exchange.ts';
import { readReply } from '../../judge/reading.ts';
import type { SessionUnderTest } from '../run-options.ts';
import { denominationOf } from '../stakes.ts';
import { type Check, type CheckState, check } from './check.ts';

/** Scenarios of the suite that ask for the most want so many stakes. */
const ENOUGH_STAKES = Money.of('20');

/** Whether a session is known, and whether a run can play with its currency and its funds. */
export function checkSession(
  session: SessionUnderTest,
  outcome: Outcome,
  stakes: Readonly<Record<string, string>>,
): Check {
  const said = (state: CheckState, seen: string, advice: string | null = null): Check => ({
    ...check('session', state, seen, advice),
    about: session.sessionID,
  });
  if (outcome.kind === 'none') return said('bad', `no reply: ${outcome.detail}`, 'The others may tell why.');
  const { status, balance, code, object } = readReply(outcome.reply);
  const expired = session.state === 'expired';
  if (status < 200 || status > 299) {
    const answered = `GET /balance is answered ${status}${code === undefined ? '' : ` ${code}`}`;
    if (expired && code !== 'session_not_found') return said('good', `${answered}: it is meant to be expired`);
    return said('bad', answered, 'Open the session again at the operator, or configure one that is open.');
  }
  const { written, money, form, decimals } = balance;
  if (money === undefined) {
    return said('bad', 'the reply has no balance that says an amount', 'Answer {"balance":"12.34"}.');
  }
  const currency = session.currency === undefined ? undefined : currencyByCode(session.currency);
  const amount = `${written ?? ''} ${session.currency ?? ''}`.trim();
  if (form !== 'plain') {
    return said('warn', `the balance ${amount} is no plain decimal string`, 'Answer it as "12.34", in the main unit.');
  }
  if (session.currency === undefined) {
    return said(
      'warn',
      `has ${amount}`,
      'Say its currency in the configuration: what is judged by currency is skipped.',
    );
  }
  if (!currency) {
    return said('warn', `has ${amount}, which is no currency of the service`, 'Mind upper and lower case.');
  }
  // The contract has no such field; an operator that sends one knows best.
  const theirs = object?.currency;
  if (typeof theirs === 'string' && theirs.toUpperCase() !== session.currency.toUpperCase()) {
    const advice = `Configure ${theirs.slice(0, 10)} for the session, or open one in ${session.currency}.`;
    return said('bad', `its balance is answered in ${theirs.slice(0, 10)}, not in ${session.currency}`, advice);
  }
  const most = currency.decimals;
  if (most !== null && decimals > most) {
    const advice = `Round to the ${most === 0 ? 'whole unit' : `${most} decimals`} of the currency, or configure the right one.`;
    return said(currency.basis === 'contract' ? 'bad' : 'warn', `${amount} has more than ${most} decimals`, advice);
  }
  if (expired) return said('good', `has ${amount}; meant to be expired`);
  const { stake, decimals: usual } = denominationOf(session.currency, stakes, written ?? '');
  const shown = (sum: Money): string => sum.format(Math.min(usual, 2));
  const enough = stake.times(ENOUGH_STAKES);
  if (money.compare(stake) < 0) {
    const advice = `Pay in at least ${shown(enough)}, or configure a smaller stake.`;
    return said('bad', `has ${amount}, less than one stake of ${shown(stake)}`, advice);
  }
  return money.compare(enough) < 0
    ? said('warn', `has ${amount}; some scenarios need up to ${shown(enough)}`, 'Pay some more in, or stake less.')
    : said('good', `has ${amount}, enough for stakes of ${shown(stake)}`);
}
