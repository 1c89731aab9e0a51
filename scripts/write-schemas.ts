import { mkdirSync, writeFileSync } from 'node:fs';
import { schemaText } from '../src/cli/commands/schema/action.ts';
import { SCHEMAS } from '../src/cli/commands/schema/flags.ts';

// The published schemas are the code's own: `npm run schema` after a change, and a test that tells when it was forgotten.
const folder = new URL('../schema/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const of of SCHEMAS) writeFileSync(new URL(`${of}.json`, folder), await schemaText(of));
