import type { Reply } from '../journal/exchange.ts';
import { type JudgedReply, problemsOf } from '../reply/problems.ts';
import { type ReplyReading, readOnce } from '../reply/read.ts';

type Problems = ReturnType<typeof problemsOf>;

interface Known {
  readonly headers: Reply['headers'];
  readonly reading: ReplyReading;
  /** The problems of the reply by the facts about its call. */
  readonly problems: Map<string, Problems>;
}

/** Maximum number of replies that are kept, and the maximum number of characters of their bodies. */
const MAX_KEPT = 64;
const MAX_BODY = 2000;

/**
 * Reads and judges replies that are no plain success. To judge such a reply takes a hundred times as long as to recognise a plain
 * success, and an operator often sends the same error again. So errors are kept, and the same reply is judged only once.
 */
export class UnusualReplies {
  readonly #known = new Map<string, Known>();
  /** The kept reply that was read last. Its problems are asked for next. */
  #latest: Known | undefined;

  /** Reads a reply. */
  read(reply: Reply): ReplyReading {
    const { status, headers, body, excessBytes } = reply;
    this.#latest = undefined;
    // A success has its own balance and txID, so the same success does not come again.
    const isKept =
      status >= 400 &&
      excessBytes === undefined &&
      !body.truncated &&
      body.encoding === 'utf8' &&
      body.data.length <= MAX_BODY;
    if (!isKept) return readOnce(reply);
    const key = `${status} ${body.data}`;
    let known = this.#known.get(key);
    // All replies with the same head have the same list of headers (see KnownHeads).
    if (known?.headers !== headers) {
      if (this.#known.size >= MAX_KEPT) this.#known.clear();
      known = { headers, reading: readOnce(reply), problems: new Map() };
      this.#known.set(key, known);
    }
    this.#latest = known;
    return known.reading;
  }

  /** Returns all problems of a reply (see `problemsOf`). */
  problemsOf(judged: JudgedReply): Problems {
    const known = this.#latest;
    if (known === undefined || known.reading !== judged.reading) return problemsOf(judged);
    const { call, answer, isBetKnown, currency } = judged;
    const key = `${call} ${answer} ${isBetKnown} ${currency?.code}`;
    let problems = known.problems.get(key);
    if (problems === undefined) {
      problems = problemsOf(judged);
      known.problems.set(key, problems);
    }
    return problems;
  }
}
