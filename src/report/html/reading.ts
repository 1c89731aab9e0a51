import { amountTextOf } from '../../journal/call-amount.ts';
import { bodyText } from '../../journal/exchange.ts';
import { type Answer, answerOf } from '../exchange-summary.ts';
import type { JournalledExchange } from '../exchanges.ts';

/** An exchange with the parsed parts of its request and reply, so that they are parsed only once. */
export interface ReadExchange extends JournalledExchange {
  /** A summary of the reply. Null if the journal ends before the reply. */
  readonly answer: Answer | null;
  /** The name of the call and its amount, as in `bet 1.00`. */
  readonly label: string;
  /** The members of the request body. Empty if the body is not a JSON object. */
  readonly sent: readonly Member[];
  /** The members of the reply body. Empty if the body is not a JSON object. */
  readonly replied: readonly Member[];
}

export function readExchange({ sending, received }: JournalledExchange): ReadExchange {
  const { body } = sending.request;
  const sent = body === null ? [] : membersOf(bodyText(body));
  const amount = amountTextOf(sending);
  return {
    sending,
    received,
    answer: received === null ? null : answerOf(received.outcome),
    label: amount === undefined ? sending.call : `${sending.call} ${amount.slice(0, MAX_AMOUNT)}`,
    sent,
    replied: received?.outcome.kind === 'reply' ? membersOf(bodyText(received.outcome.reply.body)) : [],
  };
}

/** Maximum number of characters of an amount. Longer text is cut. */
const MAX_AMOUNT = 60;

/**
 * Returns the value of a member. A string is returned without its quotation marks. Returns undefined if there is no such member.
 */
export function memberValue(members: readonly Member[], name: string): string | undefined {
  const text = members.find((member) => member.name === name)?.text;
  return text?.startsWith('"') ? String(JSON.parse(text)) : text;
}

/** One member of a JSON object, with its position in the text. */
export interface Member {
  readonly name: string;
  /** The value of the member, as JSON text. */
  readonly text: string;
  /** The start and the end of the value, as offsets in the whole text. */
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the members of a text that is one JSON object. Returns an empty list for any other text. A name that occurs twice is
 * returned twice.
 */
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
