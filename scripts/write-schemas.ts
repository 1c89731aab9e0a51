import { mkdirSync, writeFileSync } from 'node:fs';
import { schemaText } from '../src/cli/commands/schema/action.ts';
import { SCHEMAS } from '../src/cli/commands/schema/flags.ts';

// Writes the published schemas from the code. Run `npm run schema` after a change. A test fails if a schema is out of
// date.
const folder = new URL('../schema/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const of of SCHEMAS) writeFileSync(new URL(`${of}.json`, folder), await schemaText(of));
