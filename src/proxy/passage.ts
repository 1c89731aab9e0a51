import type { Socket } from 'node:net';
import { WireFailure } from '../wire/failure.ts';
import type { Crossing } from './crossing.ts';
import type { Deed } from './fault.ts';
import { Framer } from './framer.ts';
import { type Framing, forwardedHead, type Head, replyFraming, requestFraming } from './head.ts';
import { Repetition } from './repetition.ts';
import type { Surroundings } from './surroundings.ts';
import { Track } from './track.ts';
import { unreachable } from './unreachable.ts';

/** Who has no more to send is mostly gone: replies that come after this are passed on, and no longer waited for. */
const PATIENCE_MS = 1000;
const MOST_PATIENCE_MS = 60_000;

/**
 * One connection of the service's, and the connection to the operator that stands for it. Bytes are passed on as they come, both ways;
 * when either side ends or breaks its connection, so does the other one's.
 */
export class Passage {
  readonly #client: Socket;
  readonly #around: Surroundings;
  readonly #track: Track;
  readonly #onGone: () => void;
  readonly #requests: Framer;
  readonly #replies: Framer;
  #operator: Socket | null = null;
  #giveUp: (() => void) | null = null;
  /** Waiting for the connection, or held back on purpose. */
  #toOperator: Buffer[] = [];
  #isRequestHeld = false;
  /** Held back on purpose; null: nothing is. */
  #toClient: Buffer[] | null = null;
  #clientEnded = false;
  #afterReply: (() => void) | null = null;
  #isGone = false;
  #isLast = false;
  /** The raw request of a call that is to be repeated. */
  #raw: Buffer[] | null = null;

  constructor(client: Socket, number: number, around: Surroundings, onGone: () => void) {
    this.#client = client;
    this.#track = new Track(number, around);
    this.#around = around;
    this.#onGone = onGone;
    this.#requests = new Framer({
      onHead: (head) => this.#requestHead(head),
      onBody: (raw, payload) => {
        this.#track.current?.requestBody.add(payload);
        this.#forward(raw);
      },
      onEnd: () => this.#track.requestEnds(this.#operator !== null && this.#toOperator.length === 0),
      onOpaque: (raw) => {
        this.#loseTrack();
        this.#forward(raw);
      },
    });
    this.#replies = new Framer(
      {
        onHead: (head, raw) => this.#replyHead(head, raw),
        onBody: (raw, payload) => {
          this.#track.first?.replyBody.add(payload);
          this.#back(raw);
        },
        onEnd: () => this.#replyEnd(),
        onOpaque: (raw) => {
          this.#loseTrack();
          this.#back(raw);
        },
      },
      'HTTP/',
    );
    client.on('data', (bytes: Buffer) => {
      if (!this.#isGone) this.#requests.feed(bytes);
    });
    client.on('end', () => this.#clientEnds());
    client.on('error', () => {});
    client.on('close', (hadError) => this.#clientGone(hadError));
  }

  /** Ends the connection as soon as nothing is under way on it. */
  leaveWhenIdle(): void {
    this.#isLast = true;
    if (this.#track.isEmpty && this.#toClient === null) this.destroy();
  }

  destroy(): void {
    this.#client.destroy();
  }

  /** It has no more to send, or has hung up: which of the two, only a reply that can't be delivered tells. */
  #clientEnds(): void {
    this.#clientEnded = true;
    this.#requests.end();
    this.#track.hangsUp();
    if (this.#operator && this.#toOperator.length === 0) this.#operator.end();
    else if (!this.#operator && this.#track.isEmpty) this.#leave();
    setTimeout(() => this.#track.giveUp(), PATIENCE_MS).unref();
    setTimeout(() => this.#leave(), MOST_PATIENCE_MS).unref();
  }

  #requestHead(head: Head): Framing | null {
    const { destination } = this.#around;
    const crossing = this.#track.begin(head);
    const { deed } = crossing;
    if (deed?.kind === 'drop' && deed.what === 'request') {
      this.#track.finish(crossing, {
        kind: 'none',
        reason: 'broken',
        detail: 'croupier broke the connection (--fault)',
      });
      this.#leave();
      return { kind: 'length', length: 0 };
    }
    this.#raw = deed?.kind === 'repeat' ? [] : null;
    if (deed?.kind === 'delay' && deed.what === 'request') this.#holdRequest(deed.ms);
    this.#forward(forwardedHead(head, destination));
    const framing = requestFraming(head);
    if (framing === null) this.#loseTrack();
    return framing;
  }

  #holdRequest(ms: number): void {
    this.#isRequestHeld = true;
    this.#client.pause();
    setTimeout(() => {
      this.#isRequestHeld = false;
      if (this.#isGone) return;
      this.#client.resume();
      this.#flush();
    }, ms);
  }

  #forward(bytes: Buffer): void {
    if (this.#isGone) return;
    this.#raw?.push(bytes);
    const operator = this.#operator;
    if (!operator || this.#isRequestHeld) {
      this.#toOperator.push(bytes);
      if (!operator) this.#connect();
      return;
    }
    if (operator.write(bytes)) return;
    this.#client.pause();
    operator.once('drain', () => this.#client.resume());
  }

  #flush(): void {
    const operator = this.#operator;
    if (!operator || this.#isRequestHeld) return;
    for (const bytes of this.#toOperator.splice(0)) operator.write(bytes);
    this.#track.handedOn();
    if (this.#clientEnded) operator.end();
  }

  #connect(): void {
    if (this.#giveUp) return;
    const { destination, open } = this.#around;
    // What comes meanwhile waits in the kernel, not here.
    this.#client.pause();
    this.#giveUp = open((error, socket) => {
      if (this.#isGone) {
        socket?.destroy();
        return;
      }
      this.#client.resume();
      if (!socket) {
        this.#refuse(error, destination.base);
        return;
      }
      this.#operator = socket;
      this.#track.connected();
      this.#listen(socket);
      this.#flush();
    });
  }

  #listen(operator: Socket): void {
    operator.on('data', (bytes: Buffer) => {
      if (!this.#isGone) this.#replies.feed(bytes);
    });
    let isReset = false;
    operator.on('error', () => {
      isReset = true;
    });
    operator.on('end', () => this.#operatorEnded(false));
    operator.on('close', () => this.#operatorEnded(isReset));
  }

  #refuse(error: Error | null, base: string): void {
    const reason = error instanceof WireFailure ? error.reason : 'unreachable';
    const detail = error?.message ?? 'no connection could be made';
    this.#track.finishAll({ kind: 'none', reason, detail });
    this.#client.end(unreachable(base, detail), () => this.#leave());
  }

  #replyHead(head: Head, raw: Buffer): Framing | null {
    const crossing = this.#track.first;
    const status = Number(head.firstLine.slice(9, 12));
    if (!crossing || Number.isNaN(status)) {
      this.#loseTrack();
      this.#back(raw);
      return null;
    }
    const isInterim = status < 200 && status !== 101;
    crossing.firstByte ??= this.#around.now();
    if (!isInterim) {
      crossing.reply = { status, headers: head.headers };
      const { deed } = crossing;
      if (deed?.kind === 'delay' && deed.what === 'reply') this.#holdReply(deed.ms);
    }
    this.#back(raw);
    const framing = status === 101 ? null : replyFraming(head, status, crossing.method);
    if (framing === null) {
      this.#loseTrack();
      this.#requests.giveUp();
    }
    return framing;
  }

  #replyEnd(): void {
    const crossing = this.#track.first;
    // An interim reply has ended, and the final one is still to come.
    if (!crossing?.reply) return;
    this.#track.finish(crossing, { kind: 'reply' });
    const { deed } = crossing;
    if (deed?.kind === 'drop') this.#leave();
    else if (deed?.kind === 'repeat') this.#repeat(crossing, deed);
    if (this.#isLast && this.#track.isEmpty && this.#toClient === null) this.#client.end(() => this.destroy());
  }

  #repeat(crossing: Crossing, deed: Extract<Deed, { kind: 'repeat' }>): void {
    const bytes = Buffer.concat(this.#raw ?? []);
    this.#raw = null;
    new Repetition(crossing, bytes, deed.times, this.#around).start();
  }

  #holdReply(ms: number): void {
    this.#toClient = [];
    setTimeout(() => {
      const held = this.#toClient ?? [];
      this.#toClient = null;
      if (this.#isGone) return;
      for (const bytes of held) this.#client.write(bytes);
      this.#afterReply?.();
    }, ms);
  }

  /** Passes bytes of the operator's on to the service. */
  #back(bytes: Buffer): void {
    const deed = this.#track.first?.deed;
    if (this.#isGone || (deed?.kind === 'drop' && deed.what === 'reply')) return;
    if (this.#toClient) {
      this.#toClient.push(bytes);
      return;
    }
    if (this.#client.write(bytes) || !this.#operator) return;
    const operator = this.#operator;
    operator.pause();
    this.#client.once('drain', () => operator.resume());
  }

  #operatorEnded(isReset: boolean): void {
    if (this.#isGone) return;
    this.#replies.end();
    this.#track.operatorLeaves();
    const leave = (): void => {
      if (isReset) {
        this.#client.resetAndDestroy();
        this.#leave();
      } else this.#client.end(() => this.#leave());
    };
    if (this.#toClient) this.#afterReply = leave;
    else leave();
  }

  #clientGone(hadError: boolean): void {
    if (this.#isGone) return;
    this.#track.hangsUp();
    this.#track.giveUp();
    if (hadError) this.#operator?.resetAndDestroy();
    this.#leave();
  }

  /** What comes from here on is passed on, and can't be told apart any more. */
  #loseTrack(): void {
    this.#replies.giveUp();
    this.#track.finishAll({ kind: 'opaque' });
  }

  #leave(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#giveUp?.();
    this.#client.destroy();
    this.#operator?.destroy();
    this.#onGone();
  }
}
