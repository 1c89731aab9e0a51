/** How JSON libraries write text where it differs from what RFC 8785 says. */

function unit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function upperUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

const BEYOND_ASCII = /[\u0080-\uffff]/g;
const LINE_SEPARATORS = /[\u2028\u2029]/g;
const HTML = /[<>&]/g;

/** Python's json.dumps: everything but printable ASCII as lower-case escapes. */
export function quotePython(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, unit);
}

/** PHP's json_encode without flags. */
export function quotePhp(text: string): string {
  return quotePhpSlashes(text).replace(BEYOND_ASCII, unit);
}

/** With JSON_UNESCAPED_SLASHES alone. */
export function quotePhpUnicode(text: string): string {
  return JSON.stringify(text).replace(BEYOND_ASCII, unit);
}

/** With JSON_UNESCAPED_UNICODE alone. */
export function quotePhpSlashes(text: string): string {
  return quotePhpPlain(text).replaceAll('/', '\\/');
}

/** With both: line separators are escaped still. */
export function quotePhpPlain(text: string): string {
  return JSON.stringify(text).replace(LINE_SEPARATORS, unit);
}

/** With JSON_HEX_TAG, JSON_HEX_AMP, JSON_HEX_APOS and JSON_HEX_QUOT. */
export function quotePhpHex(text: string): string {
  const inner = quotePhp(text).slice(1, -1).replaceAll('\\"', upperUnit('"'));
  return `"${inner.replace(/[<>&']/g, upperUnit)}"`;
}

/** Go's encoding/json, and Rails: safe within HTML. */
export function quoteGo(text: string): string {
  return quotePhpPlain(text).replace(HTML, unit);
}

/** Gson, unless disableHtmlEscaping was called. */
export function quoteGson(text: string): string {
  return quoteGo(text).replace(/[=']/g, unit);
}

/** Jackson, whose escapes of control characters are upper case. */
export function quoteJackson(text: string): string {
  return JSON.stringify(text).replace(/\\u00[01][0-9a-f]/g, (written) => `\\u${written.slice(2).toUpperCase()}`);
}

/** Jackson with ESCAPE_NON_ASCII. */
export function quoteJacksonAscii(text: string): string {
  return quoteJackson(text).replace(BEYOND_ASCII, upperUnit);
}

/** org.json: a slash after a less-than sign, and some spaces and punctuation of Unicode. */
export function quoteOrgJson(text: string): string {
  return JSON.stringify(text)
    .replaceAll('</', '<\\/')
    .replace(/[\u0080-\u009f\u2000-\u20ff]/g, unit);
}

/** System.Text.Json with its default encoder. */
export function quoteDotnet(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', upperUnit('"'));
  return `"${inner.replace(/[<>&'+`\u007f-\uffff]/g, upperUnit)}"`;
}

/**
 * System.Text.Json with UnsafeRelaxedJsonEscaping. What is on its block list is escaped all the same: blanks but the plain one,
 * line separators, characters for private use, and all that take a surrogate pair.
 */
export function quoteDotnetRelaxed(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\uf8ff]/g,
    upperUnit,
  );
}

/** Newtonsoft.Json. */
export function quoteNewtonsoft(text: string): string {
  return JSON.stringify(text).replace(/[\u0085\u2028\u2029]/g, unit);
}

/** Newtonsoft.Json with StringEscapeHandling.EscapeNonAscii. */
export function quoteNewtonsoftAscii(text: string): string {
  return JSON.stringify(text).replace(BEYOND_ASCII, unit);
}

/** Newtonsoft.Json with StringEscapeHandling.EscapeHtml. */
export function quoteNewtonsoftHtml(text: string): string {
  const inner = quoteNewtonsoft(text).slice(1, -1).replaceAll('\\"', unit('"'));
  return `"${inner.replace(/[<>&']/g, unit)}"`;
}
