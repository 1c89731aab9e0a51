import type { Raced, Sending } from '../journal/event.ts';
import type { JudgedFinding } from '../journal/judged-outcome.ts';
import { CallsInFlight } from '../journal/network/calls-in-flight.ts';
import type { JournalledExchange } from './exchanges.ts';
import type { OpenJournal } from './options.ts';

/** Calls that are shown on one time axis, in the order in which they were sent. */
export interface Timeline {
  readonly calls: readonly JournalledExchange[];
  /** The race that the calls belong to. Null if the calls were sent one after another. */
  readonly race: Pick<Raced, 'barrier' | 'staggerMs' | 'offsetsMs' | 'overlapped' | 'round'> | null;
}

/** The events of a journal that a report needs to show some findings. */
export interface Evidence {
  /** The exchanges that the findings name, and all exchanges of the same races, by their ids. */
  readonly exchanges: ReadonlyMap<string, JournalledExchange>;
  readonly races: readonly Raced[];
  /** The calls after a broken connection in the last attempt of each scenario, by the id of the scenario. */
  readonly followUps: ReadonlyMap<string, FollowUp>;
}

/**
 * The calls of a scenario in the order in which they ended. The list begins with the first call whose connection croupier
 * broke.
 */
interface FollowUp {
  readonly calls: JournalledExchange[];
  /**
   * The number of calls that had ended when croupier made a finding. The key is the id of the exchange that the finding names.
   */
  readonly endedBy: Map<string, number>;
}

/**
 * Maximum number of calls that are kept after a broken connection. Calls after these rarely show an effect of the broken
 * connection.
 */
const MAX_FOLLOW_UP = 30;

/** Reads a journal once and collects the events that a report needs to show these findings. */
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
  const followUps = new Map<string, FollowUp>();
  if (findings.length === 0) return { exchanges, races: shown, followUps };
  const inFlight = new CallsInFlight<Sending>();
  for await (const event of open()) {
    if (event.event === 'scenario-started') followUps.delete(event.scenario);
    else if (event.event === 'sending' && (wanted.has(event.id) || scenarios.has(event.scenario ?? ''))) {
      inFlight.set(event.id, event);
      if (wanted.has(event.id)) exchanges.set(event.id, { sending: event, received: null });
    } else if (event.event === 'received') {
      const sending = inFlight.take(event.id);
      if (!sending) continue;
      const exchange = { sending, received: event };
      if (wanted.has(event.id)) exchanges.set(event.id, exchange);
      addToFollowUp(followUps, exchange);
    } else if (event.event === 'finding' && event.finding.exchange !== null) {
      const followUp = followUps.get(event.scenario);
      // The journal records a finding before the end of the call that shows the finding. So this call is added to the count (+ 1).
      followUp?.endedBy.set(event.finding.exchange, followUp.calls.length + 1);
    }
  }
  return { exchanges, races: shown, followUps };
}

function addToFollowUp(followUps: Map<string, FollowUp>, exchange: JournalledExchange): void {
  const { scenario, purpose } = exchange.sending;
  // Calls that prepare or restore a balance are not part of the scenario.
  if (scenario === null || purpose === 'restore' || purpose === 'prepare') return;
  const followUp = followUps.get(scenario);
  if (followUp && followUp.calls.length < MAX_FOLLOW_UP) followUp.calls.push(exchange);
  else if (!followUp && isBroken(exchange)) followUps.set(scenario, { calls: [exchange], endedBy: new Map() });
}

/**
 * Selects the calls for the timeline of a finding. If its call belongs to a race, these are all calls of the race. Otherwise
 * the timeline begins with the last broken connection before the finding, and ends with the call of the finding. Returns null
 * if there is neither a race nor a broken connection.
 */
export function timelineOf(
  { exchange, scenario }: Pick<JudgedFinding, 'exchange' | 'scenario'>,
  { races, exchanges, followUps }: Evidence,
): Timeline | null {
  if (exchange === null) return null;
  const race = races.find((one) => one.exchanges.includes(exchange));
  if (race) {
    const calls = race.exchanges.flatMap((id) => exchanges.get(id) ?? []);
    return { calls, race };
  }
  const followUp = followUps.get(scenario);
  if (!followUp) return null;
  const at = followUp.calls.findIndex(({ sending }) => sending.id === exchange);
  if (at < 0) return null;
  const broken = followUp.calls.findLastIndex((one, index) => index <= at && isBroken(one));
  const until = Math.max(at + 1, followUp.endedBy.get(exchange) ?? 0);
  const calls = followUp.calls.slice(broken, until).toSorted((a, b) => startOf(a) - startOf(b));
  return calls.length < 2 ? null : { calls, race: null };
}

function isBroken({ received }: JournalledExchange): boolean {
  return received?.outcome.kind === 'none' && received.outcome.reason === 'broken';
}

function startOf({ received }: JournalledExchange): number {
  return received?.stamps.start ?? 0;
}
