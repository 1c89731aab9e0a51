import { mkdirSync, writeFileSync } from 'node:fs';
import { SCHEMAS, schemaText } from '../src/cli/schema.ts';

// The published schemas are the code's own: `npm run schema` after a change, and a test that tells when it was forgotten.
const folder = new URL('../schema/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const of of SCHEMAS) writeFileSync(new URL(`${of}.json`, folder), await schemaText(of));
