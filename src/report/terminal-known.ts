import type { Fold } from '../journal/fold.ts';
import { forTerminal } from './escape.ts';
import { knownInOrder, knownName, knownSentence } from './known-failures.ts';
import { wrap } from './layout.ts';
import { mark, tint } from './marks.ts';
import type { ReportOptions } from './options.ts';

/** Each known failure of the run's baseline, with what became of it. */
export function knownLines(fold: Fold, { paint, unicode, width }: ReportOptions): readonly string[] {
  return knownInOrder(fold).flatMap(({ result, look }) => [
    `  ${tint(look, paint)(mark(look, unicode))} ${paint.bold(forTerminal(knownName(result)))}`,
    ...wrap(forTerminal(knownSentence(result)), width - 4).map((line) => `    ${line}`),
  ]);
}
