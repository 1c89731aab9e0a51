/**
 * Characters that move a cursor, start an escape sequence, change the direction of text, or are invisible: control and format
 * characters, line and paragraph separators, lone surrogates, and noncharacters.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

/** Characters that XML 1.0 cannot contain, not even escaped, and characters that would deceive a reader of the file. */
const NOT_IN_XML = /[^\P{Cc}\t\n\r]|[\p{Cf}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function visible(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/**
 * Text from outside as one line that cannot control a terminal: line ends become `\n`, and invisible characters become their
 * codes. All other characters, of any script, are unchanged.
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

/** Text from outside as character data of XML 1.0. Line ends are kept. */
export function forXmlText(text: string): string {
  return text.replace(NOT_IN_XML, visible).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '');
}

/** Text from outside as the value of an XML attribute. Line ends are shown as `\n`, because a parser reads them as spaces. */
export function forXmlAttribute(text: string): string {
  return forXmlText(forTerminal(text));
}

/** Characters that have a meaning in some flavour of Markdown, HTML included. */
const IN_MARKDOWN = /[\\`*_{}[\]<>&"#!|~@$^]|:(?=\/\/)|(?<=\bwww)\./gi;

/**
 * Text from outside as plain text in one line of Markdown, also in a table: without formatting, links, HTML and mentions. GitHub also
 * looks for names and issue numbers in escaped text, so an empty comment is put after `@` and `#`.
 */
export function forMarkdown(text: string): string {
  return forTerminal(text).replace(IN_MARKDOWN, (character) => {
    const written = `&#${character.charCodeAt(0)};`;
    return character === '@' || character === '#' ? `${written}<!-- -->` : written;
  });
}

/** Text from outside as the message of a workflow command of GitHub, in one line. */
export function forWorkflowMessage(text: string): string {
  return forTerminal(text).replaceAll('%', '%25');
}

/** Text from outside as the value of a property of a workflow command, which a colon or a comma would end. */
export function forWorkflowProperty(text: string): string {
  return forWorkflowMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Text that needs no escaping, which is most text. */
const HARMLESS = /^[ !#-%(-;=?-~]*$/;
const HARMLESS_BLOCK = /^[\n\t !-%'-;=?-~]*$/;

/** Text from outside as one line of HTML, for text or a quoted attribute: the text of `forTerminal`, with markup escaped. */
export function forHtml(text: string): string {
  if (HARMLESS.test(text)) return text;
  return forTerminal(text).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '');
}

/**
 * Text from outside for an HTML element that keeps white space. Line ends, tabs and quotation marks are unchanged, so it must not
 * be used in an attribute.
 */
export function forHtmlBlock(text: string): string {
  if (HARMLESS_BLOCK.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(INVISIBLE, (character) => (character === '\n' || character === '\t' ? character : visible(character)))
    .replace(/[&<>]/g, (character) => XML_ENTITIES[character] ?? '');
}
