import type { CallName } from '../../contract/call-name.ts';
import type { HeaderList, NoReplyReason } from '../../journal/exchange.ts';
import type { FaultAction } from './fault.ts';

/** Maximum number of bytes of a body that are kept for judging. Further bytes are passed on but not kept. */
const MAX_KEPT = 256 * 1024;

/** A copy of the first bytes of a body, taken while the body passes through the proxy. */
export class BodyCopy {
  readonly #pieces: Buffer[] = [];
  #kept = 0;
  length = 0;

  add(pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      this.length += piece.length;
      const part = piece.subarray(0, MAX_KEPT - this.#kept);
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

/** Status and headers of a reply, as received. */
interface ReplyHead {
  readonly status: number;
  readonly headers: HeaderList;
}

/** The end of a proxied call: a reply, a reason why no reply came, or an unknown end. */
export type ProxiedCallEnd =
  | { readonly kind: 'reply' }
  | { readonly kind: 'none'; readonly reason: NoReplyReason; readonly detail: string }
  /** The end of the call is unknown, because the bytes could not be parsed as HTTP. */
  | { readonly kind: 'opaque' };

/** One request that passes through the proxy, with its reply. Times are in ms of one monotonic clock. */
export interface ProxiedCall {
  readonly id: string;
  readonly method: string;
  /** The URL at which the operator receives the request. */
  readonly url: string;
  readonly headers: HeaderList;
  /** The name of the call; null for any other request, which is passed on and not judged. */
  readonly call: CallName | null;
  readonly action: FaultAction | null;
  /** The sender of the call. `proxy` means that croupier repeated the call (`--fault repeat`). */
  readonly source: 'service' | 'proxy';
  readonly connection: number;
  readonly reused: boolean;
  readonly start: number;
  readonly requestBody: BodyCopy;
  readonly replyBody: BodyCopy;
  connected: number | null;
  sent: number | null;
  firstByte: number | null;
  end: number | null;
  /** The time in ms by which croupier itself was late during the call. It is known once the call has ended. */
  delayedMs: number;
  /**
   * The time at which the service ended its side of the connection, if this was before the reply was complete. Then the service may
   * never have received the reply. Null if the service did not end its side.
   */
  hungUpAt: number | null;
  /** True when the whole request has passed through the proxy. */
  isWhole: boolean;
  reply: ReplyHead | null;
}

/** The part of a call that is needed to judge it. Calls that croupier's own service sends have this part too. */
export type JudgedCall = Pick<
  ProxiedCall,
  'id' | 'method' | 'url' | 'headers' | 'call' | 'start' | 'sent' | 'end' | 'delayedMs' | 'isWhole' | 'requestBody'
>;

/**
 * Receives proxied calls while they pass through the proxy. The functions must return at once, so that they never delay traffic.
 */
export interface Observer {
  /** Is called when the request is complete or has ended early. */
  requested(proxiedCall: ProxiedCall): void;
  ended(proxiedCall: ProxiedCall, end: ProxiedCallEnd): void;
  /** Is called when the operator has sent bytes after the end of its reply to a call. */
  exceeded(proxiedCall: ProxiedCall): void;
  /**
   * Is called when bytes of a connection could not be parsed. All later calls on this connection are passed on unchanged, but not
   * judged.
   */
  unparsed(connection: number, sender: 'service' | 'operator'): void;
}
