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
  if (right === wrong || wrong === null) return right === null ? [call] : [call, `    ${right}`];
  return [call, ...(right === null ? [] : [`    right  ${right}`]), `    wrong  ${wrong}`];
}

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
