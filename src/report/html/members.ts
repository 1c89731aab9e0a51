/** One member of a JSON object, where it stands in the text. */
export interface Member {
  readonly name: string;
  /** Its value as it is written. */
  readonly text: string;
  /** Where the value begins and ends in the whole text. */
  readonly from: number;
  readonly to: number;
}

/** The members of a text that is one JSON object; none for any other text. A name that is given twice comes twice. */
export function membersOf(text: string): readonly Member[] {
  const start = afterBlanks(text, 0);
  if (text[start] !== '{' || !isJson(text)) return [];
  const members: Member[] = [];
  let at = afterBlanks(text, start + 1);
  while (at < text.length && text[at] !== '}') {
    const nameEnd = endOfString(text, at);
    const from = afterBlanks(text, afterBlanks(text, nameEnd) + 1);
    const to = endOfValue(text, from);
    members.push({ name: String(JSON.parse(text.slice(at, nameEnd))), text: text.slice(from, to), from, to });
    at = afterBlanks(text, to);
    if (text[at] === ',') at = afterBlanks(text, at + 1);
  }
  return members;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const BLANKS = ' \t\n\r';

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && BLANKS.includes(text.charAt(at))) at += 1;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '"':
        at = endOfString(text, at) - 1;
        break;
      case '{':
      case '[':
        depth += 1;
        break;
      case '}':
      case ']':
        if (depth === 0) return at;
        depth -= 1;
        break;
      case ',':
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        if (depth === 0) return at;
    }
  }
  return text.length;
}
