import { writeFileSync } from 'node:fs';
import { WRITTEN_PAGES } from './docs/pages.ts';

// Pages that say what the code says: `npm run docs` after a change, and a test that tells when it was forgotten.
for (const [file, text] of Object.entries(WRITTEN_PAGES)) writeFileSync(new URL(`../${file}`, import.meta.url), text());
