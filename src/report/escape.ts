/**
 * What moves a cursor, starts an escape sequence, turns the direction of text, or cannot be seen: control and format
 * characters, line and paragraph separators, lone surrogates, and code points that no character will ever have.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

/** What XML 1.0 cannot hold, not even escaped, and what would deceive a reader of the file all the same. */
const NOT_IN_XML = /[^\P{Cc}\t\n\r]|[\p{Cf}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function visible(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/**
 * Text from outside as one line that a terminal shows and does not obey: line ends become `\n`, everything invisible its
 * code. The rest, in any script, stays as it is.
 */
export function forTerminal(text: string): string {
  return text.replace(INVISIBLE, visible);
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text from outside as character data of XML 1.0, line ends kept. */
export function forXmlText(text: string): string {
  return text.replace(NOT_IN_XML, visible).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '');
}

/** Text from outside as the value of an XML attribute: a line end would be read as a blank, so it is shown instead. */
export function forXmlAttribute(text: string): string {
  return forXmlText(forTerminal(text));
}

/** What Markdown of any flavour could take for its own, HTML among it. */
const IN_MARKDOWN = /[\\`*_{}[\]<>&"#!|~@$^]|:(?=\/\/)|(?<=\bwww)\./gi;

/**
 * Text from outside as text in one line of Markdown, within a table too: nothing in it is set off, linked, or read as HTML, and nobody is
 * mentioned. Where GitHub would look for names and numbers in what is already text, an empty comment parts them.
 */
export function forMarkdown(text: string): string {
  return forTerminal(text).replace(IN_MARKDOWN, (character) => {
    const written = `&#${character.charCodeAt(0)};`;
    return character === '@' || character === '#' ? `${written}<!-- -->` : written;
  });
}

/** Text from outside as the message of a workflow command of GitHub, which stays one line. */
export function forWorkflowMessage(text: string): string {
  return forTerminal(text).replaceAll('%', '%25');
}

/** The same as the value of a property of one, which a colon or a comma would end. */
export function forWorkflowProperty(text: string): string {
  return forWorkflowMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** What most text is made of: nothing in it needs a second look. */
const HARMLESS = /^[ !#-%(-;=?-~]*$/;
const HARMLESS_BLOCK = /^[\n\t !-%'-;=?-~]*$/;

/** Text from outside as one line of HTML, in text or in a quoted attribute: what `forTerminal` shows, and no markup. */
export function forHtml(text: string): string {
  if (HARMLESS.test(text)) return text;
  return forTerminal(text).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '');
}

/**
 * As `forHtml`, for the text of an element that keeps white space: line ends and tabs stay what they are, quotation marks too,
 * so that it must not stand in an attribute.
 */
export function forHtmlBlock(text: string): string {
  if (HARMLESS_BLOCK.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(INVISIBLE, (character) => (character === '\n' || character === '\t' ? character : visible(character)))
    .replace(/[&<>]/g, (character) => XML_ENTITIES[character] ?? '');
}
