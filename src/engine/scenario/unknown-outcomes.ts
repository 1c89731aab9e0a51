import type { Transaction } from '../../judge/wallet/transaction.ts';
import type { Template } from '../../scenario/expressions/expression.ts';
import type { CallStep, TogetherStep } from '../../scenario/plan/plan.ts';
import type { ScenarioContext } from '../scenario-context.ts';

/**
 * Sends a call until the operator answers it, because the outcome of the call is unknown. If `judged` is true, croupier judges
 * the answer. Otherwise the answer only updates the model of the wallet.
 */
export type SendSettling = (step: CallStep, how: { readonly judged: boolean }) => Promise<void>;

/**
 * Handles the calls with an unknown outcome as the service does: refunds the bets, and sends the wins and refunds again, until each
 * of these calls is answered 200. Judges only the refund of a bet. The other answers only update the model of the wallet.
 */
export async function settle(context: ScenarioContext, send: SendSettling, uuid: () => string): Promise<void> {
  await settleAll(context, send, uuid, unsettled(context));
}

/**
 * Refunds or sends again those calls of a race whose outcome is unknown. Does so as soon as all calls of the race have ended, so
 * that the next read shows their effects. Skips a call if a later step of the scenario sends it again or refunds it.
 */
export async function settleRace(
  context: ScenarioContext,
  { key }: TogetherStep,
  send: SendSettling,
  uuid: () => string,
): Promise<void> {
  const { calls } = context.judge.plannedCalls;
  const raced = calls.filter(({ group }) => group === key);
  const after = calls.filter(({ index }) => raced.every((planned) => planned.index < index));
  const isLeftToScenario = ({ planned: { step } }: Transaction): boolean =>
    step.call === 'bet'
      ? after.some(({ step: later, target }) => later.call === 'refund' && target?.step.key === step.key)
      : after[0]?.source?.step.key === step.key;
  const subjects = new Set(raced.map(({ source, step }) => source?.step.key ?? step.key));
  await settleAll(
    context,
    send,
    uuid,
    unsettled(context).filter(
      (transaction) =>
        subjects.has(transaction.planned.step.key) && isOpen(transaction, context) && !isLeftToScenario(transaction),
    ),
  );
}

async function settleAll(
  context: ScenarioContext,
  send: SendSettling,
  uuid: () => string,
  transactions: readonly Transaction[],
): Promise<void> {
  for (const transaction of transactions) {
    // An earlier call in this loop may have made the outcome known.
    if (transaction.state !== 'unknown') continue;
    const key = `settle.${transaction.planned.step.key}`;
    if (transaction.planned.step.call !== 'bet') await send(againOf(transaction, key), { judged: false });
    // If a refund of this bet was already sent, croupier sends this refund again. So there is never a second refund for a bet.
    else if (!unsettled(context).some((other) => refundedBy(other) === transaction.planned.step.key))
      await send(refundOf(context, transaction, key, uuid), { judged: true });
  }
}

/**
 * Returns the transactions with an unknown outcome, as a copy. The caller sends refunds while it goes through the list, and these
 * new transactions must not be handled in the same loop.
 */
function unsettled({ judge }: ScenarioContext): readonly Transaction[] {
  return Array.from(judge.effects.all()).filter(({ state, wallet }) => state === 'unknown' && wallet !== null);
}

/** Returns the key of the bet that a refund gives back. */
function refundedBy({ planned: { step } }: Transaction): string | undefined {
  return step.refund?.kind === 'step' ? step.refund.of : undefined;
}

/** True if the balance depends on the outcome of the transaction. */
function isOpen(transaction: Transaction, { judge }: ScenarioContext): boolean {
  const bet = refundedBy(transaction);
  const target = bet === undefined ? undefined : judge.effects.ofStep(bet);
  return [transaction, target].some((one) => one?.wallet?.isOpen(one.txID));
}

function refundOf(context: ScenarioContext, bet: Transaction, key: string, uuid: () => string): CallStep {
  const { step } = bet.planned;
  const txID = uuid();
  return {
    kind: 'call',
    key,
    place: step.place,
    call: 'refund',
    session: step.session,
    origin: { kind: 'fresh' },
    fields: [
      text('txID', txID),
      text('origTxID', bet.txID),
      text('amount', (bet.amount ?? context.names.denomination.stake).format(context.names.denomination.decimals)),
      ...(step.roundID === null ? [] : [text('roundID', step.roundID)]),
    ],
    txID,
    roundID: step.roundID,
    refund: { kind: 'step', of: step.key },
    campaign: false,
    deviations: {},
    expect: { outcome: 'accepted', stated: false },
  };
}

function againOf(transaction: Transaction, key: string): CallStep {
  const { step } = transaction.planned;
  return {
    ...step,
    key,
    origin: { kind: 'resend', of: step.key },
    fields: [],
    deviations: step.deviations.sign || step.deviations.tamper ? { sign: 'valid' } : {},
    expect: { outcome: 'accepted', stated: false },
  };
}

function text(name: string, value: string): readonly [string, Template] {
  return [name, { kind: 'literal', value }];
}
