import type { Raced } from '../journal/event.ts';
import type { Fold } from '../journal/fold.ts';
import type { ScenarioResult } from '../journal/scenario-result.ts';
import type { JournalledExchange } from './evidence.ts';
import type { OpenJournal } from './options.ts';

/** A scenario with what was sent in the attempt that counts. */
export interface PlayedScenario {
  readonly scenario: ScenarioResult;
  /** In the order in which they were sent; not all of them when there were too many. */
  readonly exchanges: readonly JournalledExchange[];
  /** How many there were. */
  readonly exchangeCount: number;
  readonly races: readonly Raced[];
}

interface Kept extends PlayedScenario {
  readonly exchanges: JournalledExchange[];
  exchangeCount: number;
  readonly races: Raced[];
}

/** So many races of one scenario are kept beside those in which something was found. */
const RACES = 1;

/**
 * Each scenario once, in the order in which they ended, with the exchanges of the attempt that
 * counts: at most `most` of them, and beyond
 * these only such as a finding names. Held in memory: the scenarios that are being played at one moment.
 *
 * @param wanted which scenarios; left out: all
 */
export async function* eachScenario(
  fold: Fold,
  open: OpenJournal,
  most: number,
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
      // What a flaky failure shows lies in an attempt before the one that counts.
      const before = scenario.flaky ? (playing.get(event.scenario)?.exchanges ?? []) : [];
      const shown = before.filter(({ sending }) => evidence.has(sending.id));
      playing.set(event.scenario, { ...begun(scenario), exchanges: [...shown], exchangeCount: shown.length });
    } else if (event.event === 'sending') {
      const kept = event.scenario === null ? undefined : playing.get(event.scenario);
      if (!kept) continue;
      kept.exchangeCount += 1;
      if (most > 0 && (kept.exchanges.length < most || evidence.has(event.id))) {
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
      const isTelling = event.exchanges.some((id) => evidence.has(id));
      if (kept && (isTelling || kept.races.length < RACES)) kept.races.push(event);
    } else if (event.event === 'scenario-ended') {
      const kept = playing.get(event.scenario);
      const scenario = results.get(event.scenario);
      if (!scenario || scenario.attempt > event.attempt) continue;
      playing.delete(event.scenario);
      results.delete(event.scenario);
      yield kept ?? begun(scenario);
      if (results.size === 0) return;
    }
  }
  for (const [id, scenario] of results) yield playing.get(id) ?? begun(scenario);
}

function begun(scenario: ScenarioResult): Kept {
  return { scenario, exchanges: [], exchangeCount: 0, races: [] };
}
