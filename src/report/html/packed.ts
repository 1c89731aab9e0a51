import { gzipSync } from 'node:zlib';
import { html, Markup } from './markup.ts';

/**
 * Renders a piece of HTML that the script of the page unpacks when a reader needs it. The piece is compressed, because a long
 * report consists mostly of such pieces, and most of them are never read. A browser without scripts does not show the piece.
 *
 * @param ids the ids of the exchanges in the piece, so that a link to one of them finds the piece
 * @param scrub removes secrets from a text. After the compression, no secret can be found any more.
 */
export function packed(piece: Markup, ids: readonly string[], scrub: (text: string) => string): Markup {
  const bytes = gzipSync(scrub(piece.text), { level: 9 });
  return html`<script type="application/gzip" class="later" data-calls="${ids.join(' ')}">${new Markup(bytes.toString('base64'))}</script>
`;
}
