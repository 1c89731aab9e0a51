import { setTimeout as sleep } from 'node:timers/promises';
import { callOf } from '../rewriting.ts';
import type { Defect } from '../variation.ts';

/**
 * Time for which refunds are remembered, in milliseconds. Between a refund and its bet, less time passes, except in scenarios
 * that wait.
 */
const MEMORY_MS = 1000;

export const OVERTAKEN_BET_DEFECTS: readonly Defect[] = [
  {
    name: 'late-bet-taken',
    breaks: ['refund.before-bet'],
    mayBreak: ['refund.broken-connection'],
    description:
      'The player loses a bet that arrives after its own refund: the wallet takes the bet, and the service sends no second refund.',
    change: () => ({ refundsAhead: () => [] }),
  },
  {
    name: 'refund-soon-forgotten',
    breaks: ['refund.before-bet'],
    description:
      'The player loses a bet that arrives more than a second after its own refund, because the operator forgets such a refund after a second.',
    change: (right) => {
      const arrived = new Map<string, number>();
      return {
        record: (store, entry) => {
          arrived.set(entry.txID, performance.now());
          return right.record(store, entry);
        },
        refundsAhead: (store, walletID, betTxID) =>
          right
            .refundsAhead(store, walletID, betTxID)
            .filter(({ txID }) => performance.now() - (arrived.get(txID) ?? 0) < MEMORY_MS),
      };
    },
  },
  {
    name: 'slow-bet-after-refund-taken',
    breaks: ['refund.broken-connection', 'refund.before-bet'],
    description:
      'The player loses a bet whose refund arrives while the bet is being processed: the bet is taken nevertheless.',
    change: (right, { deadlineMs }) => ({
      refundsAhead: () => [],
      receive: async (request, answer) => {
        if (callOf(request) === 'bet') await sleep(deadlineMs / 10);
        return right.receive(request, answer);
      },
    }),
  },
  {
    name: 'abandoned-bet-lands-late',
    breaks: ['refund.broken-connection'],
    mayBreak: ['refund.before-bet'],
    description:
      'The player loses a bet whose connection broke: a background job takes the bet some time later, even after its refund was answered.',
    change: (right, { deadlineMs }) => ({
      refundsAhead: () => [],
      receive: async (request, answer) => {
        if (callOf(request) !== 'bet') return right.receive(request, answer);
        await sleep(2);
        if (request.isGone?.()) await sleep(deadlineMs / 4);
        return right.receive(request, answer);
      },
    }),
  },
];
