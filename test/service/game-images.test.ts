import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import { headerOf } from '../../src/listen/message.ts';
import { routeTable } from '../../src/listen/routes.ts';
import { gameImageRoutes } from '../../src/service/game-images.ts';

const GAME = { id: 'a/b', title: 'Salt & "Pepper" <script>', rtp: 96 };

it('every image of a game has the proportions that its name says', async () => {
  const routes = gameImageRoutes([GAME]);
  expect(routes.map(({ path }) => path)).toEqual(
    ['square', 'horizontal', 'widescreen', 'vertical', 'horizontal_337x181'].map(
      (name) => `/game/images/a%2Fb/${name}.svg`,
    ),
  );
  const proportions: number[] = [];
  for (const { path } of routes) {
    const request = { method: 'GET', path, query: '', headers: [], body: Buffer.alloc(0) };
    const { status, headers, body } = await routeTable(routes)(request);
    expect({ status, type: headerOf(headers, 'content-type') }).toEqual({ status: 200, type: 'image/svg+xml' });
    if (typeof body !== 'string') return expect.unreachable();
    expect(XMLValidator.validate(body)).toBe(true);
    const { svg } = new XMLParser({ ignoreAttributes: false, htmlEntities: true }).parse(body);
    expect(svg.title).toBe(GAME.title);
    const [, , width, height] = String(svg['@_viewBox']).split(' ').map(Number);
    proportions.push((width ?? 0) / (height ?? 1));
  }
  expect(proportions).toEqual([1, 4 / 3, 16 / 9, 3 / 4, 337 / 181]);
});
