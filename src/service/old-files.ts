import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ACTION_TYPES } from '../contract/call-name.ts';
import { campaignSchema } from '../contract/core-api.ts';
import { AMOUNT_PATTERN } from '../contract/money.ts';
import type { RoundEvent } from '../contract/round.ts';
import { type Database, DatabaseError } from '../sqlite/database.ts';
import { roundRecordSchema } from './adapter/round-record.ts';
import { freeTallySchema, RoundStore } from './adapter/round-store.ts';
import { campaignTable } from './campaigns.ts';
import { demoBalanceTable } from './demo-balances.ts';
import { sessionSchema, sessionTable } from './game-sessions.ts';

/** Stores the content of one line of a file. Throws when version 0.1.0 can't have written the line. */
type StoreLine = (json: unknown, index: number) => void;

/**
 * The files in which version 0.1.0 kept its data, with one JSON value on each line. Each function returns the function that
 * stores the lines of its file.
 */
const OLD_FILES: Readonly<Record<string, (database: Database) => StoreLine>> = {
  'ledger.ndjson': ledgerLines,
  'sessions.ndjson': (database) => {
    const table = sessionTable(database);
    return (json) => table.put(sessionSchema.parse(json));
  },
  'campaigns.ndjson': (database) => {
    const table = campaignTable(database);
    return (json) => table.put(campaignSchema.parse(json));
  },
  'demo-balances.ndjson': (database) => {
    const table = demoBalanceTable(database);
    return (json) => {
      const { purse, balance } = z.object({ purse: z.string(), balance: z.string() }).parse(json);
      table.put({ key: purse, balance });
    };
  },
};

/**
 * Imports the files of version 0.1.0 from a folder: either all files, or no file. Then renames each file to `….imported`. A
 * file whose import was stored is not imported again, even if the process was killed before the file was renamed.
 *
 * @throws DatabaseError when a line can't be read; then the files have not changed
 */
export function importOldFiles(database: Database, folder: string): void {
  const files = Object.keys(OLD_FILES)
    .map((name) => path.join(folder, name))
    .filter((file) => existsSync(file));
  database.atomically(() => {
    for (const file of files) importFile(database, file);
  });
  for (const file of files) renameSync(file, `${file}.imported`);
}

function importFile(database: Database, file: string): void {
  const name = path.basename(file);
  const content = readFileSync(file);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const known = database.prepared('SELECT 1 FROM imported_file WHERE name = ? AND sha256 = ?').get(name, sha256);
  if (known !== undefined) return;
  const store = OLD_FILES[name]?.(database);
  // If there is text after the last line break, this line was cut off when the process was killed. No call of this line was
  // sent, because a call was sent only after its line was written.
  for (const [index, line] of content.toString().split('\n').slice(0, -1).entries()) {
    try {
      store?.(JSON.parse(line), index);
    } catch (error) {
      throw new DatabaseError(
        'unusable',
        `${file}:${index + 1}: this line is not in the format of version 0.1.0. Nothing was sent, and the file has not changed. ` +
          'Restore the file from a copy, or move it away. If you move it away, the service never sends the wins and refunds in this file.',
        { cause: error },
      );
    }
  }
  database.prepared('INSERT OR REPLACE INTO imported_file (name, sha256) VALUES (?, ?)').run(name, sha256);
}

const text = z.string().min(1);
const placed = {
  txID: text,
  amount: z.string().regex(AMOUNT_PATTERN),
  type: z.enum(ACTION_TYPES),
  frID: text.exactOptional(),
};

const event = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('bet'), refundTxID: text, ...placed }),
  z.object({ kind: z.literal('win'), ...placed }),
  z.object({ kind: z.literal('reply'), txID: text, status: z.int() }),
  z.object({ kind: z.literal('timeout'), txID: text }),
  z.object({ kind: z.literal('broken'), txID: text }),
]) satisfies z.ZodType<RoundEvent>;

const entry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('round'), record: roundRecordSchema }),
  z.object({ kind: z.literal('event'), roundID: text, event, over: z.boolean().exactOptional() }),
  z.object({ kind: z.literal('tally'), tally: freeTallySchema }),
  z.object({ kind: z.literal('campaign-ended'), extCID: text, frID: text }),
]);

/**
 * Returns a function that stores the lines of the ledger. The first line is a header. Each later line is a list of
 * changes to the rounds.
 */
function ledgerLines(database: Database): StoreLine {
  const rounds = new RoundStore(database);
  return (json, index) => {
    if (index === 0) {
      z.object({ 'croupier-ledger': z.literal(1) }).parse(json);
      return;
    }
    for (const one of z.array(entry).min(1).parse(json)) {
      switch (one.kind) {
        case 'round':
          rounds.putRound(one.record);
          break;
        case 'event':
          rounds.advance(one.roundID, one.event, one.over);
          break;
        case 'tally':
          rounds.putTally(one.tally);
          break;
        case 'campaign-ended':
          rounds.endCampaign(one);
      }
    }
  };
}
