import { JOURNAL_FORMAT, type JournalEvent, type RunStarted, type Sending } from '../../journal/event.ts';
import { complaintAboutEvent } from '../../journal/event-schema.ts';
import { sessionNamedIn } from '../../journal/session-named.ts';
import { WallClock } from '../../journal/wall-clock.ts';
import type { SeenExchange, Sighting } from '../seen.ts';

/** How many calls may be in flight at once in a journal; more are given up as unanswered, oldest first. */
const MOST_OPEN = 10_000;

/** True for the first line of a journal. */
export function isJournalHead(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'event' in value && value.event === 'run-started';
}

/** Takes the events of a journal one by one and gives the exchanges that they tell of. */
export class JournalReading {
  readonly #file: string;
  readonly #open = new Map<string, { readonly sending: Sending; readonly line: number }>();
  readonly #clock = new WallClock();
  #run: RunStarted | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** @param value one line of the journal, parsed */
  take(value: unknown, line: number): Sighting | undefined {
    const format = isJournalHead(value) ? (value as { readonly format?: unknown }).format : JOURNAL_FORMAT;
    if (format !== JOURNAL_FORMAT) {
      const why = `the journal is in the format ${JSON.stringify(format)}; this croupier reads ${JOURNAL_FORMAT}`;
      return { kind: 'unreadable', line, why };
    }
    const complaint = complaintAboutEvent(value);
    if (complaint !== null) return { kind: 'unreadable', line, why: `it is no event of a journal: ${complaint}` };
    const event = value as JournalEvent;
    this.#clock.take(event);
    switch (event.event) {
      case 'run-started':
        this.#run = event;
        return undefined;
      case 'sending': {
        this.#open.set(event.id, { sending: event, line });
        const [oldest] = this.#open.keys();
        if (this.#open.size <= MOST_OPEN || oldest === undefined) return undefined;
        return this.#unanswered(oldest);
      }
      case 'received': {
        const sent = this.#open.get(event.id);
        if (!sent) return { kind: 'unreadable', line, why: 'it is a reply to a call that the journal does not hold' };
        this.#open.delete(event.id);
        const { outcome, stamps } = event;
        const from = stamps.sent ?? stamps.start;
        return this.#exchange(sent.sending, sent.line, {
          time: this.#timeOf(from),
          tookMs: Math.max(0, stamps.end - from),
          answer:
            outcome.kind === 'reply'
              ? { kind: 'reply', ...outcome.reply }
              : { kind: 'none', reason: outcome.reason, detail: outcome.detail },
        });
      }
      case 'scenario-started':
      case 'notice':
      case 'race':
      case 'finding':
      case 'owed':
      case 'scenario-ended':
      case 'blamed':
      case 'run-ended':
        return undefined;
    }
  }

  /** What was sent and never heard of again: the run was killed. */
  *end(): Generator<Sighting> {
    for (const id of this.#open.keys()) {
      const sighting = this.#unanswered(id);
      if (sighting) yield sighting;
    }
  }

  #unanswered(id: string): Sighting | undefined {
    const sent = this.#open.get(id);
    this.#open.delete(id);
    return sent && this.#exchange(sent.sending, sent.line, { time: null, tookMs: null, answer: { kind: 'untold' } });
  }

  #timeOf(stamp: number): SeenExchange['time'] {
    const ms = this.#clock.at(stamp);
    return ms === null ? null : { ms, precisionMs: 1 };
  }

  #exchange(sending: Sending, line: number, rest: Pick<SeenExchange, 'time' | 'tookMs' | 'answer'>): Sighting {
    const { request, signed, brokenAt, signature } = sending;
    const sessionID = sessionNamedIn(request);
    const known = this.#run?.settings.sessions.find((session) => session.sessionID === sessionID);
    const told = {
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
        told,
        ...((signed ?? brokenAt) && { oddly: { signed, brokenAt } }),
        ...(signature && { verified: signature }),
        ...rest,
      },
    };
  }
}
