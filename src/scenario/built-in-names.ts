/** Names of `${…}` that are always there. */
export const BUILT_IN = ['stake', 'unit', 'balance', 'self', 'session', 'campaign', 'drift', 'begun'] as const;

/** What is wrong with a use of a built-in name, and the mend. */
export interface Misuse {
  readonly message: string;
  readonly mend: string;
}

const OF_BEGUN: readonly string[] = ['txID', 'roundID', 'amount'];

/**
 * Says what is wrong with one of the built-in names that stand for something outside of the story.
 *
 * @param rest what follows the name, part by part
 * @param earlierRun the story needs an earlier run
 * @returns null: nothing is wrong; undefined: it is another name
 */
export function misuseOf(head: string, rest: readonly string[], earlierRun: boolean): Misuse | null | undefined {
  switch (head) {
    case 'stake':
    case 'unit':
    case 'campaign':
      return rest.length > 0 ? { message: `\`${head}\` has no parts`, mend: `write \${${head}}` } : null;
    case 'drift':
      return rest.length !== 1 || !['first', 'second'].includes(rest[0] ?? '')
        ? { message: '`drift` has two parts', mend: 'write ${drift.first} or ${drift.second}' }
        : null;
    case 'begun':
      if (!earlierRun) {
        return {
          message: '`begun` is a bet of an earlier run',
          mend: 'say that the story needs one: needs: { run: earlier }',
        };
      }
      return rest.length !== 1 || !OF_BEGUN.includes(rest[0] ?? '')
        ? { message: '`begun` has txID, roundID and amount', mend: 'write ${begun.roundID}' }
        : null;
    default:
      return undefined;
  }
}
