import { type Fold, foldJournal } from '../journal/fold.ts';
import { withoutSignatures } from '../journal/secrets/echoed-signatures.ts';
import type { OpenJournal, Report } from './options.ts';

/**
 * Returns a report for other people. An operator may write the signature of a call into a reply. Then the report shows only the
 * beginning of this signature, so that no reader can send the call again. With `curl`, the report shows everything.
 */
export function forOthers(report: Report): Report {
  return async function* (fold, open, options) {
    const source = options.curl ? { fold, open } : await withoutEchoes(fold, open);
    yield* report(source.fold, source.open, options);
  };
}

/** Returns the results and the events of a run without the signatures that its operator has written into replies. */
export async function withoutEchoes(
  fold: Fold,
  open: OpenJournal,
): Promise<{ readonly fold: Fold; readonly open: OpenJournal }> {
  const { echoedSignatures } = fold;
  if (echoedSignatures.size === 0) return { fold, open };
  const cleaned = async function* () {
    for await (const event of open()) yield withoutSignatures(event, echoedSignatures);
  };
  return { fold: await foldJournal(cleaned()), open: cleaned };
}
