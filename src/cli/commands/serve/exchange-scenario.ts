import type { CallName } from '../../../contract/call-name.ts';
import { AMOUNT_PATTERN } from '../../../contract/calls.ts';
import type { RuleId } from '../../../contract/catalogue.ts';
import type { JsonObject } from '../../../contract/json.ts';
import { Money } from '../../../contract/money.ts';
import { writeScenario } from '../../../scenario/write.ts';
import type { LoggedExchange } from '../../../service/exchange-log.ts';

/** Returns the rule that a scenario with this call tests. */
function ruleOf(call: CallName, { type, amount }: JsonObject): RuleId {
  switch (call) {
    case 'balance':
      return 'balance.read';
    case 'bet':
      return type === 'free' ? 'free-rounds.bet' : 'bet.debit';
    case 'win':
      if (type === 'free') return 'free-rounds.win';
      return typeof amount === 'string' && Money.read(amount)?.isZero() ? 'win.zero' : 'win.credit';
    case 'refund':
      return 'refund.restore';
  }
}

const TITLES: Readonly<Record<CallName, string>> = {
  balance: 'The balance is read',
  bet: 'A bet takes its money',
  win: 'A win is paid',
  refund: 'A refund gives back the money of its bet',
};

/**
 * Writes a scenario with a call of the same kind and amount as a logged call. Before it, the scenario makes the calls that this
 * call needs. All ids are new, because the operator already knows the logged ids.
 *
 * @returns null if the logged exchange is not a call to the wallet, or its body can't be read
 */
export function scenarioOfExchange({ direction, name, at, request }: LoggedExchange): string | null {
  if (direction !== 'reverse' || !isCall(name)) return null;
  const fields = fieldsOf(request.body?.data ?? '');
  const steps = name === 'balance' ? [{ balance: null }] : movingSteps(name, fields);
  if (!steps) return null;
  return writeScenario(
    { title: TITLES[name], rules: [ruleOf(name, fields)], steps },
    {
      comments: [`The same call as the service's ${name} of ${new Date(at).toISOString()}.`],
      schema: 'node_modules/croupier-conformance/schema/scenario.json',
    },
  );
}

function isCall(name: string): name is CallName {
  return Object.hasOwn(TITLES, name);
}

function movingSteps(call: Exclude<CallName, 'balance'>, { amount, type }: JsonObject): readonly JsonObject[] | null {
  if (typeof amount !== 'string' || !AMOUNT_PATTERN.test(amount)) return null;
  const free: JsonObject = type === 'free' ? { type: 'free' } : {};
  const opened: JsonObject = { bet: call === 'win' ? free : { amount, ...free }, as: 'opened' };
  switch (call) {
    case 'bet':
      return [opened, { balance: null }];
    case 'win':
      return [opened, { win: { round: 'opened', amount, ...free } }, { balance: null }];
    case 'refund':
      return [opened, { balance: null }, { refund: { of: 'opened' } }, { balance: null }];
  }
}

function fieldsOf(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
