/** What a message must not show a player, and how it is told. */
const LEAKS: readonly (readonly [RegExp, string])[] = [
  [/<\/?[a-z!][^>]*>/i, 'holds markup'],
  [/^\s*Traceback \(most recent call last\)|File "[^"]+", line \d+/m, 'holds a stack trace'],
  [
    /^\s*at [\w.$<>[\] ]+\(.+:\d+(:\d+)?\)|\bat [\w.$]+\([\w]+\.(java|kt|scala|cs):\d+\)|\n\s+at \S+/m,
    'holds a stack trace',
  ],
  [
    /\bgoroutine \d+ \[|\bpanic: |\.go:\d+\b|\.php(:| on line )\d+|\.(py|rb|js|ts|cs|java):\d+\b|^#\d+ \S+\(\d+\)/m,
    'holds a stack trace',
  ],
  [
    /\bStack trace:|Fatal error: Uncaught|\b\w+(\.\w+){2,}Exception\b|\b(NullPointer|NullReference|Runtime|SQL)Exception\b/i,
    'holds a stack trace',
  ],
  [
    /\b(TypeError|ReferenceError|KeyError|ValueError|IntegrityError|OperationalError|NoMethodError|AttributeError):/,
    'holds an exception of the program',
  ],
  // In capitals the words are enough; in small letters "select a game from the list" is no SQL.
  [/\bSELECT\b.+\bFROM\b|\bINSERT\s+INTO\b|\bUPDATE\b.+\bSET\b|\bDELETE\s+FROM\b/s, 'holds SQL'],
  [
    /\bselect\s.+\sfrom\s.+\swhere\s.+[=<>]|\binsert\s+into\s.+\bvalues\s*\(|\bupdate\s+\S+\s+set\s+\S+\s*=|\bdelete\s+from\s+\S+\s+where\s/is,
    'holds SQL',
  ],
  [
    /SQLSTATE|ORA-\d{5}|syntax error at or near|SQLITE_[A-Z]+|UNIQUE constraint failed|duplicate key value violates|\bpsycopg2\b|You have an error in your SQL/i,
    'holds a database error',
  ],
];

/** What makes a message unfit for a player; undefined: nothing. */
export function leakIn(message: string): string | undefined {
  return LEAKS.find(([pattern]) => pattern.test(message))?.[1];
}

/** What is wrong with a `Content-Type` that should say JSON; undefined: nothing. */
export function contentTypeProblem(value: string | undefined): string | undefined {
  if (value === undefined) return 'there is none';
  const [type = '', ...parameters] = value
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (type !== 'application/json' && !/^[\w.+-]+\/[\w.+-]+\+json$/.test(type)) return `it is ${JSON.stringify(value)}`;
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii'
    ? undefined
    : `it names the charset ${JSON.stringify(charset)}, and JSON is UTF-8`;
}
