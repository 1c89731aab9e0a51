import { describe, expect, it } from 'vitest';
import { editList } from '../../../src/scenario/yaml/edit-list.ts';

const LIST = `# About the file.
- a: 1 # one
  b: [x, y]

# About the second.
- a: 2
  b: # empty
# About the third.
- a: >
    folded
    text
  b:
    - x # inside
# At the end.
`;

const edit = (text: string, removed: readonly number[], added = '') =>
  editList(text, { removed: new Set(removed), changed: new Map(), added });

const change = (text: string, index: number, removed: readonly string[], ...lines: readonly string[]) =>
  editList(text, {
    removed: new Set(),
    changed: new Map([[index, { removed, lines, losesComment: (text) => !text.startsWith('keep') }]]),
    added: '',
  });

describe('editing a YAML list', () => {
  it('leaves a list without changes as it is', () => {
    expect(edit(LIST, [])).toBe(LIST);
  });

  it('removes an item with its own comments, and keeps every other comment', () => {
    expect(edit(LIST, [1])).toBe(LIST.replace('# About the second.\n- a: 2\n  b: # empty\n', ''));
    expect(edit(LIST, [2])).toBe(
      LIST.replace('# About the third.\n- a: >\n    folded\n    text\n  b:\n    - x # inside\n', ''),
    );
    expect(edit(LIST, [0])).toBe(LIST.replace('- a: 1 # one\n  b: [x, y]\n', ''));
  });

  it('adds items after the last one, also to an empty list, to comments only, and to a list in brackets', () => {
    expect(edit(LIST, [], '- a: 4\n')).toBe(LIST.replace('# At the end.\n', '- a: 4\n# At the end.\n'));
    expect(edit('- a: 1\n  # about a\n# end', [0], '- a: 4\n')).toBe('  # about a\n- a: 4\n# end\n');
    expect(edit('- a: 1', [], '- a: 4\n')).toBe('- a: 1\n- a: 4\n');
    expect(edit('[]', [], '- a: 4\n')).toBe('- a: 4\n');
    expect(edit('# c\n[] # none\n', [], '- a: 4\n')).toBe('# c\n- a: 4\n');
    expect(edit('# c', [], '- a: 4\n')).toBe('# c\n- a: 4\n');
    expect(edit('', [], '- a: 4\n')).toBe('- a: 4\n');
    expect(edit('[{a: 1}, {a: 2}] # c\n', [0], '- a: 4\n')).toMatch(/^- \{ ?a: 2 ?\}.*\n- a: 4\n(# c\n)?$/);
  });

  it('keeps comments at replaced keys that are not to be lost, each on a line of its own', () => {
    const commented =
      '- x: 1\n  a: "# no comment" # keep a\n  b: # ours\n    - 1 # keep b\n    - |\n      # text\n  c: 5 # c\n';
    expect(change(commented, 0, ['a', 'b'], 'a: 2 # new')).toBe(
      '- x: 1\n  # keep a\n  a: 2 # new\n  # keep b\n  c: 5 # c\n',
    );
    expect(change('# top\n- a: 1 # keep\n', 0, ['a'], 'a: 2')).toBe('# top\n  # keep\n- a: 2\n');
  });

  it('replaces keys of an item in its place, and keeps every other key and comment', () => {
    expect(change(LIST, 0, ['b'], 'b: 3', 'c:', '  - 4')).toBe(
      LIST.replace('  b: [x, y]\n', '  b: 3\n  c:\n    - 4\n'),
    );
    expect(change(LIST, 0, ['a'], 'b: 3', 'c: 4')).toBe(LIST.replace('- a: 1 # one\n', '- b: 3\n  c: 4\n'));
    expect(change(LIST, 2, ['a', 'b'], 'c: 4')).toBe(
      LIST.replace('- a: >\n    folded\n    text\n  b:\n    - x # inside\n', '- c: 4\n'),
    );
    expect(change(LIST, 1, ['b', 'a'], 'c: 4')).toBe(LIST.replace('- a: 2\n  b: # empty\n', '- c: 4\n'));
    expect(change(LIST, 1, ['x'], 'c: 4')).toBe(LIST);
    expect(change('- a: 1\n  b: 2', 0, ['b'], 'c: 4')).toBe('- a: 1\n  c: 4\n');
  });

  it('replaces keys of an item in brackets', () => {
    expect(change('- { a: 1, b: 2 }\n- { a: 3 }\n', 0, ['a'], 'c: 4')).toBe('- c: 4\n  b: 2\n- { a: 3 }\n');
    expect(change('[{ a: 1 }, { a: 3 }]\n', 1, ['a'], 'c: 4')).toBe('- { a: 1 }\n- c: 4\n');
  });

  it('leaves an empty list if no item is left', () => {
    expect(edit('# c\n- a: 1\n', [0])).toBe('# c\n[]\n');
    expect(edit('- a: 1\n- a: 2\n', [0, 1])).toBe('[]\n');
  });
});
