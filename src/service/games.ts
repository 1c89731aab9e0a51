import type { Game } from './game.ts';

/** The catalogue. Its first game is what a launch without a `gameID` gets. */
export const GAMES: readonly Game[] = [
  { id: 'catch', title: 'Catch', rtp: 96 },
  { id: 'swipe', title: 'Swipe', rtp: 96 },
  { id: 'lantern', title: 'Lantern Walk', rtp: 95 },
  { id: 'tidepool', title: 'Tide Pool', rtp: 96 },
  { id: 'orchard', title: 'Old Orchard', rtp: 94 },
  { id: 'comet', title: 'Comet', rtp: 97 },
];

/** How many games make the list larger than a megabyte, bet lines included. */
const LARGE_CATALOGUE = 60;

/** A catalogue that is answered with more than a megabyte: the given games, and further ones that are played like them. */
export function largeCatalogue(games: readonly Game[] = GAMES): readonly Game[] {
  const further = Array.from({ length: Math.ceil(LARGE_CATALOGUE / games.length) - 1 }, (_, index) =>
    games.map((game) => ({ ...game, id: `${game.id}-${index + 2}`, title: `${game.title} ${index + 2}` })),
  );
  return [...games, ...further.flat()];
}
