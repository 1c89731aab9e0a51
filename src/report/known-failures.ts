import { EXPECTATION, type Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';

type Known = Fold['baseline'][number];

/** The verdict as which each state is shown. The order is that of reports: the states that fail the run first. */
const VERDICT_OF_STATE: Readonly<Record<Known['state'], Verdict>> = {
  mended: 'fail',
  expired: 'fail',
  failing: 'note',
  undecided: 'inconclusive',
};

/** The known failures of the run's baseline, those that fail the run first. */
export function knownInOrder({ baseline }: Fold): readonly { readonly result: Known; readonly look: Verdict }[] {
  return Object.entries(VERDICT_OF_STATE).flatMap(([state, look]) =>
    baseline.filter((result) => result.state === state).map((result) => ({ result, look })),
  );
}

/** The name of a known failure: `win.credit at win in bet/many`. */
export function knownName({ known: { rule, endpoint, scenario } }: Known): string {
  return [
    rule,
    ...(endpoint === null ? [] : [`at ${endpoint}`]),
    ...(scenario === null ? [] : [`in ${scenario}`]),
  ].join(' ');
}

/** The state of a known failure and what to do, as a sentence. It contains text of the file that is not yet escaped. */
export function knownSentence({ known: { rule, reason, ticket, expires, line }, state }: Known): string {
  switch (state) {
    case 'failing':
      return `still fails, known until ${expires} (${ticket}): ${reason}`;
    case 'mended':
      return `fixed: ${rule === EXPECTATION ? 'it was met' : 'it did not fail'}. Remove it from the baseline, line ${line} (${ticket})`;
    case 'expired':
      return `expired on ${expires}, line ${line} (${ticket}): fix it, or agree on a later date. ${reason}`;
    case 'undecided':
      return `undecided in this run; known until ${expires} (${ticket})`;
  }
}

/** The file of the run's known failures; null: the run had none. */
export function baselineFile({ run }: Fold): string | null {
  return run.baseline?.file ?? null;
}
