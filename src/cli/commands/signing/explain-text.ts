import type { Sink } from '../../../app/stdio.ts';
import { forTerminal } from '../../../report/escape.ts';
import { ANSI, PLAIN } from '../../../report/paint.ts';
import { clip, hanging, wrap } from '../../../report/terminal/layout.ts';
import { type Difference, firstDifference } from '../../../signing/differ.ts';
import type { Explanation, Found } from '../../../signing/explain.ts';
import { FIXES, type FixId, LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../signing/fixes.ts';
import { COMPACT_BODY, rightPayload, WITHOUT_LAST_BREAK } from '../../../signing/payloads.ts';
import type { SignedRequest } from '../../../signing/request.ts';

/** A request, and the explanation of its signature. */
export interface Explained {
  readonly request: SignedRequest;
  readonly explanation: Explanation;
  /** The names of the keys that were tried. */
  readonly keys: readonly string[];
  /**
   * The first difference between the body of the request and the body given with --other-body; null if they are equal;
   * undefined if no other body was given.
   */
  readonly differs: Difference | null | undefined;
}

interface ExplainOptions {
  readonly language: Language | undefined;
  /** The number of requests in the input. */
  readonly of: number;
}

const MAX_PAYLOAD_LENGTH = 600;

/** Returns the text output of `croupier explain`. */
export function explainText(
  explained: Explained,
  { language, of, sink }: ExplainOptions & { readonly sink: Sink },
): string {
  const paint = sink.colour ? ANSI : PLAIN;
  const width = Math.max(Math.min(sink.columns, 120), 40);
  const { request, explanation, keys } = explained;
  const which = of > 1 ? ` (of ${request.method} ${request.url}, one of ${of} requests)` : '';
  const row = (label: string, text: string): readonly string[] =>
    hanging(`  ${label.padEnd(11)}`, forTerminal(text), width);
  const lines: string[] = [];
  switch (explanation.kind) {
    case 'right':
      lines.push(
        paint.green(forTerminal(`The signature is right${which}: it was made with ${explanation.found.key.name}.`)),
        ...(explanation.found.payload.id === COMPACT_BODY
          ? wrap('The body was signed and sent on one line. The given body was formatted after that.', width)
          : []),
        ...(explanation.found.payload.id === WITHOUT_LAST_BREAK
          ? wrap(
              'The body was signed without the line break at its end. Editors and shells add such a line break to a file. If the line break was sent too, the operator refuses the signature: sign exactly the bytes that are sent.',
              width,
            )
          : []),
        ...wrap('If the operator computes another signature, give its signature with --signature.', width),
      );
      break;
    case 'unexplained':
      lines.push(
        paint.red(
          forTerminal(
            explanation.tried === 0
              ? `Not explained${which}: croupier could not try any way to sign, because the given signature or request is not usable.`
              : `Not explained${which}: croupier tried ${explanation.tried} ways to sign, and none gives this signature.`,
          ),
        ),
        ...row('keys', keys.join('; ')),
        ...explanation.hints.flatMap((hint) => row('hint', hint)),
        ...wrap(
          explanation.tried === 0
            ? 'Copy the whole value of the header X-REQUEST-SIGN, which has 64 hexadecimal digits, and the whole request.'
            : 'The signer used another key, or signed other bytes than those that you gave. To compare the two bodies, give the file with the body of the other side: --other-body-file FILE.',
          width,
        ),
      );
      break;
    case 'explained': {
      const { found } = explanation;
      lines.push(paint.bold(forTerminal(`Explained${which}:`)));
      for (const mistake of found.mistakes) lines.push(...row('mistake', mistake));
      lines.push(...row('key', found.key.name), ...payloadRows(found, request, row), ...sameRow(found, row));
      for (const fix of found.fixes) lines.push(...fixLines(fix, found, language));
    }
  }
  lines.push(...differenceRows(explained.differs, row));
  return `${lines.join('\n')}\n`;
}

type Row = (label: string, text: string) => readonly string[];

function payloadRows({ payload }: Found, request: SignedRequest, row: Row): readonly string[] {
  if (payload.mistake === null) return [];
  const right = rightPayload(request);
  const difference = right && firstDifference(right.bytes, payload.bytes);
  return [
    ...row('signed', clip(Buffer.from(payload.bytes).toString('utf8'), MAX_PAYLOAD_LENGTH) || '(nothing)'),
    ...(right
      ? row('should be', clip(Buffer.from(right.bytes).toString('utf8'), MAX_PAYLOAD_LENGTH) || '(nothing)')
      : []),
    ...(difference
      ? row(
          'differs',
          `at byte ${difference.at}: ${seen(difference.second, difference.secondByte)} was signed, but ${seen(difference.first, difference.firstByte)} should have been signed`,
        )
      : []),
  ];
}

function sameRow({ same }: Found, row: Row): readonly string[] {
  return same.length === 0 ? [] : row('or', `other mistakes with the same bytes: ${same.slice(0, 6).join(', ')}`);
}

function seen(text: string, byte: string | null): string {
  return byte === null ? 'the end' : `${text} (${byte})`;
}

/** Returns one line for each language that the fix is shown in. Lines are not wrapped, so that they can be copied. */
function fixLines(fix: FixId, found: Found, language: Language | undefined): readonly string[] {
  return fixesOf(fix, found, language).map(({ name, line }) => `  fix        ${name}: ${line}`);
}

function fixesOf(
  fix: FixId,
  { languages: found }: Found,
  wanted: Language | undefined,
): readonly { readonly language: Language; readonly name: string; readonly line: string }[] {
  const languages = wanted !== undefined ? [wanted] : found.length > 0 ? found : LANGUAGES;
  return languages.map((each) => ({ language: each, name: LANGUAGE_NAMES[each], line: FIXES[fix][each] }));
}

function differenceRows(differs: Explained['differs'], row: Row): readonly string[] {
  if (differs === undefined) return [];
  if (differs === null) return row('bodies', 'the two bodies are the same, byte for byte');
  const { at, first, second, firstByte, secondByte } = differs;
  return row(
    'bodies',
    `the first difference is at byte ${at}: ${seen(first, firstByte)} in this body, ${seen(second, secondByte)} in the other body`,
  );
}

/** Returns the JSON output of `croupier explain`. */
export function explainJson(
  { request, explanation, keys, differs }: Explained,
  { language, of, status }: ExplainOptions & { readonly status: number },
): string {
  const { method, url } = request;
  const result = {
    verdict: explanation.kind,
    exitCode: status,
    request: { method, url },
    requests: of,
    keys,
    ...(explanation.kind === 'unexplained'
      ? { tried: explanation.tried, hints: explanation.hints }
      : foundJson(explanation.found, language)),
    bodies: differs === undefined ? null : { same: differs === null, difference: differs },
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

function foundJson(found: Found, language: Language | undefined): object {
  const { payload, key, algorithm, writing, mistakes, fixes, same, ofOther } = found;
  return {
    construction: { payload: payload.id, key: key.id, algorithm: algorithm.id, writing: writing.id },
    keyName: key.name,
    mistakes,
    signed: Buffer.from(payload.bytes).toString('utf8'),
    ofOtherBody: ofOther,
    same,
    fixes: fixes.flatMap((fix) => fixesOf(fix, found, language)),
  };
}
