import type { Fold } from './fold.ts';

/** Why a story was ended in which a balance changed though no call was under way. */
export const MOVED_ALONE = 'the balance moved while croupier sent nothing: somebody else is using the session';

const NAMED = 4;

/**
 * A warning, in a sentence or two, that what failed may be somebody else's doing: in some of the stories that failed the
 * balance also moved by itself. null where that was not seen.
 */
export function movedAloneWarning({ scenarios }: Pick<Fold, 'scenarios'>): string | null {
  const seen = scenarios
    .filter(({ verdict, reason }) => verdict === 'fail' && reason === MOVED_ALONE)
    .map(({ planned }) => planned.id);
  if (seen.length === 0) return null;
  const more = seen.length > NAMED ? `, and ${seen.length - NAMED} more` : '';
  return `In ${seen.slice(0, NAMED).join(', ')}${more} the balance also moved while croupier sent nothing: somebody else may be using the session, and what failed there may be their doing. Make sure that nobody does, and run again before you mend anything.`;
}
