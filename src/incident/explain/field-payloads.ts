import { type Made, wrong } from './construction.ts';
import { formText, plainForm } from './form-text.ts';
import { type JsonTree, writeTree } from './json-tree.ts';

const MOST_LEFT_OUT = 20;

/** The fields of a body in forms that are no JSON. */
export function ofFields(tree: JsonTree): readonly Made[] {
  if (tree.kind !== 'object') return [];
  const pairs = tree.members.map(
    ([name, value]) => [name, value.kind === 'text' ? value.text : writeTree(value)] as const,
  );
  const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    wrong(
      'body-as-form',
      'The fields were signed as a form (a=1&b=2), not as the JSON that was sent.',
      formText(pairs),
      'raw-body',
    ),
    wrong(
      'body-as-sorted-form',
      'The fields were sorted and signed as a form (a=1&b=2), not as the JSON that was sent.',
      formText(sorted),
      'raw-body',
    ),
    wrong(
      'body-as-plain-form',
      'The fields were joined as a=1&b=2 without encoding, not signed as the JSON that was sent.',
      plainForm(sorted),
      'raw-body',
    ),
    wrong(
      'body-values',
      'The values of the fields were joined and signed, without names.',
      sorted.map(([, value]) => value).join(''),
      'raw-body',
    ),
    wrong(
      'body-names-and-values',
      'Names and values were joined and signed, without separators.',
      sorted.map((pair) => pair.join('')).join(''),
      'raw-body',
    ),
    wrong(
      'body-without-empty',
      'Empty fields were left out before signing.',
      writeTree(
        { kind: 'object', members: tree.members.filter(([, value]) => !(value.kind === 'text' && value.text === '')) },
        { order: 'sorted' },
      ),
      'raw-body',
    ),
    ...tree.members
      .slice(0, MOST_LEFT_OUT)
      .map(([left]) =>
        wrong(
          `without-${left}`,
          `The field ${left} was left out: the body was read into a type that does not have it.`,
          writeTree({ kind: 'object', members: tree.members.filter(([name]) => name !== left) }),
          'raw-body',
        ),
      ),
  ];
}
