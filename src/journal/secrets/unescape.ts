/** A text in which escapes are decoded, with the place of each character in the original text. */
export interface View {
  readonly text: string;
  /**
   * The position of each character in the original text. One more entry at the end contains the length of the original text. Null
   * if nothing was decoded.
   */
  readonly starts: Int32Array | null;
}

/** The maximum number of times that a text may be escaped. */
const MAX_LEVELS = 4;

const ESCAPE = /(?:%[0-9a-f]{2})+|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[^ux])|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/gi;
/** The characters with which an escape begins. */
const ESCAPE_BEGIN = /[%\\&]/;
const JSON_SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** The names of HTML for the letters of Latin-1, from U+00C0 on. Their letter case matters. */
const LATIN1_NAMES = (
  'Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH ' +
  'Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute ' +
  'acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve ' +
  'oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ');
const HTML_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries({
    quot: '"',
    apos: "'",
    amp: '&',
    lt: '<',
    gt: '>',
    commat: '@',
    period: '.',
    colon: ':',
    sol: '/',
    plus: '+',
  }),
  ...LATIN1_NAMES.map((name, index): [string, string] => [name, String.fromCharCode(0xc0 + index)]),
]);

/**
 * Returns several views: the text itself, then the text with its escapes decoded once, twice and so on, up to a fixed number of
 * times. Decodes the escapes of URLs (`%2F`), of JSON strings (`\u00fc`, `\/`) and of HTML (`&quot;`).
 */
export function viewsOf(text: string): readonly View[] {
  const views: View[] = [{ text, starts: null }];
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const next = unescaped(views[level] as View);
    if (next === null) break;
    views.push(next);
  }
  return views;
}

/** Returns the position in the original text of the character at this position of the view. */
export function originOf({ starts }: View, at: number): number {
  return starts === null ? at : (starts[at] as number);
}

/** Decodes every escape once. Returns null if there is no escape. */
function unescaped(view: View): View | null {
  const { text } = view;
  // Most texts have no escape, and then need no list of positions.
  if (!ESCAPE_BEGIN.test(text)) return null;
  const pieces: string[] = [];
  const starts = new Int32Array(text.length + 1);
  let length = 0;
  let from = 0;
  const copyUntil = (end: number): void => {
    for (let at = from; at < end; at += 1) starts[length++] = originOf(view, at);
    pieces.push(text.slice(from, end));
  };
  for (const { 0: code, index } of text.matchAll(ESCAPE)) {
    copyUntil(index);
    for (const { character, at } of decodedEscape(code)) {
      pieces.push(character);
      for (let unit = 0; unit < character.length; unit += 1) starts[length++] = originOf(view, index + at);
    }
    from = index + code.length;
  }
  if (from === 0) return null;
  copyUntil(text.length);
  starts[length++] = originOf(view, text.length);
  return { text: pieces.join(''), starts: starts.subarray(0, length) };
}

interface Decoded {
  readonly character: string;
  /**
   * Several escapes can follow each other directly. This is the position of the escape of this character. It is counted from the
   * first of these escapes.
   */
  readonly at: number;
}

function decodedEscape(code: string): readonly Decoded[] {
  if (code.startsWith('%')) return decodedBytes(Buffer.from(code.replaceAll('%', ''), 'hex'));
  if (code.startsWith('&')) return [{ character: decodedEntity(code.slice(1, -1)), at: 0 }];
  const kind = code.charAt(1);
  const isNumber = code.length > 2;
  const character = isNumber ? String.fromCharCode(Number.parseInt(code.slice(2), 16)) : (JSON_SHORT[kind] ?? kind);
  return [{ character, at: 0 }];
}

/** Decodes bytes that were written like `%C3%BC`. A byte that is not UTF-8 is decoded as Latin-1. */
function decodedBytes(bytes: Buffer): readonly Decoded[] {
  const found: Decoded[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const width = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const character = width === 1 ? '' : bytes.toString('utf8', at, at + width);
    const isWhole = width > 1 && at + width <= bytes.length && !character.includes('\uFFFD');
    found.push({ character: isWhole ? character : String.fromCharCode(first), at: at * 3 });
    at += isWhole ? width : 1;
  }
  return found;
}

function decodedEntity(name: string): string {
  if (!name.startsWith('#')) return HTML_NAMES.get(name) ?? HTML_NAMES.get(name.toLowerCase()) ?? `&${name};`;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0x10ffff ? '' : String.fromCodePoint(code);
}
