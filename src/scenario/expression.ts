/** What stands between `${` and `}`. Offsets count from the beginning of the expression's text. */
export type Expression =
  /** A plain decimal, exact: `2`, `0.5`. */
  | { readonly kind: 'money'; readonly text: string }
  /** `'text'` */
  | { readonly kind: 'text'; readonly text: string }
  /** `stake`, `first.reply.txID` */
  | {
      readonly kind: 'name';
      readonly path: readonly [string, ...string[]];
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'negate'; readonly of: Expression }
  | {
      readonly kind: 'arithmetic';
      readonly operator: '+' | '-' | '*';
      readonly left: Expression;
      readonly right: Expression;
    }
  /** The value of a case variable or parameter, put in where its name stood. */
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  /** The same, when the value is text with `${…}` of its own. */
  | { readonly kind: 'joined'; readonly parts: readonly (string | Expression)[] };

/** Why a text is no expression, and where in it. */
interface ExpressionMistake {
  readonly message: string;
  readonly mend?: string;
  readonly start: number;
  readonly end: number;
}

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly mistake: ExpressionMistake };

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A hyphen between two letters belongs to the name (`given-back.txID`): a minus has white space, a digit or a parenthesis beside it. */
const TOKEN =
  /\s*(?:(?<number>\d[\w.]*)|(?<name>[A-Za-z_]\w*(?:-[A-Za-z]\w*)*(?:\.\w+(?:-[A-Za-z]\w*)*)*)|'(?<text>[^']*)'|(?<sign>[-+*()]))/y;
const PLAIN_DECIMAL = /^(0|[1-9]\d*)(\.\d+)?$/;
const DEEPEST = 40;

class Mistaken extends Error {
  readonly mistake: ExpressionMistake;
  constructor(mistake: ExpressionMistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

/**
 * Reads an expression: names, decimals, quoted text, `+ - *`, parentheses, unary minus; `*` binds tighter.
 *
 * @param text what stands between `${` and `}`
 * @param offset where it begins; added to every offset of the result
 */
export function parseExpression(text: string, offset = 0): ParsedExpression {
  try {
    const tokens = tokenize(text, offset);
    const parser = { tokens, at: 0, depth: 0 };
    const expression = parseSum(parser);
    const rest = peek(parser);
    if (rest.kind !== 'end') throw unexpected(rest);
    return { ok: true, expression };
  } catch (error) {
    if (error instanceof Mistaken) return { ok: false, mistake: error.mistake };
    throw error;
  }
}

function tokenize(text: string, offset: number): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const tail = text.trimEnd().length;
  while (at < tail) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match?.groups) throw strange(text, at, offset);
    const { number, name, text: quoted, sign } = match.groups;
    const word = number ?? name ?? sign ?? `'${quoted}'`;
    const end = at + match[0].length;
    const start = end - word.length;
    const spot = { start: offset + start, end: offset + end };
    if (number !== undefined) {
      if (!PLAIN_DECIMAL.test(number)) {
        throw new Mistaken({
          message: `\`${number}\` is no plain decimal`,
          mend: 'write digits, and a point with digits after it, such as 0.50',
          ...spot,
        });
      }
      tokens.push({ kind: 'number', text: number, ...spot });
    } else if (name !== undefined) tokens.push({ kind: 'name', text: name, ...spot });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted, ...spot });
    else tokens.push({ kind: 'sign', text: word, ...spot });
    at = end;
  }
  tokens.push({ kind: 'end', text: '', start: offset + tail, end: offset + tail + 1 });
  return tokens;
}

function strange(text: string, from: number, offset: number): Mistaken {
  const start = from + (text.slice(from).length - text.slice(from).trimStart().length);
  const letter = String.fromCodePoint(text.codePointAt(start) ?? 0x20);
  const spot = { start: offset + start, end: offset + start + letter.length };
  if (letter === '/')
    return new Mistaken({
      message: 'there is no division in `${…}`: it could not be exact',
      mend: 'multiply by a decimal: 0.5 * stake',
      ...spot,
    });
  if (letter === '"') return new Mistaken({ message: 'text within `${…}` stands in single quotes', ...spot });
  if (letter === "'") return new Mistaken({ message: 'the quoted text never ends', mend: "add a closing '", ...spot });
  return new Mistaken({
    message: `\`${letter}\` means nothing in \`\${…}\``,
    mend: 'possible are names, decimals, quoted text, + - * and parentheses',
    ...spot,
  });
}

interface Parser {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

function peek(parser: Parser): Token {
  const token = parser.tokens[Math.min(parser.at, parser.tokens.length - 1)];
  if (!token) throw new RangeError('an expression without tokens');
  return token;
}

function take(parser: Parser, ...signs: string[]): string | undefined {
  const token = peek(parser);
  if (token.kind !== 'sign' || !signs.includes(token.text)) return undefined;
  parser.at += 1;
  return token.text;
}

function parseSum(parser: Parser): Expression {
  let left = parseProduct(parser);
  for (let sign = take(parser, '+', '-'); sign; sign = take(parser, '+', '-')) {
    left = { kind: 'arithmetic', operator: sign === '+' ? '+' : '-', left, right: parseProduct(parser) };
  }
  return left;
}

function parseProduct(parser: Parser): Expression {
  let left = parseFactor(parser);
  while (take(parser, '*')) left = { kind: 'arithmetic', operator: '*', left, right: parseFactor(parser) };
  return left;
}

function parseFactor(parser: Parser): Expression {
  parser.depth += 1;
  if (parser.depth > DEEPEST) {
    const { start, end } = peek(parser);
    throw new Mistaken({ message: 'this expression is nested too deeply', start, end });
  }
  try {
    return parseOperand(parser);
  } finally {
    parser.depth -= 1;
  }
}

function parseOperand(parser: Parser): Expression {
  if (take(parser, '-')) return { kind: 'negate', of: parseFactor(parser) };
  const opening = peek(parser);
  if (take(parser, '(')) {
    const inner = parseSum(parser);
    if (!take(parser, ')'))
      throw new Mistaken({ message: 'this parenthesis is never closed', start: opening.start, end: opening.end });
    return inner;
  }
  const token = opening;
  parser.at += 1;
  switch (token.kind) {
    case 'number':
      return { kind: 'money', text: token.text };
    case 'text':
      return { kind: 'text', text: token.text };
    case 'name': {
      const [head, ...rest] = token.text.split('.');
      return { kind: 'name', path: [head ?? '', ...rest], start: token.start, end: token.end };
    }
    case 'sign':
    case 'end':
      throw unexpected(token);
  }
}

function unexpected(token: Token): Mistaken {
  const { start, end } = token;
  if (token.kind === 'end')
    return new Mistaken({
      message: 'the expression in `${…}` ends too early',
      mend: 'a name or a decimal is missing',
      start,
      end,
    });
  return new Mistaken({
    message: `\`${token.text}\` is not expected here`,
    mend: 'possible are names, decimals, quoted text, + - * and parentheses',
    start,
    end,
  });
}

/** Every name that an expression uses. */
export function* namesIn(expression: Expression): Generator<Expression & { kind: 'name' }> {
  switch (expression.kind) {
    case 'money':
    case 'text':
    case 'value':
      return;
    case 'name':
      yield expression;
      return;
    case 'negate':
      yield* namesIn(expression.of);
      return;
    case 'arithmetic':
      yield* namesIn(expression.left);
      yield* namesIn(expression.right);
      return;
    case 'joined':
      for (const part of expression.parts) if (typeof part !== 'string') yield* namesIn(part);
  }
}
