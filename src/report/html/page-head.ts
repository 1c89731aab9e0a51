import { createHash } from 'node:crypto';
import type { PageParts } from '../options.ts';
import { html, Markup } from './markup.ts';

type Parts = Pick<PageParts, 'style'> & Partial<PageParts>;

/** Returns the Content-Security-Policy of a page. It allows only this style, and this script if there is one. */
export function pagePolicy({ style, script }: Parts): string {
  return [
    "default-src 'none'",
    `style-src '${hash(style)}'`,
    ...(script === undefined ? [] : [`script-src '${hash(script)}'`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** Renders the beginning of a page. The page names its own Content-Security-Policy. */
export function pageHead(title: string, parts: Parts): Markup {
  const { style } = parts;
  const policy = pagePolicy(parts);
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

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
