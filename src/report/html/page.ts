import { createHash } from 'node:crypto';
import type { PageParts } from '../options.ts';
import { html, Markup } from './markup.ts';

/** The beginning of the page. It may do nothing but apply this very style and run this very script. */
export function pageHead(title: string, { style, script }: PageParts): Markup {
  const policy = [
    "default-src 'none'",
    `style-src '${hash(style)}'`,
    `script-src '${hash(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
`;
}

/** The end of the page: the script finds everything there. */
export function pageEnd({ script }: PageParts): Markup {
  return html`<script type="module">${new Markup(script)}</script>
</body>
</html>
`;
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
