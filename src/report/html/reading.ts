import { bodyText } from '../../journal/exchange.ts';
import { type Answer, answerOf } from '../answer.ts';
import type { JournalledExchange } from '../evidence.ts';
import { type Member, membersOf } from './members.ts';

/** An exchange with what was read in it, once for all that shows it. */
export interface ReadExchange extends JournalledExchange {
  /** null: the journal ends before the reply. */
  readonly answer: Answer | null;
  /** The call and the amount that it is about. */
  readonly label: string;
  /** The members of its body, where that is a JSON object. */
  readonly sent: readonly Member[];
  /** The same of the reply. */
  readonly replied: readonly Member[];
}

export function readExchange({ sending, received }: JournalledExchange): ReadExchange {
  const { body } = sending.request;
  const sent = body === null ? [] : membersOf(bodyText(body));
  const amount = memberValue(sent, 'amount');
  return {
    sending,
    received,
    answer: received === null ? null : answerOf(received.outcome),
    label: amount === undefined ? sending.call : `${sending.call} ${amount.slice(0, AMOUNT)}`,
    sent,
    replied: received?.outcome.kind === 'reply' ? membersOf(bodyText(received.outcome.reply.body)) : [],
  };
}

/** Longer ones are no amounts. */
const AMOUNT = 60;

/** What a member says, a string without its quotation marks; undefined: there is none. */
export function memberValue(members: readonly Member[], name: string): string | undefined {
  const text = members.find((member) => member.name === name)?.text;
  return text?.startsWith('"') ? String(JSON.parse(text)) : text;
}
