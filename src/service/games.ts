/** A game of the catalogue. All are played in all currencies and locales, and with free rounds. */
export interface Game {
  readonly id: string;
  /** In English. */
  readonly title: string;
  /** Return to player: the part of all bets that is won back in the long run, in whole per cent. */
  readonly rtp: number;
}

/** The catalogue. A launch without a `gameID` gets its first game. */
export const GAMES: readonly Game[] = [
  { id: 'catch', title: 'Catch', rtp: 96 },
  { id: 'swipe', title: 'Swipe', rtp: 96 },
  { id: 'lantern', title: 'Lantern Walk', rtp: 95 },
  { id: 'tidepool', title: 'Tide Pool', rtp: 96 },
  { id: 'orchard', title: 'Old Orchard', rtp: 94 },
  { id: 'comet', title: 'Comet', rtp: 97 },
];

/** With this many games the list is larger than a megabyte, bet lines included. */
const LARGE_CATALOGUE = 60;

/** A catalogue whose list is larger than a megabyte: the given games, and copies of them with other ids. */
export function largeCatalogue(games: readonly Game[] = GAMES): readonly Game[] {
  const further = Array.from({ length: Math.ceil(LARGE_CATALOGUE / games.length) - 1 }, (_, index) =>
    games.map((game) => ({ ...game, id: `${game.id}-${index + 2}`, title: `${game.title} ${index + 2}` })),
  );
  return [...games, ...further.flat()];
}
