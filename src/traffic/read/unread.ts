import type { GatheredCalls } from './gather.ts';

/** Says which parts of the logs were not read and may contain calls, each as a clause. Empty if everything was read. */
export function unreadClauses({
  unreadCalls,
  isCut,
  lostOwnerless,
  lostSent,
}: Pick<GatheredCalls, 'unreadCalls' | 'isCut' | 'lostOwnerless' | 'lostSent'>): readonly string[] {
  const { first, count } = unreadCalls;
  const [one] = first;
  return [
    ...(one === undefined
      ? []
      : [
          `${count === 1 ? '1 line that may be a call could' : `${count} lines that may be calls could`} not be read (${count === 1 ? '' : 'the first is '}${one.place.file}:${one.place.line}: ${one.why})`,
        ]),
    ...(lostOwnerless === 0
      ? []
      : [
          `${lostOwnerless === 1 ? '1 call names' : `${lostOwnerless} calls name`} no player and no session, and the logs have more such calls than croupier keeps, so ${lostOwnerless === 1 ? 'it was' : 'they were'} left out`,
        ]),
    ...(lostSent === 0
      ? []
      : [
          `${lostSent === 1 ? '1 entry has' : `${lostSent} entries have`} the body of a call but not its other fields, and the logs have more such entries than croupier keeps, so ${lostSent === 1 ? 'it was' : 'they were'} left out`,
        ]),
    ...(isCut ? ['the logs have more calls than croupier keeps, so the last ones were left out'] : []),
  ];
}
