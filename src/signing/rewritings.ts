import { placeInContract } from './contract-order.ts';
import { type JsonStyle, writeTree } from './json-tree.ts';
import { PRINTED_FORMS } from './printed-forms.ts';
import type { Rewriting } from './rewriting.ts';

// Each function below quotes a string as one JSON library does. These libraries differ from RFC 8785.

function unit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function upperUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const BEYOND_ASCII = /[\u0080-\uffff]/g;
const LINE_SEPARATORS = /[\u2028\u2029]/g;
const HTML = /[<>&]/g;

/** Quotes a string as Python's json.dumps does. Every character except printable ASCII becomes a lower-case escape. */
function quotePython(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, unit);
}

/** Quotes a string as PHP's json_encode does without flags. */
function quotePhp(text: string): string {
  return quotePhpSlashes(text).replace(BEYOND_ASCII, unit);
}

/** Quotes a string as PHP's json_encode does with only the flag JSON_UNESCAPED_SLASHES. */
function quotePhpUnicode(text: string): string {
  return JSON.stringify(text).replace(BEYOND_ASCII, unit);
}

/** Quotes a string as PHP's json_encode does with only the flag JSON_UNESCAPED_UNICODE. */
function quotePhpSlashes(text: string): string {
  return quotePhpPlain(text).replaceAll('/', '\\/');
}

/**
 * Quotes a string as PHP's json_encode does with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE. Line separators are
 * still escaped.
 */
function quotePhpPlain(text: string): string {
  return JSON.stringify(text).replace(LINE_SEPARATORS, unit);
}

/** Quotes a string as PHP's json_encode does with JSON_HEX_TAG, JSON_HEX_AMP, JSON_HEX_APOS and JSON_HEX_QUOT. */
function quotePhpHex(text: string): string {
  const inner = quotePhp(text).slice(1, -1).replaceAll('\\"', upperUnit('"'));
  return `"${inner.replace(/[<>&']/g, upperUnit)}"`;
}

/** Quotes a string as PHP's json_encode does with JSON_HEX_TAG and JSON_HEX_AMP. */
function quotePhpTag(text: string): string {
  return quotePhp(text).replace(HTML, upperUnit);
}

/** Quotes a string as Go's encoding/json and Rails do. The result is safe inside HTML. */
function quoteGo(text: string): string {
  return quotePhpPlain(text).replace(HTML, unit);
}

/** Quotes a string as Gson does, unless disableHtmlEscaping was called. */
function quoteGson(text: string): string {
  return quoteGo(text).replace(/[=']/g, unit);
}

/** Quotes a string as Jackson does: with upper-case digits in the escapes of control characters, such as `\u001F`. */
function quoteJackson(text: string): string {
  return JSON.stringify(text).replace(/\\u00[01][0-9a-f]/g, (written) => `\\u${written.slice(2).toUpperCase()}`);
}

/** Quotes a string as Jackson does with ESCAPE_NON_ASCII. */
function quoteJacksonAscii(text: string): string {
  return quoteJackson(text).replace(BEYOND_ASCII, upperUnit);
}

/**
 * Quotes a string as org.json does. It escapes a slash after a less-than sign, and some spaces and punctuation of
 * Unicode.
 */
function quoteOrgJson(text: string): string {
  return JSON.stringify(text)
    .replaceAll('</', '<\\/')
    .replace(/[\u0080-\u009f\u2000-\u20ff]/g, unit);
}

/** Quotes a string as System.Text.Json does with its default encoder. */
function quoteDotnet(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', upperUnit('"'));
  return `"${inner.replace(/[<>&'+`\u007f-\uffff]/g, upperUnit)}"`;
}

/**
 * Quotes a string as System.Text.Json does with UnsafeRelaxedJsonEscaping. That encoder still escapes all spaces except
 * the plain space, line separators, characters for private use, and all characters that need a surrogate pair.
 */
function quoteDotnetRelaxed(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\uf8ff]/g,
    upperUnit,
  );
}

/** Quotes a string as Newtonsoft.Json does by default. */
function quoteNewtonsoft(text: string): string {
  return JSON.stringify(text).replace(/[\u0085\u2028\u2029]/g, unit);
}

/** Quotes a string as Newtonsoft.Json does with StringEscapeHandling.EscapeNonAscii. */
function quoteNewtonsoftAscii(text: string): string {
  return JSON.stringify(text).replace(BEYOND_ASCII, unit);
}

/** Quotes a string as Newtonsoft.Json does with StringEscapeHandling.EscapeHtml. */
function quoteNewtonsoftHtml(text: string): string {
  const inner = quoteNewtonsoft(text).slice(1, -1).replaceAll('\\"', unit('"'));
  return `"${inner.replace(/[<>&']/g, unit)}"`;
}

function styled(
  id: string,
  how: string,
  style: JsonStyle,
  more: Pick<Rewriting, 'language'> & { readonly end?: string } = {},
): Rewriting {
  const { end = '', language } = more;
  return { id, how, ...(language && { language }), write: (tree) => writeTree(tree, style) + end };
}

const SPACED: JsonStyle = { colon: ': ', comma: ', ' };
const SORTED: JsonStyle = { order: 'sorted' };
const PRETTY: JsonStyle = { colon: ': ', indent: '  ' };

function asListed(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => placeInContract(a) - placeInContract(b));
}

function ignoringCase(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
}

const python = { language: 'python' } as const;
const php = { language: 'php' } as const;
const go = { language: 'go' } as const;
const java = { language: 'java' } as const;
const dotnet = { language: 'dotnet' } as const;
const node = { language: 'node' } as const;

/** The ways in which libraries write a parsed value as JSON. The likelier ones come first. */
export const JSON_WRITINGS: readonly Rewriting[] = [
  styled('node-stringify', 'by JSON.stringify of the parsed value', {}, node),
  styled('sorted', 'with its names sorted', SORTED),
  styled(
    'python-dumps',
    "by Python's json.dumps with its default settings, which put a space after each comma and colon",
    { ...SPACED, quote: quotePython },
    python,
  ),
  styled(
    'python-dumps-sorted',
    "by Python's json.dumps with sort_keys as its only setting",
    { ...SPACED, ...SORTED, quote: quotePython },
    python,
  ),
  styled(
    'python-dumps-compact',
    "by Python's json.dumps with separators, but with \\u escapes (ensure_ascii)",
    { quote: quotePython },
    python,
  ),
  styled(
    'python-dumps-compact-sorted',
    "by Python's json.dumps with sort_keys and separators, but with \\u escapes (ensure_ascii)",
    { ...SORTED, quote: quotePython },
    python,
  ),
  styled(
    'python-dumps-unicode',
    "by Python's json.dumps with ensure_ascii=False, but with spaces (no separators)",
    SPACED,
    python,
  ),
  styled(
    'python-dumps-unicode-sorted',
    "by Python's json.dumps with ensure_ascii=False and sort_keys, but with spaces (no separators)",
    { ...SPACED, ...SORTED },
    python,
  ),
  styled('pretty-2', 'with an indentation of two spaces', PRETTY),
  styled('pretty-4', 'with an indentation of four spaces', { ...PRETTY, indent: '    ' }),
  styled(
    'python-dumps-indent',
    "by Python's json.dumps with indent=4",
    { ...PRETTY, indent: '    ', quote: quotePython },
    python,
  ),
  styled(
    'php-json-encode',
    "by PHP's json_encode, which writes \\/ for each slash and \\u escapes",
    { quote: quotePhp },
    php,
  ),
  styled(
    'php-unescaped-slashes',
    "by PHP's json_encode with JSON_UNESCAPED_SLASHES, but with \\u escapes",
    { quote: quotePhpUnicode },
    php,
  ),
  styled(
    'php-unescaped-unicode',
    "by PHP's json_encode with JSON_UNESCAPED_UNICODE, but with \\/ for each slash",
    { quote: quotePhpSlashes },
    php,
  ),
  styled(
    'php-unescaped-both',
    "by PHP's json_encode with JSON_UNESCAPED_SLASHES and JSON_UNESCAPED_UNICODE, but with \\u2028 and \\u2029 escaped",
    { quote: quotePhpPlain },
    php,
  ),
  styled(
    'php-pretty',
    "by PHP's json_encode with JSON_PRETTY_PRINT",
    { ...PRETTY, indent: '    ', quote: quotePhp },
    php,
  ),
  styled('php-hex', "by PHP's json_encode with the JSON_HEX flags", { quote: quotePhpHex }, php),
  styled('php-hex-tag', "by PHP's json_encode with JSON_HEX_TAG and JSON_HEX_AMP", { quote: quotePhpTag }, php),
  styled('php-sorted', "by PHP's json_encode after ksort", { ...SORTED, quote: quotePhp }, php),
  styled('go-marshal', "by Go's json.Marshal, which escapes <, > and &", { ...SORTED, quote: quoteGo }, go),
  styled(
    'go-marshal-struct',
    "by Go's json.Marshal of a struct, in the order of its fields",
    { order: asListed, quote: quoteGo },
    go,
  ),
  styled('go-marshal-fields', "by Go's json.Marshal of a struct", { quote: quoteGo }, go),
  styled(
    'go-encoder',
    "by Go's json.Encoder, which adds a line break",
    { ...SORTED, quote: quoteGo },
    { ...go, end: '\n' },
  ),
  styled('go-encoder-plain', "by Go's json.Encoder with SetEscapeHTML(false), which adds a line break", SORTED, {
    ...go,
    end: '\n',
  }),
  styled('go-marshal-indent', "by Go's json.MarshalIndent", { ...PRETTY, ...SORTED, indent: '\t', quote: quoteGo }, go),
  styled('rails-to-json', 'by to_json of Rails, which escapes <, > and &', { quote: quoteGo }),
  styled('gson', 'by Gson, which escapes <, >, &, = and the apostrophe', { quote: quoteGson }, java),
  styled(
    'gson-plain',
    'by Gson with disableHtmlEscaping, which still escapes \\u2028 and \\u2029',
    { quote: quotePhpPlain },
    java,
  ),
  styled('gson-pretty', 'by Gson with setPrettyPrinting', { ...PRETTY, quote: quoteGson }, java),
  styled('jackson', 'by Jackson', { quote: quoteJackson }, java),
  styled(
    'jackson-pretty',
    'by Jackson with INDENT_OUTPUT, a space on both sides of each colon',
    { indent: '  ', colon: ' : ' },
    java,
  ),
  styled('jackson-ascii', 'by Jackson with ESCAPE_NON_ASCII', { quote: quoteJacksonAscii }, java),
  styled('org-json', 'by org.json', { quote: quoteOrgJson }, java),
  styled(
    'dotnet-text-json',
    "by System.Text.Json, whose default encoder escapes everything outside ASCII and <, >, &, +, ' and `",
    { quote: quoteDotnet },
    dotnet,
  ),
  styled(
    'dotnet-text-json-indented',
    'by System.Text.Json with WriteIndented',
    { ...PRETTY, quote: quoteDotnet },
    dotnet,
  ),
  styled(
    'dotnet-text-json-windows',
    'by System.Text.Json with WriteIndented on Windows',
    { ...PRETTY, quote: quoteDotnet, lineEnd: '\r\n' },
    dotnet,
  ),
  styled(
    'dotnet-text-json-relaxed',
    'by System.Text.Json with UnsafeRelaxedJsonEscaping, which still escapes emoji and special spaces',
    { quote: quoteDotnetRelaxed },
    dotnet,
  ),
  styled('dotnet-newtonsoft', 'by Newtonsoft.Json', { quote: quoteNewtonsoft }, dotnet),
  styled('dotnet-newtonsoft-ascii', 'by Newtonsoft.Json with EscapeNonAscii', { quote: quoteNewtonsoftAscii }, dotnet),
  styled('dotnet-newtonsoft-html', 'by Newtonsoft.Json with EscapeHtml', { quote: quoteNewtonsoftHtml }, dotnet),
  styled(
    'dotnet-newtonsoft-indented',
    'by Newtonsoft.Json with Formatting.Indented',
    { ...PRETTY, quote: quoteNewtonsoft, lineEnd: '\r\n' },
    dotnet,
  ),
  {
    id: 'php-string-within-json',
    how: 'twice by json_encode of PHP, as a JSON string that contains JSON text',
    language: 'php',
    isRare: true,
    write: (tree) => quotePhp(writeTree(tree, { quote: quotePhp })),
  },
  {
    id: 'python-string-within-json',
    how: "twice, as a JSON string that Python's json.dumps makes of the JSON text",
    language: 'python',
    isRare: true,
    write: (tree) => quotePython(writeTree(tree)),
  },
  styled('perl-pretty', 'by JSON::PP of Perl with pretty', { indent: '   ', colon: ' : ' }, { end: '\n' }),
  styled('pretty-tab', 'with an indentation of a tab', { ...PRETTY, indent: '\t' }),
  styled('contract-order', 'in the order of the fields of a class or struct', { order: asListed }),
  styled('reversed', 'with its names in reverse order', { order: 'reversed' }),
  styled('sorted-ignoring-case', 'with its names sorted without regard to case', { order: ignoringCase }),
];

/** The ways in which programs write a parsed value as text. The likelier ones come first. */
export const REWRITINGS: readonly Rewriting[] = [...JSON_WRITINGS, ...PRINTED_FORMS];
