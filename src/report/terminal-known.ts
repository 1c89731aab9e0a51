import type { Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import { forTerminal } from './escape.ts';
import { knownName, knownSentence } from './known-failures.ts';
import { wrap } from './layout.ts';
import { mark, tint } from './marks.ts';
import type { ReportOptions } from './options.ts';

type State = Fold['baseline'][number]['state'];

/** What fails the run first, then what fails as known, then what is open. */
const ORDER: readonly State[] = ['mended', 'expired', 'failing', 'undecided'];

const LOOKS: Readonly<Record<State, Verdict>> = {
  mended: 'fail',
  expired: 'fail',
  failing: 'note',
  undecided: 'inconclusive',
};

/** Each known failure of the run's baseline, with what became of it. */
export function knownLines(fold: Fold, { paint, unicode, width }: ReportOptions): readonly string[] {
  return ORDER.flatMap((state) =>
    fold.baseline
      .filter((result) => result.state === state)
      .flatMap((result) => [
        `  ${tint(LOOKS[state], paint)(mark(LOOKS[state], unicode))} ${paint.bold(forTerminal(knownName(result)))}`,
        ...wrap(forTerminal(knownSentence(result)), width - 4).map((line) => `    ${line}`),
      ]),
  );
}
