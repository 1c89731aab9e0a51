import type { JsonValue } from '../../contract/json.ts';

/** The content of `${…}`. Offsets are counted from the beginning of the expression's text. */
export type Expression =
  /** An exact decimal, such as `2` or `0.5`. */
  | { readonly kind: 'money'; readonly text: string }
  /** A text in single quotes, such as `'text'`. */
  | { readonly kind: 'text'; readonly text: string }
  /** A name, such as `stake` or `first.reply.txID`. */
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
  /** The value of a case variable or parameter, which has replaced its name. */
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  /** The value of a case variable or parameter whose text contains `${…}`. */
  | { readonly kind: 'joined'; readonly parts: readonly (string | Expression)[] };

/**
 * A value of a scenario that may contain `${…}`, which is evaluated when the step is sent. Case variables and parameters are
 * already replaced by their values.
 */
export type Template =
  | { readonly kind: 'literal'; readonly value: JsonValue }
  /** A value that consists of a single `${…}`. It keeps the type of the expression's value. */
  | { readonly kind: 'expression'; readonly expression: Expression }
  /** A text that contains `${…}`. The result is always text. */
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Template])[] };

/** The reason why a text is not a valid expression, with the place in the text. */
interface ExpressionMistake {
  readonly message: string;
  readonly fix?: string;
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

/**
 * Matches one token. A hyphen between two letters belongs to a name, such as `given-back.txID`. A minus sign has a space, a
 * digit or a parenthesis beside it.
 */
const TOKEN =
  /\s*(?:(?<number>\d[\w.]*)|(?<name>[A-Za-z_]\w*(?:-[A-Za-z]\w*)*(?:\.\w+(?:-[A-Za-z]\w*)*)*)|'(?<text>[^']*)'|(?<sign>[-+*()]))/y;
const PLAIN_DECIMAL = /^(0|[1-9]\d*)(\.\d+)?$/;
const MAX_DEPTH = 40;

class ExpressionError extends Error {
  readonly mistake: ExpressionMistake;
  constructor(mistake: ExpressionMistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

/**
 * Parses an expression of names, decimals, quoted text, `+`, `-`, `*`, parentheses and unary minus. `*` is evaluated before `+`
 * and `-`.
 *
 * @param text the content of `${…}`
 * @param offset the position of the text in its value; it is added to every offset of the result
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
    if (error instanceof ExpressionError) return { ok: false, mistake: error.mistake };
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
    if (!match?.groups) throw invalidCharacter(text, at, offset);
    const { number, name, text: quoted, sign } = match.groups;
    const word = number ?? name ?? sign ?? `'${quoted}'`;
    const end = at + match[0].length;
    const start = end - word.length;
    const range = { start: offset + start, end: offset + end };
    if (number !== undefined) {
      if (!PLAIN_DECIMAL.test(number)) {
        throw new ExpressionError({
          message: `\`${number}\` is not a plain decimal`,
          fix: 'write digits, or digits with a decimal point between them, such as 0.50',
          ...range,
        });
      }
      tokens.push({ kind: 'number', text: number, ...range });
    } else if (name !== undefined) tokens.push({ kind: 'name', text: name, ...range });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted, ...range });
    else tokens.push({ kind: 'sign', text: word, ...range });
    at = end;
  }
  tokens.push({ kind: 'end', text: '', start: offset + tail, end: offset + tail + 1 });
  return tokens;
}

function invalidCharacter(text: string, from: number, offset: number): ExpressionError {
  const start = from + (text.slice(from).length - text.slice(from).trimStart().length);
  const letter = String.fromCodePoint(text.codePointAt(start) ?? 0x20);
  const range = { start: offset + start, end: offset + start + letter.length };
  if (letter === '/')
    return new ExpressionError({
      message: '`${…}` has no division, because the result could be inexact',
      fix: 'multiply by a decimal: 0.5 * stake',
      ...range,
    });
  if (letter === '"') return new ExpressionError({ message: 'write text inside `${…}` in single quotes', ...range });
  if (letter === "'")
    return new ExpressionError({ message: 'the quoted text has no end', fix: "add a closing '", ...range });
  return new ExpressionError({
    message: `\`${letter}\` is not allowed in \`\${…}\``,
    fix: 'use names, decimals, quoted text, + - * and parentheses',
    ...range,
  });
}

interface Parser {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

function peek(parser: Parser): Token {
  const token = parser.tokens[Math.min(parser.at, parser.tokens.length - 1)];
  if (!token) throw new RangeError('an expression has no tokens');
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
  if (parser.depth > MAX_DEPTH) {
    const { start, end } = peek(parser);
    throw new ExpressionError({ message: 'this expression is nested too deeply', start, end });
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
      throw new ExpressionError({ message: 'this parenthesis is not closed', start: opening.start, end: opening.end });
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

function unexpected(token: Token): ExpressionError {
  const { start, end } = token;
  if (token.kind === 'end')
    return new ExpressionError({
      message: 'the expression in `${…}` is not complete',
      fix: 'add the missing name or decimal',
      start,
      end,
    });
  return new ExpressionError({
    message: `\`${token.text}\` is not expected here`,
    fix: 'use names, decimals, quoted text, + - * and parentheses',
    start,
    end,
  });
}

/** Returns every name that an expression uses. */
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
