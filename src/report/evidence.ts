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
  /** By scenario, of its last attempt. */
  readonly stories: ReadonlyMap<string, Story>;
}

/** What was sent from the first connection on that croupier broke, in the order in which it ended. */
interface Story {
  readonly calls: JournalledExchange[];
  /** By the exchange that a finding names: how many calls had ended when it was found. */
  readonly endedBy: Map<string, number>;
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
  const stories = new Map<string, Story>();
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
    } else if (event.event === 'finding' && event.finding.exchange !== null) {
      const story = stories.get(event.scenario);
      // The call that shows it is written down after what it shows.
      story?.endedBy.set(event.finding.exchange, story.calls.length + 1);
    }
  }
  return { exchanges, races: shown, stories };
}

function tell(stories: Map<string, Story>, exchange: JournalledExchange): void {
  const { scenario, purpose } = exchange.sending;
  // What brings the balance back is no part of the story.
  if (scenario === null || purpose === 'restore' || purpose === 'prepare') return;
  const story = stories.get(scenario);
  if (story && story.calls.length < STORY) story.calls.push(exchange);
  else if (!story && isBroken(exchange)) stories.set(scenario, { calls: [exchange], endedBy: new Map() });
}

/**
 * The calls around a finding that are worth drawing: those that were let go together with its own, or all that followed
 * the last connection that was broken before it, until it was found; null when there is neither.
 */
export function timelineOf(
  { exchange, scenario }: Pick<JudgedFinding, 'exchange' | 'scenario'>,
  { races, exchanges, stories }: Evidence,
): Timeline | null {
  if (exchange === null) return null;
  const race = races.find((one) => one.exchanges.includes(exchange));
  if (race) {
    const calls = race.exchanges.flatMap((id) => exchanges.get(id) ?? []);
    return { calls, race };
  }
  const story = stories.get(scenario);
  if (!story) return null;
  const at = story.calls.findIndex(({ sending }) => sending.id === exchange);
  if (at < 0) return null;
  const broken = story.calls.findLastIndex((one, index) => index <= at && isBroken(one));
  const until = Math.max(at + 1, story.endedBy.get(exchange) ?? 0);
  const calls = story.calls.slice(broken, until).toSorted((a, b) => startOf(a) - startOf(b));
  return calls.length < 2 ? null : { calls, race: null };
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
