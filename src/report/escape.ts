/**
 * Characters that move a cursor, start an escape sequence, change the direction of text, or are invisible: control and format
 * characters, line and paragraph separators, lone surrogates, and noncharacters.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/gu;

/**
 * Characters that must not be in an XML file. XML 1.0 cannot contain some of them, not even escaped. The others are invisible, and
 * an operator could deceive a reader of the file with them.
 */
const NOT_IN_XML = /[^\P{Cc}\t\n\r]|[\p{Zl}\p{Zp}\p{Cf}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function visible(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/**
 * Turns text from outside into one line that cannot control a terminal. Line ends become `
 *
 * `, and invisible characters become their codes. All other characters, of any script, are unchanged.
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

/** Escapes text from outside for the content of an XML 1.0 element. Line ends are kept. */
export function forXmlText(text: string): string {
  return text.replace(NOT_IN_XML, visible).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '');
}

/**
 * Escapes text from outside for the value of an XML attribute. Line ends are shown as `
 *
 * `, because a parser would read them as spaces.
 */
export function forXmlAttribute(text: string): string {
  return forXmlText(forTerminal(text));
}

/** Characters that have a meaning in some flavour of Markdown or in the HTML inside it. */
const IN_MARKDOWN = /[\\`*_{}[\]<>&"#!|~@$^]|:(?=\/\/)|(?<=\bwww)\./gi;

/**
 * Escapes text from outside for one line of Markdown, also in a table. The result is plain text, without formatting, links, HTML
 * or mentions.
 *
 * GitHub looks for names and issue numbers in escaped text too, so an empty comment follows each `@` and `#`.
 */
export function forMarkdown(text: string): string {
  return forTerminal(text).replace(IN_MARKDOWN, (character) => {
    const written = `&#${character.charCodeAt(0)};`;
    return character === '@' || character === '#' ? `${written}<!-- -->` : written;
  });
}

const IN_CHAT: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '@': '＠' };

/**
 * Escapes text from outside for one line of a message in a chat. The result cannot mention anybody, and contains no link whose
 * text hides its address.
 */
export function forChat(text: string): string {
  return forTerminal(text).replace(/[<>@]/g, (character) => IN_CHAT[character] ?? '');
}

/** Escapes text from outside for the message of a GitHub workflow command. The result is one line. */
export function forWorkflowMessage(text: string): string {
  return forTerminal(text).replaceAll('%', '%25');
}

/**
 * Escapes text from outside, so that it can be the value of a property in a GitHub workflow command. An unescaped colon or comma
 * would end the value.
 */
export function forWorkflowProperty(text: string): string {
  return forWorkflowMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Matches text that needs no escaping. Most text needs none, so this check saves time. */
const HARMLESS = /^[ !#-%(-;=?-~]*$/;
const HARMLESS_BLOCK = /^[\n\t !-%'-;=?-~]*$/;

/**
 * Escapes text from outside for HTML, as one line for an element or a quoted attribute. Invisible characters become their codes,
 * as in `forTerminal`.
 */
export function forHtml(text: string): string {
  if (HARMLESS.test(text)) return text;
  return forTerminal(text).replace(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? '');
}

/**
 * Escapes text from outside for an HTML element that keeps white space. Line ends, tabs and quotation marks are unchanged, so the
 * result must not be used in an attribute.
 */
export function forHtmlBlock(text: string): string {
  if (HARMLESS_BLOCK.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(INVISIBLE, (character) => (character === '\n' || character === '\t' ? character : visible(character)))
    .replace(/[&<>]/g, (character) => XML_ENTITIES[character] ?? '');
}
