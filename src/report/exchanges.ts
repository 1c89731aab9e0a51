import type { JournalEvent, Raced, Received, Sending } from '../journal/event.ts';
import type { Fold } from '../journal/fold.ts';
import { CallsInFlight } from '../journal/network/calls-in-flight.ts';
import type { ScenarioResult } from '../journal/scenario-result.ts';
import type { OpenJournal } from './options.ts';

/** One exchange of a journal. `received` is null if the journal ends before its result. */
export interface JournalledExchange {
  readonly sending: Sending;
  readonly received: Received | null;
}

/**
 * Yields all exchanges of a journal in the order in which they ended. Exchanges without an end come last. Only calls in flight
 * are held in memory.
 */
export async function* eachExchange(open: OpenJournal): AsyncGenerator<JournalledExchange> {
  const inFlight = new CallsInFlight<Sending>();
  for await (const event of open()) {
    if (event.event === 'sending') inFlight.set(event.id, event);
    else if (event.event === 'received') {
      const sending = inFlight.take(event.id);
      if (!sending) continue;
      yield { sending, received: event };
    }
  }
  for (const sending of inFlight.values()) yield { sending, received: null };
}

/**
 * Yields all exchanges of a journal in the order in which they were sent. An exchange that has ended stays in memory only until
 * all exchanges that were sent before it have ended.
 *
 * @param onEvent is called for every event when it is read
 */
export async function* sentExchanges(
  open: OpenJournal,
  onEvent: (event: JournalEvent) => void = () => {},
): AsyncGenerator<JournalledExchange> {
  const waiting = new Map<number, JournalledExchange>();
  const places = new Map<string, number>();
  let sent = 0;
  for await (const event of open()) {
    onEvent(event);
    if (event.event === 'sending') {
      sent += 1;
      waiting.set(sent, { sending: event, received: null });
      places.set(event.id, sent);
    } else if (event.event === 'received') {
      const place = places.get(event.id);
      const exchange = place === undefined ? undefined : waiting.get(place);
      if (place === undefined || !exchange) continue;
      places.delete(event.id);
      waiting.set(place, { ...exchange, received: event });
      for (const [first, oldest] of waiting) {
        if (oldest.received === null) break;
        waiting.delete(first);
        yield oldest;
      }
    }
  }
  yield* waiting.values();
}

/** A scenario with the exchanges of the attempt that decided its result. */
export interface PlayedScenario {
  readonly scenario: ScenarioResult;
  /**
   * The exchanges in the order in which they were sent. If there are more exchanges than the report may show, some are left out.
   */
  readonly exchanges: readonly JournalledExchange[];
  /** Number of all exchanges of the attempt, including the ones that `exchanges` leaves out. */
  readonly exchangeCount: number;
  readonly races: readonly Raced[];
}

interface Kept extends PlayedScenario {
  readonly exchanges: JournalledExchange[];
  exchangeCount: number;
  readonly races: Raced[];
}

/** For one scenario, at most this number of races without a finding are kept. */
const MAX_OTHER_RACES = 1;

/**
 * Yields each scenario once, with the exchanges of the attempt that decided its result. Scenarios come in the order in which they
 * ended. Only scenarios that were played at the same time are held in memory.
 *
 * @param max maximum number of exchanges of one scenario. Exchanges that a finding names are always included. With 0, none are
 *   included.
 * @param wanted selects the scenarios. If it is left out, all scenarios are selected.
 */
export async function* eachScenario(
  fold: Fold,
  open: OpenJournal,
  max: number,
  wanted: (scenario: ScenarioResult) => boolean = () => true,
): AsyncGenerator<PlayedScenario> {
  const results = new Map(fold.scenarios.filter(wanted).map((result) => [result.planned.id, result]));
  const evidence = new Set(fold.scenarios.flatMap(({ findings }) => findings.map(({ exchange }) => exchange)));
  const playing = new Map<string, Kept>();
  const places = new Map<string, { readonly kept: Kept; readonly at: number }>();
  for await (const event of open()) {
    if (event.event === 'scenario-started') {
      const scenario = results.get(event.scenario);
      if (!scenario) continue;
      // A flaky scenario failed in an earlier attempt. The report shows the exchanges with this failure, so they are kept.
      const before = scenario.flaky ? (playing.get(event.scenario)?.exchanges ?? []) : [];
      const shown = before.filter(({ sending }) => evidence.has(sending.id));
      playing.set(event.scenario, {
        ...withoutExchanges(scenario),
        exchanges: [...shown],
        exchangeCount: shown.length,
      });
    } else if (event.event === 'sending') {
      const kept = event.scenario === null ? undefined : playing.get(event.scenario);
      if (!kept) continue;
      kept.exchangeCount += 1;
      if (max > 0 && (kept.exchanges.length < max || evidence.has(event.id))) {
        places.set(event.id, { kept, at: kept.exchanges.length });
        kept.exchanges.push({ sending: event, received: null });
      }
    } else if (event.event === 'received') {
      const place = places.get(event.id);
      const exchange = place?.kept.exchanges[place.at];
      if (place && exchange) place.kept.exchanges[place.at] = { ...exchange, received: event };
      places.delete(event.id);
    } else if (event.event === 'race') {
      const kept = playing.get(event.scenario);
      const hasFinding = event.exchanges.some((id) => evidence.has(id));
      if (kept && (hasFinding || kept.races.length < MAX_OTHER_RACES)) kept.races.push(event);
    } else if (event.event === 'scenario-ended') {
      const kept = playing.get(event.scenario);
      const scenario = results.get(event.scenario);
      if (!scenario || scenario.attempt > event.attempt) continue;
      playing.delete(event.scenario);
      results.delete(event.scenario);
      yield kept ?? withoutExchanges(scenario);
      if (results.size === 0) return;
    }
  }
  for (const [id, scenario] of results) yield playing.get(id) ?? withoutExchanges(scenario);
}

function withoutExchanges(scenario: ScenarioResult): Kept {
  return { scenario, exchanges: [], exchangeCount: 0, races: [] };
}
