import { wholeSuiteText } from '../journal/conclusion.ts';
import type { Fold } from '../journal/fold.ts';

const MAX_NAMES = 4;

/**
 * Says which scenarios a run played, and whether it had no locks. The text may contain words of the user that are not yet escaped.
 */
export function scopeText(fold: Pick<Fold, 'run'>): string {
  return fold.run.settings.noLock ? `${scenariosText(fold)}, without locks (--no-lock)` : scenariosText(fold);
}

function scenariosText({ run }: Pick<Fold, 'run'>): string {
  if (run.whole) return wholeSuiteText({ run });
  const { selection, suiteChanges } = run;
  const changes =
    suiteChanges === undefined
      ? []
      : [...listed('changed', suiteChanges.changed), ...listed('missing', suiteChanges.missing)];
  const suite =
    changes.length === 0
      ? []
      : [`a suite that differs from the suite of croupier ${run.croupier} (${changes.join('; ')})`];
  const part = selection.length === 0 ? 'a part' : selection.join(' ');
  return [...(selection.length > 0 || suite.length === 0 ? [`selected: ${part}`] : []), ...suite].join(', from ');
}

function listed(what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const more = ids.length > MAX_NAMES ? ` and ${ids.length - MAX_NAMES} more` : '';
  return [`${what}: ${ids.slice(0, MAX_NAMES).join(', ')}${more}`];
}

/** Returns the ids of the scenarios that were planned but not started. */
export function notPlayed({ scenarios }: Pick<Fold, 'scenarios'>): readonly string[] {
  return scenarios.filter(({ state }) => state === 'not-started').map(({ planned }) => planned.id);
}

/** Returns the labels of a run as `name=value`. The values may come from the operator, and are not yet escaped. */
export function labelTexts({ labels }: Pick<Fold, 'labels'>): readonly string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`);
}
