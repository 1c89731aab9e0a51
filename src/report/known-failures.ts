import { EXPECTATION, type Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';

type Known = Fold['baseline'][number];

/** What fails the run first, then what fails as known, then what is open; each looks like a verdict. */
const LOOKS: Readonly<Record<Known['state'], Verdict>> = {
  mended: 'fail',
  expired: 'fail',
  failing: 'note',
  undecided: 'inconclusive',
};

/** The known failures of the run's baseline, the most pressing first. */
export function knownInOrder({ baseline }: Fold): readonly { readonly result: Known; readonly look: Verdict }[] {
  return Object.entries(LOOKS).flatMap(([state, look]) =>
    baseline.filter((result) => result.state === state).map((result) => ({ result, look })),
  );
}

/** What a known failure is about: `win.credit at win in bet/many`. */
export function knownName({ known: { rule, endpoint, scenario } }: Known): string {
  return [
    rule,
    ...(endpoint === null ? [] : [`at ${endpoint}`]),
    ...(scenario === null ? [] : [`in ${scenario}`]),
  ].join(' ');
}

/** What the run says of a known failure, and what to do; text of the file's in it is not yet escaped. */
export function knownSentence({ known: { rule, reason, ticket, expires, line }, state }: Known): string {
  switch (state) {
    case 'failing':
      return `fails as known, until ${expires} (${ticket}): ${reason}`;
    case 'mended':
      return `mended: ${rule === EXPECTATION ? 'it was met' : 'it did not fail'}. Take it off the list, line ${line} (${ticket})`;
    case 'expired':
      return `expired on ${expires}, line ${line} (${ticket}): mend it, or agree on another day. ${reason}`;
    case 'undecided':
      return `neither failed nor held for certain in this run; listed until ${expires} (${ticket})`;
  }
}

/** The file that the run's known failures come from; null: it had none. */
export function baselineFile({ run }: Fold): string | null {
  return run.baseline?.file ?? null;
}
