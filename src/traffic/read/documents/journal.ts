import {
  BY_HAND_FILE,
  JOURNAL_FORMAT,
  type JournalEvent,
  type RunStarted,
  type Sending,
} from '../../../journal/event.ts';
import { eventProblem } from '../../../journal/event-schema.ts';
import { sessionNamedIn } from '../../../journal/exchange.ts';
import { type FoldBuilder, startFold } from '../../../journal/fold.ts';
import { isLoadLine, LoadLines } from '../../../journal/load/lines.ts';
import { WallClock } from '../../../journal/wall-clock.ts';
import type { LogEntry, LoggedExchange } from '../../logged-exchange.ts';

/**
 * Maximum number of calls that wait for the event with their reply. If there are more, the call that has waited longest is reported
 * without a reply.
 */
const MAX_OPEN = 10_000;

/** Precision in ms of the times in a journal, which are numbers of ms with decimals. */
const STAMP_MS = 0.01;

/** True if a value is the first event of a journal. */
export function isJournalHead(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'event' in value && value.event === 'run-started';
}

/**
 * True if a value is an event of a journal, but not the first event. If the first event is missing, the times, the players and the
 * currencies of the calls are unknown.
 */
export function isLaterEvent(value: Readonly<Record<string, unknown>>): boolean {
  return typeof value.event === 'string' && !isJournalHead(value) && eventProblem(value) === null;
}

/** Joins the events of a journal to exchanges. A journal has one event for the request and one event for the reply. */
export class JournalReader {
  readonly #file: string;
  readonly #open = new Map<string, { readonly sending: Sending; readonly line: number }>();
  readonly #clock = new WallClock();
  #run: RunStarted | null = null;
  #fold: FoldBuilder | null = null;
  /** The line of each call, by the id of its exchange. */
  readonly #lines = new Map<string, number>();
  /** The line of the last call of each scenario. */
  readonly #lastLines = new Map<string, number>();
  /** Reads the short lines of a load test. undefined if the journal is not from a load test. */
  #loadLines: LoadLines | undefined;
  /**
   * True if this version of croupier does not know the format of the journal. Then the events may have another meaning, so they are
   * not read.
   */
  #isUnknownFormat = false;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Reads one event. Returns the exchange that this event completes, or an unreadable entry. Returns undefined if the event
   * completes no exchange.
   *
   * @param value one parsed line of the journal
   */
  take(value: unknown, line: number): LogEntry | undefined {
    if (this.#isUnknownFormat) return undefined;
    const format = isJournalHead(value) ? (value as { readonly format?: unknown }).format : JOURNAL_FORMAT;
    if (format !== JOURNAL_FORMAT) {
      this.#isUnknownFormat = true;
      const why = `the journal is in the format ${JSON.stringify(format)}, but this croupier reads ${JOURNAL_FORMAT}`;
      return { kind: 'unreadable', line, why };
    }
    const diagnostic = eventProblem(value);
    if (diagnostic !== null) return { kind: 'unreadable', line, why: `it is not an event of a journal: ${diagnostic}` };
    const event = value as JournalEvent;
    this.#clock.take(event);
    switch (event.event) {
      case 'run-started':
        this.#run = event;
        this.#loadLines = event.source === 'load' ? new LoadLines(event) : undefined;
        this.#fold = startFold();
        this.#fold.add(event);
        return undefined;
      case 'sending': {
        this.#fold?.add(event);
        this.#lines.set(event.id, line);
        if (event.scenario !== null) this.#lastLines.set(event.scenario, line);
        this.#open.set(event.id, { sending: event, line });
        const [oldest] = this.#open.keys();
        if (this.#open.size <= MAX_OPEN || oldest === undefined) return undefined;
        return this.#unanswered(oldest);
      }
      case 'received': {
        const sent = this.#open.get(event.id);
        if (!sent)
          return { kind: 'unreadable', line, why: 'it is a reply to a call that the journal does not contain' };
        this.#open.delete(event.id);
        const { outcome, stamps, aside } = event;
        const from = stamps.sent ?? stamps.start;
        return this.#exchange(sent.sending, sent.line, {
          time: this.#timeOf(from),
          tookMs: Math.max(0, stamps.end - from),
          answer:
            outcome.kind === 'reply'
              ? { kind: 'reply', ...outcome.reply }
              : { kind: 'none', reason: outcome.reason, detail: outcome.detail },
          ...(aside !== undefined && { isDisturbed: true }),
        });
      }
      case 'scenario-started':
      case 'notice':
      case 'race':
      case 'finding':
      case 'owed':
      case 'balance-owed':
      case 'owed-known':
      case 'scenario-ended':
      case 'blamed':
      case 'moved-alone':
      case 'intermittent':
      case 'wrong-sum':
      case 'run-ended':
        this.#fold?.add(event);
        return undefined;
    }
  }

  /**
   * Reads a line of the journal of a load test.
   *
   * @returns undefined if the text is not such a line. `entry` is undefined if the line completes no exchange
   */
  takeLoadLine(text: string, line: number): { readonly entry: LogEntry | undefined } | undefined {
    if (!this.#loadLines || !text.startsWith('[')) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // The last line of a killed test may be incomplete.
      return undefined;
    }
    if (!isLoadLine(value)) return undefined;
    const event = this.#loadLines.eventOf(value);
    return { entry: event && this.take(event, line) };
  }

  /**
   * Yields the calls without an event for their reply. Such calls exist if the run was killed. Then yields the rules that croupier
   * found broken.
   */
  *end(): Generator<LogEntry> {
    for (const id of this.#open.keys()) {
      const sighting = this.#unanswered(id);
      if (sighting) yield sighting;
    }
    for (const { rule, verdict, findings } of this.#fold?.result().rules ?? []) {
      if (verdict !== 'fail' && verdict !== 'warn') continue;
      for (const finding of findings) {
        const line = this.#lines.get(finding.exchange ?? '') ?? this.#lastLines.get(finding.scenario);
        if (line === undefined || (finding.verdict !== 'fail' && finding.verdict !== 'warn')) continue;
        const text = `expected ${finding.expected}; ${finding.actual}`;
        const { causes } = finding;
        yield { kind: 'judged', line, judgement: { rule: rule.id, verdict: finding.verdict, text, causes } };
      }
    }
  }

  #unanswered(id: string): LogEntry | undefined {
    const sent = this.#open.get(id);
    this.#open.delete(id);
    return sent && this.#exchange(sent.sending, sent.line, { time: null, tookMs: null, answer: { kind: 'unknown' } });
  }

  #timeOf(stamp: number): LoggedExchange['time'] {
    const ms = this.#clock.at(stamp);
    return ms === null ? null : { ms, precisionMs: STAMP_MS };
  }

  /** True if the calls that follow in the journal were sent with `croupier call`. */
  get #isByHand(): boolean {
    return this.#run?.scenarios[0]?.place.file === BY_HAND_FILE;
  }

  #exchange(
    sending: Sending,
    line: number,
    rest: Pick<LoggedExchange, 'time' | 'tookMs' | 'answer' | 'isDisturbed'>,
  ): LogEntry {
    const { request, amount, signed, mayBeDeclined, brokenAt, signature } = sending;
    const sessionID = sessionNamedIn(request);
    const known = this.#run?.settings.sessions.find((session) => session.sessionID === sessionID);
    const logged = {
      call: sending.call,
      ...(known?.player != null && { player: known.player }),
      ...(known?.currency != null && { currency: known.currency }),
    };
    return {
      kind: 'exchange',
      exchange: {
        place: { file: this.#file, line },
        side: 'service',
        request,
        ...(amount !== undefined && { amount }),
        logged,
        ...((signed ?? brokenAt) && { deviation: { signed, brokenAt } }),
        ...(this.#run?.source !== 'proxy' && { isOfRun: true, isOfWholeRun: true }),
        ...(sending.source === 'proxy' && { isProbe: true }),
        ...(sending.scenario !== null && { scenario: sending.scenario }),
        isJudged: true,
        ...(this.#isByHand && { isByHand: true }),
        ...(mayBeDeclined && { mayBeDeclined }),
        ...(signature && { verified: signature }),
        ...rest,
      },
    };
  }
}
