import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '../judge/transaction.ts';
import type { CallStep, Template } from '../scenario/plan.ts';
import type { Performance } from './performance.ts';
import { replyStatus } from './reply-status.ts';
import type { Stage } from './stage.ts';

const MOST_TRIES = 4;
const FIRST_PAUSE_MS = 50;

/**
 * Does what the service would do now about calls without a known outcome: refunds lost bets, sends wins and refunds again,
 * until each is answered 200. A bet's refund is judged, the rest only followed.
 */
export async function settle(stage: Stage, performance: Performance, uuid: () => string): Promise<void> {
  let number = 0;
  // Refunding adds transactions of its own, which are not to be gone through here.
  const unsettled = Array.from(stage.judge.effects.all());
  for (const transaction of unsettled) {
    if (transaction.state !== 'unknown' || !transaction.wallet) continue;
    number += 1;
    const isBet = transaction.part.step.call === 'bet';
    const step = isBet
      ? refundOf(stage, transaction, `settle.${number}`, uuid)
      : againOf(transaction, `settle.${number}`);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      if (tries > 0) await sleep(FIRST_PAUSE_MS * 2 ** tries);
      const exchange = await performance.settle(step, isBet && tries === 0);
      const status = exchange && replyStatus(exchange);
      // Who doesn't answer twice isn't waited for any longer; what is owed then stays written down.
      if (!exchange || isFinal(status) || (status === undefined && tries > 0)) break;
    }
  }
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

/** Accepted, or declined in a way that another try a moment later won't change. */
function isFinal(status: number | undefined): boolean {
  return (
    status === 200 || (status !== undefined && status >= 400 && status < 500 && ![409, 423, 425, 429].includes(status))
  );
}
