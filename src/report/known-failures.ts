import { EXPECTATION, type Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';

type Known = Fold['baseline'][number];

/** The verdict whose mark and colour reports use for each state. The states that fail the run come first, as in reports. */
const VERDICT_OF_STATE: Readonly<Record<Known['state'], Verdict>> = {
  mended: 'fail',
  expired: 'fail',
  failing: 'note',
  undecided: 'inconclusive',
};

/**
 * Returns the known failures of the run's baseline, each with the verdict whose mark and colour it gets. Failures that fail the
 * run come first.
 */
export function knownInOrder({ baseline }: Fold): readonly { readonly result: Known; readonly look: Verdict }[] {
  return Object.entries(VERDICT_OF_STATE).flatMap(([state, look]) =>
    baseline.filter((result) => result.state === state).map((result) => ({ result, look })),
  );
}

/** Returns the name of a known failure, as in `win.credit at win in bet/many`. */
export function knownName({ known: { rule, endpoint, scenario } }: Known): string {
  return [
    rule,
    ...(endpoint === null ? [] : [`at ${endpoint}`]),
    ...(scenario === null ? [] : [`in ${scenario}`]),
  ].join(' ');
}

/**
 * Describes the state of a known failure and what to do about it. The sentence contains text of the baseline file that is not yet
 * escaped.
 */
export function knownSentence({ known: { rule, reason, ticket, expires, line }, state }: Known): string {
  switch (state) {
    case 'failing':
      return `still fails and is known until ${expires} (${ticket}): ${reason}`;
    case 'mended':
      return `${rule === EXPECTATION ? 'the expectation is now met' : 'the rule no longer fails'}: remove the entry at line ${line} of the baseline (${ticket})`;
    case 'expired':
      return `the entry at line ${line} of the baseline expired on ${expires} (${ticket}): fix the failure, or agree on a later date. ${reason}`;
    case 'undecided':
      return `could not be decided in this run and is known until ${expires} (${ticket})`;
  }
}

/** Returns the path of the baseline, which is the file of known failures. Returns null if the run had no baseline. */
export function baselineFile({ run }: Fold): string | null {
  return run.baseline?.file ?? null;
}
