import type { CallName } from '../contract/call-name.ts';
import type { HeaderList, NoReplyReason } from '../journal/exchange.ts';
import type { Deed } from './fault.ts';

/** More of a body is passed on, and not kept for judging. */
const MOST_KEPT = 256 * 1024;

/** The beginning of a body, copied while it passes. */
export class KeptBody {
  readonly #pieces: Buffer[] = [];
  #kept = 0;
  length = 0;

  add(pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      this.length += piece.length;
      const part = piece.subarray(0, MOST_KEPT - this.#kept);
      if (part.length === 0) continue;
      this.#pieces.push(part);
      this.#kept += part.length;
    }
  }

  bytes(): Buffer {
    return this.#pieces.length === 1 && this.#pieces[0] ? this.#pieces[0] : Buffer.concat(this.#pieces);
  }

  get isCut(): boolean {
    return this.length > this.#kept;
  }
}

/** What came back, as it came. */
interface ReplyHead {
  readonly status: number;
  readonly headers: HeaderList;
}

/** How an exchange ended for the one who watches it pass. */
export type CrossingEnd =
  | { readonly kind: 'reply' }
  | { readonly kind: 'none'; readonly reason: NoReplyReason; readonly detail: string }
  /** It can't be told: the bytes were no HTTP that could be followed. */
  | { readonly kind: 'opaque' };

/** One request on its way through, and its reply. Times are of one monotonic clock, in ms. */
export interface Crossing {
  readonly id: string;
  readonly method: string;
  /** As the operator gets it. */
  readonly url: string;
  readonly headers: HeaderList;
  /** null: none of the four calls. It is passed on, and not judged. */
  readonly call: CallName | null;
  readonly deed: Deed | null;
  /** `proxy`: a repetition that croupier made itself. */
  readonly source: 'service' | 'proxy';
  readonly connection: number;
  readonly reused: boolean;
  readonly start: number;
  readonly requestBody: KeptBody;
  readonly replyBody: KeptBody;
  connected: number | null;
  sent: number | null;
  firstByte: number | null;
  end: number | null;
  /** The service had ended its side before the reply was whole: it may never have got it. */
  hungUpAt: number | null;
  isWhole: boolean;
  reply: ReplyHead | null;
}

/** Who hears of what passes. Nothing that it does may hold up or break what passes: it only takes notes. */
export interface Observer {
  /** The request is whole. */
  requested(crossing: Crossing): void;
  ended(crossing: Crossing, end: CrossingEnd): void;
}
