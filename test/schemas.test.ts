import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { schemaText } from '../src/cli/commands/schema/action.ts';
import { SCHEMAS } from '../src/cli/commands/schema/flags.ts';
import { JOURNALS, journalText, reportText } from './report/journals.ts';

const published = (of: string): string => readFileSync(new URL(`../schema/${of}.json`, import.meta.url), 'utf8');
const validator = (of: string) =>
  new Ajv2020({ strict: false, allErrors: true }).compile(JSON.parse(published(of)) as object);

describe('the published schemas', () => {
  it.each(SCHEMAS)('%s.json is up to date (else: npm run schema)', async (of) => {
    expect(published(of)).toBe(await schemaText(of));
  });

  it.each(JOURNALS)('every whole line of %s.ndjson fits journal.json', (name) => {
    const validate = validator('journal');
    const lines = journalText(name).split('\n').slice(0, -1);
    for (const line of lines) {
      validate(JSON.parse(line));
      expect(validate.errors).toBeNull();
    }
  });

  it.each(JOURNALS)('the JSON report of %s fits report.json', async (name) => {
    const validate = validator('report');
    validate(JSON.parse(await reportText(name, 'json')));
    expect(validate.errors).toBeNull();
  });

  it('journal.json refuses an unknown event', () => {
    const validate = validator('journal');
    expect(validate({ event: 'notice' })).toBe(false);
    expect(validate({ event: 'invented', text: '' })).toBe(false);
  });

  it('report.json refuses an unknown rule and an unknown status', async () => {
    const validate = validator('report');
    const report = JSON.parse(await reportText('green', 'json')) as { rules: { id: string }[]; exitCode: number };
    expect(validate({ ...report, exitCode: 4 })).toBe(false);
    expect(validate({ ...report, rules: [{ ...report.rules[0], id: 'bet.invented' }] })).toBe(false);
  });
});
