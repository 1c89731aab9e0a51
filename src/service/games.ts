/** A game of the catalogue. Every game supports all currencies, all locales and free rounds. */
export interface Game {
  readonly id: string;
  /** The title of the game, in English. */
  readonly title: string;
  /** Return to player: the percentage of all stakes that players win back in the long run, a whole number. */
  readonly rtp: number;
}

/** The default catalogue. A launch without a `gameID` opens the first game that the client may play. */
export const GAMES: readonly Game[] = [
  { id: 'catch', title: 'Catch', rtp: 96 },
  { id: 'swipe', title: 'Swipe', rtp: 96 },
  { id: 'lantern', title: 'Lantern Walk', rtp: 95 },
  { id: 'tidepool', title: 'Tide Pool', rtp: 96 },
  { id: 'orchard', title: 'Old Orchard', rtp: 94 },
  { id: 'comet', title: 'Comet', rtp: 97 },
];

/** The number of games with which the reply of `GET /games`, bet lines included, is larger than a megabyte. */
const LARGE_CATALOGUE = 60;

/**
 * Returns a catalogue whose list is larger than a megabyte. It contains the given games, and copies of these games with other
 * ids.
 */
export function largeCatalogue(games: readonly Game[] = GAMES): readonly Game[] {
  const further = Array.from({ length: Math.ceil(LARGE_CATALOGUE / games.length) - 1 }, (_, index) =>
    games.map((game) => ({ ...game, id: `${game.id}-${index + 2}`, title: `${game.title} ${index + 2}` })),
  );
  return [...games, ...further.flat()];
}
