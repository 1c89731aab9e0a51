import type { Transaction } from '../judge/transaction.ts';
import type { CallStep, Template, TogetherStep } from '../scenario/plan.ts';
import type { Stage } from './stage.ts';

/** How a settling call is sent: again and again until it is answered, and then judged or only followed. */
export type SendSettling = (step: CallStep, how: { readonly judged: boolean }) => Promise<void>;

/**
 * Does what the service would do now about calls without a known outcome: refunds lost bets, sends wins and refunds again,
 * until each is answered 200. A bet's refund is judged, the rest only followed.
 */
export async function settle(stage: Stage, send: SendSettling, uuid: () => string): Promise<void> {
  await settleAll(stage, send, uuid, unsettled(stage));
}

/**
 * The same for calls that were sent at once, as soon as all are answered, so that the next read tells what became of them.
 * What the story itself is about to send again, or refunds later, is left to it.
 */
export async function settleRace(
  stage: Stage,
  { key }: TogetherStep,
  send: SendSettling,
  uuid: () => string,
): Promise<void> {
  const { parts } = stage.judge.story;
  const raced = parts.filter(({ group }) => group === key);
  const after = parts.filter(({ index }) => raced.every((part) => part.index < index));
  const isTheStorys = ({ part: { step } }: Transaction): boolean =>
    step.call === 'bet'
      ? after.some(({ step: later, target }) => later.call === 'refund' && target?.step.key === step.key)
      : after[0]?.source?.step.key === step.key;
  const subjects = new Set(raced.map(({ source, step }) => source?.step.key ?? step.key));
  await settleAll(
    stage,
    send,
    uuid,
    unsettled(stage).filter(
      (transaction) =>
        subjects.has(transaction.part.step.key) && isOpen(transaction, stage) && !isTheStorys(transaction),
    ),
  );
}

async function settleAll(
  stage: Stage,
  send: SendSettling,
  uuid: () => string,
  transactions: readonly Transaction[],
): Promise<void> {
  for (const transaction of transactions) {
    // What was sent before it may have settled it.
    if (transaction.state !== 'unknown') continue;
    const key = `settle.${transaction.part.step.key}`;
    if (transaction.part.step.call !== 'bet') await send(againOf(transaction, key), { judged: false });
    // A refund that was sent already is the one that is sent again.
    else if (!unsettled(stage).some((other) => refundedBy(other) === transaction.part.step.key))
      await send(refundOf(stage, transaction, key, uuid), { judged: true });
  }
}

/** Refunding adds transactions of its own, which are not to be gone through as well. */
function unsettled({ judge }: Stage): readonly Transaction[] {
  return Array.from(judge.effects.all()).filter(({ state, wallet }) => state === 'unknown' && wallet !== null);
}

/** The key of the bet that a refund gives back. */
function refundedBy({ part: { step } }: Transaction): string | undefined {
  return step.refund?.kind === 'step' ? step.refund.of : undefined;
}

/** The balance depends on what became of it. */
function isOpen(transaction: Transaction, { judge }: Stage): boolean {
  const bet = refundedBy(transaction);
  const target = bet === undefined ? undefined : judge.effects.ofStep(bet);
  return [transaction, target].some((one) => one?.wallet?.forks.some(({ txID }) => txID === one.txID));
}

function refundOf(stage: Stage, bet: Transaction, key: string, uuid: () => string): CallStep {
  const { step } = bet.part;
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
      text('amount', (bet.amount ?? stage.names.denomination.stake).format(stage.names.denomination.decimals)),
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
  const { step } = transaction.part;
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
