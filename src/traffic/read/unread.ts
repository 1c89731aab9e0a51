import type { GatheredCalls } from './gather.ts';

/** Says which parts of the logs were not read and may contain calls, each as a clause. Empty if everything was read. */
export function unreadClauses({ unreadCalls, isCut }: Pick<GatheredCalls, 'unreadCalls' | 'isCut'>): readonly string[] {
  const { first, count } = unreadCalls;
  const [one] = first;
  return [
    ...(one === undefined
      ? []
      : [
          `${count === 1 ? '1 line that may be a call could' : `${count} lines that may be calls could`} not be read (${count === 1 ? '' : 'the first is '}${one.place.file}:${one.place.line}: ${one.why})`,
        ]),
    ...(isCut ? ['the logs have more calls than croupier keeps, so the last ones were left out'] : []),
  ];
}
