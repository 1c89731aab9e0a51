import type { Raced, Received, Sending } from '../journal/event.ts';
import type { JudgedFinding } from '../journal/judged-cell.ts';
import type { OpenJournal } from './options.ts';
import type { Timeline } from './timeline.ts';

/** One exchange as the journal tells it: what was sent, and what came of it, if that was still written down. */
export interface JournalledExchange {
  readonly sending: Sending;
  readonly received: Received | null;
}

/** What a journal holds about some findings. */
export interface Evidence {
  /** By their ids: those that a finding names, and those that were let go together with one. */
  readonly exchanges: ReadonlyMap<string, JournalledExchange>;
  readonly races: readonly Raced[];
  /** By scenario: what was sent in its last attempt from the first connection on that croupier broke, in the order in which it ended. */
  readonly stories: ReadonlyMap<string, readonly JournalledExchange[]>;
}

/** So many exchanges are kept of one story: what is worth drawing happens soon after the break. */
const STORY = 30;

/** Looks up, in one pass over a journal, what shows some findings. */
export async function findEvidence(
  open: OpenJournal,
  findings: readonly Pick<JudgedFinding, 'exchange' | 'scenario'>[],
  races: readonly Raced[],
): Promise<Evidence> {
  const named = new Set(findings.flatMap(({ exchange }) => exchange ?? []));
  const shown = races.filter(({ exchanges }) => exchanges.some((id) => named.has(id)));
  const wanted = new Set([...named, ...shown.flatMap((race) => race.exchanges)]);
  const scenarios = new Set(findings.map(({ scenario }) => scenario));
  const exchanges = new Map<string, JournalledExchange>();
  const stories = new Map<string, JournalledExchange[]>();
  if (findings.length === 0) return { exchanges, races: shown, stories };
  const inFlight = new Map<string, Sending>();
  for await (const event of open()) {
    if (event.event === 'scenario-started') stories.delete(event.scenario);
    else if (event.event === 'sending' && (wanted.has(event.id) || scenarios.has(event.scenario ?? ''))) {
      inFlight.set(event.id, event);
      if (wanted.has(event.id)) exchanges.set(event.id, { sending: event, received: null });
    } else if (event.event === 'received') {
      const sending = inFlight.get(event.id);
      if (!sending) continue;
      inFlight.delete(event.id);
      const exchange = { sending, received: event };
      if (wanted.has(event.id)) exchanges.set(event.id, exchange);
      tell(stories, exchange);
    }
  }
  return { exchanges, races: shown, stories };
}

function tell(stories: Map<string, JournalledExchange[]>, exchange: JournalledExchange): void {
  const { scenario } = exchange.sending;
  if (scenario === null) return;
  const story = stories.get(scenario);
  if (story && story.length < STORY) story.push(exchange);
  else if (!story && isBroken(exchange)) stories.set(scenario, [exchange]);
}

/**
 * The calls around a finding that are worth drawing: those that were let go together with its own, or what followed the last
 * connection that was broken before it; null when there is neither.
 */
export function timelineOf(
  { exchange, scenario }: Pick<JudgedFinding, 'exchange' | 'scenario'>,
  { races, exchanges, stories }: Evidence,
): Timeline | null {
  if (exchange === null) return null;
  const race = races.find((one) => one.exchanges.includes(exchange));
  if (race) {
    const calls = race.exchanges.flatMap((id) => exchanges.get(id) ?? []);
    return { calls, barrier: race.barrier, staggerMs: race.staggerMs };
  }
  const story = (stories.get(scenario) ?? []).toSorted((a, b) => startOf(a) - startOf(b));
  const at = story.findIndex(({ sending }) => sending.id === exchange);
  if (at < 0) return null;
  const broken = story.findLastIndex((one, index) => index <= at && isBroken(one));
  // What became of the money is told by the balance that is read next.
  const read = story.findIndex(({ sending }, index) => index > at && sending.call === 'balance');
  const calls = story.slice(broken, read < 0 ? undefined : read + 1);
  return calls.length < 2 ? null : { calls, barrier: null, staggerMs: 0 };
}

function isBroken({ received }: JournalledExchange): boolean {
  return received?.outcome.kind === 'none' && received.outcome.reason === 'broken';
}

function startOf({ received }: JournalledExchange): number {
  return received?.stamps.start ?? 0;
}

/** All exchanges of a journal, each when its reply came; those without one at the end. Holds only what is in flight. */
export async function* eachExchange(open: OpenJournal): AsyncGenerator<JournalledExchange> {
  const inFlight = new Map<string, Sending>();
  for await (const event of open()) {
    if (event.event === 'sending') inFlight.set(event.id, event);
    else if (event.event === 'received') {
      const sending = inFlight.get(event.id);
      if (!sending) continue;
      inFlight.delete(event.id);
      yield { sending, received: event };
    }
  }
  for (const sending of inFlight.values()) yield { sending, received: null };
}
