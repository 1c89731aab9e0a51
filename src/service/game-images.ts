import type { ListenReply } from '../listen/message.ts';
import type { Route } from '../listen/routes.ts';
import type { Game } from './games.ts';

/** The images of each game, with file name, width and height in pixels. `GET /games` lists the file names. */
export const GAME_IMAGES = {
  square: { file: 'square.svg', width: 320, height: 320 },
  horizontal: { file: 'horizontal.svg', width: 400, height: 300 },
  widescreen: { file: 'widescreen.svg', width: 480, height: 270 },
  vertical: { file: 'vertical.svg', width: 300, height: 400 },
  horizontal_337x181: { file: 'horizontal_337x181.svg', width: 337, height: 181 },
} as const;

/** The path of the images. The id of the game and the file name are appended. */
export const GAME_IMAGES_PATH = '/game/images';

/**
 * Returns the routes of the images. Each image is drawn from the game's title, so that the lobby of an operator has
 * something to show.
 */
export function gameImageRoutes(games: readonly Game[]): readonly Route[] {
  return games.flatMap((game, index) =>
    Object.values(GAME_IMAGES).map(({ file, width, height }): Route => {
      const reply: ListenReply = {
        status: 200,
        headers: [
          ['Content-Type', 'image/svg+xml'],
          ['Cache-Control', 'max-age=3600'],
          // An SVG image that is opened as a page of its own could run scripts. This policy prevents that.
          ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"],
        ],
        body: draw(game, index, width, height),
      };
      return {
        method: 'GET',
        path: `${GAME_IMAGES_PATH}/${encodeURIComponent(game.id)}/${file}`,
        handler: () => reply,
      };
    }),
  );
}

/**
 * Returns the hue of a game's colour in degrees, by its index in the catalogue. Games next to each other differ by
 * 137.5 degrees (the golden angle), so that their colours are easy to distinguish.
 */
export function hueOf(index: number): number {
  return Math.round(Math.max(0, index) * 137.5) % 360;
}

function draw({ title }: Game, index: number, width: number, height: number): string {
  const hue = hueOf(index);
  const size = Math.round(Math.min(width, height) / 8);
  const [x, y] = [Math.round(width / 2), Math.round(height / 2)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${asText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="hsl(${hue} 55% 28%)"/>`,
    `<circle cx="${x}" cy="${y}" r="${Math.round(Math.min(x, y) * 0.8)}" fill="hsl(${hue} 70% 46%)"/>`,
    `<text x="${x}" y="${y}" text-anchor="middle" dominant-baseline="central" font-family="sans-serif" font-weight="700" font-size="${size}" fill="#fff">${asText(title)}</text>`,
    '</svg>',
  ].join('');
}

function asText(text: string): string {
  return text.replace(/[<>&"']/g, (found) => `&#${found.charCodeAt(0)};`);
}
