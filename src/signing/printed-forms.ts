import { placeInContract } from './contract-order.ts';
import { type JsonTree, writeTree } from './json-tree.ts';
import type { Rewriting } from './rewriting.ts';

/**
 * The fields of an object as pairs of text. Undefined if the value is not an object, or if a field is an object or a
 * list.
 */
function pairsOf(tree: JsonTree): readonly (readonly [name: string, value: string])[] | undefined {
  if (tree.kind !== 'object') return undefined;
  const pairs = tree.members.flatMap(([name, value]): (readonly [string, string])[] =>
    value.kind === 'text' ? [[name, value.text]] : value.kind === 'word' ? [[name, value.word]] : [],
  );
  return pairs.length === tree.members.length ? pairs : undefined;
}

/**
 * One way to print an object whose fields are plain values. Any other value is written as JSON, which the search tries anyway.
 */
function ofPairs(
  id: string,
  how: string,
  write: (pairs: readonly (readonly [name: string, value: string])[]) => string,
  language?: Rewriting['language'],
): Rewriting {
  return {
    id,
    how,
    ...(language && { language }),
    write: (tree) => {
      const pairs = pairsOf(tree);
      return pairs ? write(pairs) : writeTree(tree);
    },
  };
}

const listed = (pairs: readonly (readonly [string, string])[], between: string, comma: string): string =>
  pairs.map(([name, value]) => `${name}${between}${value}`).join(comma);

const quoted = (
  pairs: readonly (readonly [string, string])[],
  between: string,
  name: (text: string) => string = JSON.stringify,
): string => pairs.map(([each, value]) => `${name(each)}${between}${JSON.stringify(value)}`).join(', ');

const capitals = (pairs: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] =>
  pairs.map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]);

/** The fields in the order of the contract, as most structs and classes have them. */
const asClass = (pairs: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] =>
  pairs.toSorted(([a], [b]) => placeInContract(a) - placeInContract(b));

/** Writes fields with texts as serialize() of PHP does. It counts the bytes of each text. */
function phpSerialized(pairs: readonly (readonly [string, string])[], type: string): string {
  const text = (value: string): string => `s:${Buffer.byteLength(value)}:"${value}";`;
  return `${type}:${pairs.length}:{${pairs.map((pair) => pair.map(text).join('')).join('')}}`;
}

/** The number of buckets of a HashMap of Java with a few entries: if they are added one by one, and if it is a copy of another map. */
const BUCKETS = [16, 8] as const;

/** The fields in the order in which a HashMap of Java lists them: by the hash of their names. */
function inHashOrder(
  pairs: readonly (readonly [string, string])[],
  buckets: number,
): readonly (readonly [string, string])[] {
  const bucketOf = (name: string): number => {
    let hash = 0;
    for (const sign of name) hash = (Math.imul(hash, 31) + sign.charCodeAt(0)) | 0;
    return (hash ^ (hash >>> 16)) & (buckets - 1);
  };
  return pairs.toSorted(([a], [b]) => bucketOf(a) - bucketOf(b));
}

/** A JSON object or list that contains the payload. */
function wrapper(id: string, how: string, before: string, after: string): Rewriting {
  return { id, how, write: (tree) => `${before}${writeTree(tree)}${after}` };
}

/** The ways in which programs often print a parsed value. */
const USUAL_FORMS: readonly Rewriting[] = [
  {
    id: 'python-str',
    how: 'by str() of a Python dict',
    language: 'python',
    write: (tree) => writeTree(tree, { colon: ': ', comma: ', ', quote: quoteRepr }),
  },
  {
    id: 'java-to-string',
    how: 'by toString() of a Java Map',
    language: 'java',
    write: (tree) => writeTree(tree, { colon: '=', comma: ', ', quote: (text) => text }),
  },
  {
    id: 'object-object',
    how: 'by inserting a JavaScript object into a string, which gives [object Object]',
    language: 'node',
    write: () => '[object Object]',
  },
  {
    id: 'string-within-json',
    how: 'twice, as a JSON string that contains JSON text',
    write: (tree) => JSON.stringify(writeTree(tree)),
  },
];

/** Other ways to print a parsed value, and the values in which programs wrap it. */
const OTHER_FORMS: readonly Rewriting[] = [
  ofPairs('ruby-inspect', 'by inspect of a Ruby Hash', (pairs) => `{${quoted(pairs, '=>')}}`, 'ruby'),
  ofPairs('ruby-inspect-spaced', 'by inspect of a Ruby Hash', (pairs) => `{${quoted(pairs, ' => ')}}`, 'ruby'),
  ofPairs(
    'ruby-inspect-symbols',
    'by inspect of a Ruby Hash with symbols',
    (pairs) => `{${quoted(pairs, '=>', (name) => `:${name}`)}}`,
    'ruby',
  ),
  ofPairs(
    'ruby-inspect-symbols-colon',
    'by inspect of a Ruby Hash with symbols',
    (pairs) => `{${quoted(pairs, ': ', (name) => name)}}`,
    'ruby',
  ),
  ofPairs('elixir-inspect', 'by inspect of an Elixir map', (pairs) => `%{${quoted(pairs, ' => ')}}`),
  ofPairs('go-map', 'by fmt of Go, which prints a map as map[…]', (pairs) => `map[${listed(pairs, ':', ' ')}]`, 'go'),
  ofPairs(
    'go-map-lists',
    'by fmt of Go, which prints url.Values as map[…:[…]]',
    (pairs) => `map[${pairs.map(([name, value]) => `${name}:[${value}]`).join(' ')}]`,
    'go',
  ),
  ...(['', '&'] as const).flatMap((pointer) => [
    ofPairs(
      'go-struct',
      'by fmt of Go with %v, which prints the values of a struct',
      (pairs) =>
        `${pointer}{${asClass(pairs)
          .map(([, value]) => value)
          .join(' ')}}`,
      'go',
    ),
    ofPairs(
      'go-struct-names',
      'by fmt of Go with %+v, which prints the names and values of a struct',
      (pairs) => `${pointer}{${listed(capitals(asClass(pairs)), ':', ' ')}}`,
      'go',
    ),
  ]),
  ...['Bet', 'Win', 'Refund'].flatMap((name) =>
    ['Request', 'Dto', 'DTO', ''].flatMap((suffix) => [
      ofPairs(
        'java-record',
        'by toString() of a Java record',
        (pairs) => `${name}${suffix}[${listed(asClass(pairs), '=', ', ')}]`,
        'java',
      ),
      ofPairs(
        'java-class',
        'by toString() of a Java class',
        (pairs) => `${name}${suffix}(${listed(asClass(pairs), '=', ', ')})`,
        'java',
      ),
      ofPairs(
        'java-class-quoted',
        'by toString() of a Java class, as IntelliJ IDEA generates it',
        (pairs) =>
          `${name}${suffix}{${asClass(pairs)
            .map(([each, value]) => `${each}='${value}'`)
            .join(', ')}}`,
        'java',
      ),
      ofPairs(
        'dotnet-record',
        'by ToString() of a .NET record',
        (pairs) => `${name}${suffix} { ${listed(capitals(asClass(pairs)), ' = ', ', ')} }`,
        'dotnet',
      ),
    ]),
  ),
  ofPairs(
    'java-map-lists',
    'by toString() of a Java Map with lists',
    (pairs) => `{${pairs.map(([name, value]) => `${name}=[${value}]`).join(', ')}}`,
    'java',
  ),
  ...BUCKETS.map((buckets) =>
    ofPairs(
      'java-hash-map',
      'by toString() of a Java HashMap, which has an order of its own',
      (pairs) => `{${listed(inHashOrder(pairs, buckets), '=', ', ')}}`,
      'java',
    ),
  ),
  ofPairs(
    'java-values',
    'by toString() of the values of a Java Map',
    (pairs) => `[${pairs.map(([, value]) => value).join(', ')}]`,
    'java',
  ),
  ofPairs(
    'java-entries',
    'by toString() of the entries of a Java Map',
    (pairs) => `[${listed(pairs, '=', ', ')}]`,
    'java',
  ),
  ofPairs(
    'python-ordered-dict',
    'by str() of an OrderedDict of Python',
    (pairs) => `OrderedDict([${pairs.map((pair) => `(${pair.map(quoteRepr).join(', ')})`).join(', ')}])`,
    'python',
  ),
  ofPairs(
    'python-ordered-dict-braces',
    'by str() of an OrderedDict of Python',
    (pairs) => `OrderedDict({${pairs.map((pair) => pair.map(quoteRepr).join(': ')).join(', ')}})`,
    'python',
  ),
  ofPairs(
    'rust-debug',
    'by {:?} of Rust, which prints a value of serde_json with its types',
    (pairs) =>
      `Object {${pairs.map(([name, value]) => `${JSON.stringify(name)}: String(${JSON.stringify(value)})`).join(', ')}}`,
  ),
  ofPairs('dart-to-string', 'by toString() of a Dart Map', (pairs) => `{${listed(pairs, ': ', ', ')}}`),
  { id: 'spaced-colon', how: 'with a space after each colon', write: (tree) => writeTree(tree, { colon: ': ' }) },
  { id: 'spaced-comma', how: 'with a space after each comma', write: (tree) => writeTree(tree, { comma: ', ' }) },
  {
    id: 'json-as-name',
    how: 'as the name of a field of a form, because the Content-Type was application/x-www-form-urlencoded',
    write: (tree) => JSON.stringify({ [writeTree(tree)]: '' }),
  },
  ofPairs('node-inspect', 'by util.inspect of Node', (pairs) => inspected(pairs), 'node'),
  ofPairs('node-inspect-line', 'by util.inspect of Node', (pairs) => `{ ${inspectedPairs(pairs).join(', ')} }`, 'node'),
  ofPairs('php-serialize', 'by serialize() of PHP', (pairs) => phpSerialized(pairs, 'a'), 'php'),
  ofPairs(
    'php-serialize-object',
    'by serialize() of PHP, as a stdClass',
    (pairs) => phpSerialized(pairs, 'O:8:"stdClass"'),
    'php',
  ),
  ofPairs(
    'php-print-r',
    'by print_r of PHP',
    (pairs) => `Array\n(\n${pairs.map(([name, value]) => `    [${name}] => ${value}\n`).join('')})\n`,
    'php',
  ),
  ofPairs(
    'php-var-export',
    'by var_export of PHP',
    (pairs) => `array (\n${pairs.map(([name, value]) => `  '${name}' => '${value}',\n`).join('')})`,
    'php',
  ),
  ...['body', 'data', 'payload', 'params', 'request', 'query'].map((name) =>
    wrapper('wrapped', `inside an object with the field ${name}`, `{"${name}":`, '}'),
  ),
  wrapper('wrapped-in-list', 'inside a list', '[', ']'),
  ...['body', 'data', 'payload'].map(
    (name): Rewriting => ({
      id: 'wrapped-text',
      how: `as a text in the field ${name} of an object`,
      write: (tree) => JSON.stringify({ [name]: writeTree(tree) }),
    }),
  ),
  ofPairs('list-of-pairs', 'as a list of objects with key and value', (pairs) =>
    JSON.stringify(pairs.map(([key, value]) => ({ key, value }))),
  ),
  ofPairs('list-of-names', 'as a list of objects with name and value', (pairs) =>
    JSON.stringify(pairs.map(([name, value]) => ({ name, value }))),
  ),
  ofPairs(
    'dotnet-query',
    'as .NET writes a QueryCollection, a list of objects with Key and Value',
    (pairs) => JSON.stringify(pairs.map(([Key, value]) => ({ Key, Value: [value] }))),
    'dotnet',
  ),
];

/** The ways in which programs print a parsed value, and the values in which they wrap it. */
export const PRINTED_FORMS: readonly Rewriting[] = [
  ...USUAL_FORMS,
  ...OTHER_FORMS.map((form): Rewriting => ({ ...form, isRare: true })),
];

function inspectedPairs(pairs: readonly (readonly [string, string])[]): readonly string[] {
  return pairs.map(([name, value]) => `${name}: ${quoteRepr(value)}`);
}

function inspected(pairs: readonly (readonly [string, string])[]): string {
  return `{\n${inspectedPairs(pairs)
    .map((pair) => `  ${pair}`)
    .join(',\n')}\n}`;
}

/** Quotes a string as repr() of Python does, for the characters that occur in bodies. */
function quoteRepr(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return (
    mark +
    text
      .replaceAll('\\', '\\\\')
      .replaceAll(mark, `\\${mark}`)
      .replaceAll('\n', '\\n')
      .replace(/[\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`) +
    mark
  );
}
