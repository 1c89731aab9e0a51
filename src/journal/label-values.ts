import type { JournalEvent, Labels, RunStarted } from './event.ts';

/**
 * Maximum number of values that are kept for one label, and maximum length of a value. There must be a limit, because the values
 * may come from the operator.
 */
const MAX_VALUES = 5;
export const MAX_LABEL_LENGTH = 200;

/** Collects the values of the labels that are headers of the operator's replies. */
export interface LabelTally {
  add(event: JournalEvent): void;
  /** Returns each label with its value. If a header had several values, they are separated by commas. */
  result(run: RunStarted): Labels;
  /** Returns a sentence for each label whose value changed during the run. */
  changes(): readonly string[];
}

/** Starts to collect the values of labels. The events must be added in their order. */
export function startLabelTally(): LabelTally {
  let headers: readonly (readonly [label: string, header: string])[] = [];
  const seen = new Map<string, string[]>();
  const add = (event: JournalEvent): void => {
    if (event.event === 'run-started')
      headers = Object.entries(event.labelHeaders ?? {}).map(([label, header]) => [label, header.toLowerCase()]);
    if (event.event !== 'received' || event.outcome.kind !== 'reply') return;
    for (const [label, header] of headers) {
      const found = event.outcome.reply.headers.find(([name]) => name.toLowerCase() === header);
      const value = found?.[1].trim().slice(0, MAX_LABEL_LENGTH);
      const values = seen.get(label) ?? [];
      if (!value || values.includes(value) || values.length >= MAX_VALUES) continue;
      seen.set(label, [...values, value]);
    }
  };
  return {
    add,
    result: ({ labels = {} }) => ({
      ...labels,
      ...Object.fromEntries([...seen].map(([label, values]) => [label, values.join(', ')])),
    }),
    changes: () =>
      [...seen].flatMap(([label, values]) =>
        values.length > 1
          ? [
              `The label ${label} changed during the run: ${values.join(', then ')}. The results are about more than one version.`,
            ]
          : [],
      ),
  };
}
