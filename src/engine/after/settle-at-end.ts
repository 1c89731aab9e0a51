import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionCall } from '../../contract/call-name.ts';
import { plural } from '../../contract/plural.ts';
import { isTemporary, replyStatus } from '../../reply/status.ts';
import { buildRequest } from '../../wire/request.ts';
import type { Sender } from '../calls/sender.ts';
import { addressOf } from '../run-options.ts';
import { type CallItem, ItemSettler, type ItemSettlerOptions, isCall } from './item-settler.ts';
import { keyOfItem, openItemsOf, walletOfItem } from './open-items.ts';

export interface SettleAtEndOptions extends ItemSettlerOptions {
  /** Time limit in milliseconds, from the beginning. After this time, no further attempt begins. */
  readonly timeMs: number;
  /** The rules for restoring balances: not at all, only for the players whose owed calls were settled, or for all players. */
  readonly restores: 'nobody' | 'settled' | 'all';
  readonly now: () => number;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 1000;
/** Maximum number of times that a call fails, or that a balance is restored, while the operator answers other calls. */
const MAX_TRIES = 2;

/**
 * Sends the calls again that a run still owes at its end, for example because the operator was down for some seconds. Then restores
 * the balances of these players, and the balances that could not be restored because the operator did not answer.
 *
 * A call is not sent again if the operator has declined it for good. If every call of a kind has failed in the run, only one of them
 * is sent again. So something may still be owed afterwards, and only `croupier settle` tries that again.
 *
 * @returns the ids of the wallets whose balance has changed, as far as croupier knows
 */
export async function settleAtEnd(options: SettleAtEndOptions, sender: Sender): Promise<ReadonlySet<string>> {
  return new SettlementAtEnd(options, sender).play();
}

class SettlementAtEnd {
  readonly #options: SettleAtEndOptions;
  readonly #sender: Sender;
  readonly #settler: ItemSettler;
  readonly #until: number;
  /** For each owed call: how often it failed although the operator answered a balance call after it. */
  readonly #failures = new Map<string, number>();
  readonly #sentKinds = new Set<TransactionCall>();
  readonly #changed = new Set<string>();
  #settled = 0;

  constructor(options: SettleAtEndOptions, sender: Sender) {
    this.#options = options;
    this.#sender = sender;
    this.#settler = new ItemSettler(options, sender, MAX_TRIES);
    this.#until = options.now() + options.timeMs;
  }

  async play(): Promise<ReadonlySet<string>> {
    const { now, signal, restores, record } = this.#options;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      await this.#sendCalls();
      if (this.#due().length === 0 || signal.aborted || now() + pauseMs > this.#until) break;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
    if (this.#settled > 0)
      record({
        event: 'notice',
        text: `At the end of the run, croupier sent ${plural(this.#settled, 'owed call')} again, and the operator answered 200.`,
      });
    if (restores !== 'nobody') await this.#restoreBalances();
    return this.#changed;
  }

  /** Returns the owed calls that the operator may still answer 200. The calls with the fewest tries come first. */
  #due(): readonly CallItem[] {
    const tries = (item: CallItem): number => this.#settler.progressOf(item).tries;
    return openItemsOf(this.#options.afterRun)
      .filter(isCall)
      .filter((item) => this.#mayBeAnswered(item))
      .toSorted((a, b) => tries(a) - tries(b));
  }

  #mayBeAnswered(item: CallItem): boolean {
    const kind = kindOf(item);
    if (this.#sender.waitPolicy.stopsRetrying(kind) && this.#sentKinds.has(kind)) return false;
    if ((this.#failures.get(keyOfItem(item)) ?? 0) >= MAX_TRIES) return false;
    const last = item.kind === 'refund' ? item.refund : item.transaction;
    return last?.status == null || isTemporary(last.status);
  }

  /** Sends each due call once. Ends early if the operator does not even answer a balance call. */
  async #sendCalls(): Promise<void> {
    for (const item of this.#due()) {
      if (this.#isOver) return;
      if (!this.#mayBeAnswered(item)) continue;
      const key = keyOfItem(item);
      const outcome = await this.#settler.send(item);
      this.#sentKinds.add(kindOf(item));
      if (!this.#isOpen(key)) {
        this.#settled += 1;
        this.#changed.add(walletOfItem(item));
        continue;
      }
      const status = replyStatus({ outcome });
      if (status !== undefined && !isTemporary(status)) continue;
      if (!(await this.#isOperatorThere(item))) return;
      this.#failures.set(key, (this.#failures.get(key) ?? 0) + 1);
    }
  }

  #isOpen(key: string): boolean {
    return openItemsOf(this.#options.afterRun).some((item) => keyOfItem(item) === key);
  }

  async #isOperatorThere(item: CallItem): Promise<boolean> {
    const { sessionID } = (item.kind === 'refund' ? item.bet : item.transaction).call;
    const request = buildRequest({ call: 'balance', ...addressOf(this.#options.client), fields: { sessionID } });
    const probe = { call: 'balance', request, scenario: null, step: null, purpose: 'probe' } as const;
    const status = replyStatus(await this.#sender.send(probe));
    return status !== undefined && !isTemporary(status);
  }

  /** Restores the balances of the players whose calls were sent again, and those that the run could not restore. */
  async #restoreBalances(): Promise<void> {
    const { afterRun, restores } = this.#options;
    const settler = this.#settler;
    for (const estimate of afterRun.estimates) {
      const { walletID } = estimate;
      const item = { kind: 'balance', estimate } as const;
      const isRight = (): boolean => estimate.missing()?.isZero() === true;
      const isLeft = restores === 'all' && !isRight() && afterRun.couldNotRestore(walletID);
      if (!this.#changed.has(walletID) && !isLeft) continue;
      const progress = settler.progressOf(item);
      while (!this.#isOver && !settler.isBlocked(item) && progress.givenUp === null && progress.tries < MAX_TRIES) {
        await settler.restore(item);
        if (progress.missing !== null) this.#changed.add(walletID);
        if (progress.found !== null && isRight()) break;
      }
    }
  }

  get #isOver(): boolean {
    return this.#options.signal.aborted || this.#options.now() > this.#until;
  }
}

/** Returns the call that settles an item. */
function kindOf(item: CallItem): TransactionCall {
  return item.kind === 'refund' ? 'refund' : item.transaction.call.call;
}
