import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ACTION_TYPES } from '../contract/call-name.ts';
import { AMOUNT_PATTERN } from '../contract/calls.ts';
import { campaignSchema } from '../contract/core-api.ts';
import type { RoundEvent } from '../contract/round.ts';
import { type Database, DatabaseError } from '../sqlite/database.ts';
import { roundRecordSchema } from './adapter/round-record.ts';
import { freeTallySchema, RoundStore } from './adapter/round-store.ts';
import { campaignTable } from './campaigns.ts';
import { demoBalanceTable } from './demo-balances.ts';
import { sessionSchema, sessionTable } from './game-sessions.ts';

/** Stores what one line of a file says. Throws when the line is not what version 0.1.0 wrote. */
type StoreLine = (json: unknown, index: number) => void;

/** The files in which version 0.1.0 kept what it had to keep, one JSON value a line. */
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
 * Reads in what version 0.1.0 left in a folder, all of it or nothing. The files are then renamed to `….imported`. A file that was
 * read in and not renamed, because the process was killed between, is not read in again.
 *
 * @throws DatabaseError when a line can't be read; the files are as they were then
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
  // Whatever follows the last line end was cut off when the process was killed. It announces nothing that was sent.
  for (const [index, line] of content.toString().split('\n').slice(0, -1).entries()) {
    try {
      store?.(JSON.parse(line), index);
    } catch (error) {
      throw new DatabaseError(
        'unusable',
        `${file}:${index + 1}: this is not what version 0.1.0 wrote. Nothing was sent, and the file is as it was. ` +
          'Restore it from a copy, or move it away; what it says is owed will then not be sent.',
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

/** The ledger is a log: a header, then lists of entries of which each changes what the ones before add up to. */
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
