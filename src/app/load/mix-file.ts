import path from 'node:path';
import { z } from 'zod';
import type { Mix } from '../../load/mix.ts';
import { byPlace } from '../../scenario/yaml/diagnostic.ts';
import { readDocument } from '../../scenario/yaml/document.ts';
import { diagnosticsError } from '../config/configuration.ts';
import { diagnosticsOf, PlacedValues, type Words } from '../config/placed-values.ts';
import { readTextFile } from '../files.ts';
import type { Stdio } from '../stdio.ts';

const share = z.number('must be a number from 0 to 100').min(0, 'must be 0 or more').max(100, 'must be 100 or less');

/** The schema of the file of `--mix`. */
export const mixSchema = z
  .strictObject({
    severalBets: share
      .optional()
      .describe('Percentage of the rounds with two or three bets instead of one. Default: 20.'),
    zeroWins: share.optional().describe('Percentage of the rounds whose win is 0. Default: 60.'),
    simultaneousRounds: share
      .optional()
      .describe(
        'Percentage of the rounds whose calls are sent at the same moment as the calls of another round of the same player. Default: 50.',
      ),
    wholeBalance: share
      .optional()
      .describe(
        'Percentage of the rounds with two bets at the same moment whose sum is higher than the balance. Default: 1.',
      ),
    freeRounds: share
      .optional()
      .describe('Percentage of the rounds that are free rounds of the configured campaign. Default: 3.'),
    repeatsAtOnce: share
      .optional()
      .describe(
        'Percentage of the calls that are sent twice at the same moment. Refunds are rare, so ten times this percentage of the refunds. Default: 2.',
      ),
    repeatsLater: share
      .optional()
      .describe(
        'Percentage of the accepted bets, wins and refunds that are sent again after some other calls. With 0, the first call is not sent again at the end either. Default: 2.',
      ),
    brokenBets: share
      .optional()
      .describe(
        'Percentage of the bets whose connection croupier closes before the reply. They are refunded. Default: 2.',
      ),
    brokenWins: share
      .optional()
      .describe(
        'Percentage of the wins whose connection croupier closes. They are sent again. Ten times this percentage of the refunds. Default: 1.',
      ),
    overtakingRefunds: share
      .optional()
      .describe(
        'Of the bets whose connection was closed, the percentage whose refund is sent at once. The refund may arrive before the bet. Default: 50.',
      ),
    reads: share
      .optional()
      .describe('Percentage of the rounds that have a balance call between bet and win. Default: 10.'),
  })
  .meta({
    title: 'Mix of croupier load',
    description: 'The share of each action of players in a load test, in percent.',
  });

const WORDS: Words = { schema: mixSchema, whole: 'a mix', named: {}, eitherOf: 'a number' };

/**
 * Reads the file of `--mix`.
 *
 * @param usual the shares of keys that are left out
 * @throws UsageError that shows each mistake with its line
 */
export function readMix(given: string | undefined, { cwd }: Stdio, usual: Mix): Mix {
  if (given === undefined) return usual;
  const text = readTextFile(path.resolve(cwd, given), 'The mix');
  const { root, diagnostics, source } = readDocument(text, given);
  if (diagnostics.length > 0) throw diagnosticsError([...diagnostics].sort(byPlace));
  const values = new PlacedValues(root ?? { kind: 'map', range: { source, start: 0, end: 1 }, entries: [] });
  const parsed = mixSchema.safeParse(values.value);
  if (!parsed.success) throw diagnosticsError([...diagnosticsOf(parsed.error.issues, values, WORDS)].sort(byPlace));
  const chosen = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  return { ...usual, ...(Object.fromEntries(chosen) as Partial<Mix>) };
}
