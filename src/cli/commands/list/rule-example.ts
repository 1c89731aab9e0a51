import { Money } from '../../../contract/money.ts';

/** One call of an example, with the reply of a correct operator and the reply of an operator with a defect. */
export interface ExampleCall {
  readonly call: string;
  readonly right: string | null;
  readonly wrong: string | null;
}

/** A scenario in which a correct operator keeps a rule and an operator with a defect breaks it. */
export interface RuleExample {
  readonly scenario: string;
  /** The defect of the operator that gave the wrong replies; null for a rule without a wrong reply. */
  readonly defect: string | null;
  readonly calls: readonly ExampleCall[];
  /** The finding about the wrong reply. For a NOTE rule, the text of the note. */
  readonly expected: string;
  readonly actual: string;
}

/** Returns the lines of an example: each call with its right and its wrong reply. */
export function exampleLines({ calls }: RuleExample): readonly string[] {
  return joinRepeats(calls).flatMap(callLines);
}

/** Describes the finding about the wrong reply in one sentence or two. */
export function exampleConclusion({ defect, expected, actual }: RuleExample): string {
  return asSentence(defect === null ? `Noted: ${actual}` : `Expected: ${expected}. Seen: ${actual}`);
}

/** Returns the text with a full stop at its end, unless the text already ends with one. */
export function asSentence(text: string): string {
  return /[.!?]["”]?$/u.test(text) ? text : `${text}.`;
}

function callLines({ call, right, wrong }: ExampleCall): readonly string[] {
  if (wrong === null || right === wrong || (right !== null && hasSameBalance(right, wrong)))
    return wrong === null ? (right === null ? [call] : [call, `    ${right}`]) : [call, `    ${wrong}`];
  return [call, ...(right === null ? [] : [`    right  ${right}`]), `    wrong  ${wrong}`];
}

/**
 * True if two replies differ only in the way in which they write the same balance, as in `1000.00` and `1000`. A defect may change
 * this too, but it is not the mistake that the example shows.
 */
function hasSameBalance(right: string, wrong: string): boolean {
  const [a, b] = [BALANCE.exec(right), BALANCE.exec(wrong)];
  if (!a?.[1] || !b?.[1] || right.replace(BALANCE, '') !== wrong.replace(BALANCE, '')) return false;
  // More decimals than the currency has may be the mistake.
  return b[1].length <= a[1].length && Money.of(a[1]).equals(Money.of(b[1]));
}

const BALANCE = /"balance":"((?:0|[1-9]\d*)(?:\.\d+)?)"/;

/** Combines repeated calls with the same reply into one line that shows their number. */
function joinRepeats(calls: readonly ExampleCall[]): readonly ExampleCall[] {
  const groups: ExampleCall[][] = [];
  for (const one of calls) {
    const before = groups.at(-1)?.[0];
    const isSame = before?.call === one.call && before.right === one.right && before.wrong === one.wrong;
    if (isSame) groups.at(-1)?.push(one);
    else groups.push([one]);
  }
  return groups.flatMap(([first, ...more]) =>
    first
      ? [{ ...first, call: more.length === 0 ? first.call : `${first.call}, ${String(more.length + 1)} times` }]
      : [],
  );
}
