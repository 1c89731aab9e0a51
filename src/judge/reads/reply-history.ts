import type { Money } from '../../contract/money.ts';
import { ReadsBehindReplies } from './reads-behind-replies.ts';
import { ReplyChain } from './reply-chain.ts';

/** This number of reads that the replies prove to be old shows that the reads of a wallet are old in general. */
const ENOUGH_OLD_READS = 2;

/** The balances in the replies to the calls of one wallet, over all scenarios of a run. */
export class ReplyHistory {
  readonly chain = new ReplyChain();
  readonly behind = new ReadsBehindReplies();
  #oldReads = 0;
  #hasCaughtUp = false;
  /** The balance in the last reply to a new call. undefined if croupier has sent calls since then whose replies are not noted. */
  lastReply: Money | undefined;

  /** Records a read that was old, as the replies prove. */
  noteOldRead(): void {
    this.#oldReads += 1;
  }

  /** Records that an old balance was right when it was read again. croupier then waits before it reads, so the reads count. */
  noteCaughtUp(): void {
    this.#hasCaughtUp = true;
  }

  /** True if the reads of the wallet stay old, so that only the replies show what a call has moved. */
  get areReadsOld(): boolean {
    return !this.#hasCaughtUp && this.#oldReads >= ENOUGH_OLD_READS;
  }

  /** Called when a scenario begins. Steps of earlier scenarios cannot be reported any more. */
  begin(): void {
    this.chain.begin();
    this.behind.begin();
  }

  /** Forgets the balances in replies. This is necessary after a call whose effect is not certain. */
  interrupt(): void {
    this.lastReply = undefined;
    this.chain.interrupt();
    this.behind.interrupt();
  }

  /**
   * Notes that a transaction was sent again. Its reply may be the stored first reply, so its balance says nothing.
   *
   * @param effect the signed sum that the transaction moved at first
   */
  sentAgain(effect: Money): void {
    this.chain.sentAgain(effect);
    this.behind.sentAgain();
  }
}
