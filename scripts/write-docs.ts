import { writeFileSync } from 'node:fs';
import { WRITTEN_PAGES } from './docs/pages.ts';

// Writes the pages that are generated from the code. Run `npm run docs` after a change. A test fails if a page is out
// of date.
for (const [file, text] of Object.entries(WRITTEN_PAGES)) writeFileSync(new URL(`../${file}`, import.meta.url), text());
