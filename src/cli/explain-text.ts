import type { Difference } from '../incident/explain/differ.ts';
import { firstDifference } from '../incident/explain/differ.ts';
import type { Explanation, Found } from '../incident/explain/explain.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language, MENDS, type MendId } from '../incident/explain/mends.ts';
import { rightPayload } from '../incident/explain/payloads.ts';
import type { SignedRequest } from '../incident/explain/request.ts';
import { forTerminal } from '../report/escape.ts';
import { clip, hanging, wrap } from '../report/layout.ts';
import { ANSI, PLAIN } from '../report/paint.ts';
import type { Sink } from './stdio.ts';

/** A request with what was found out about its signature. */
export interface Explained {
  readonly request: SignedRequest;
  readonly explanation: Explanation;
  /** Names of the keys that were tried. */
  readonly keys: readonly string[];
  /** Where its body and the other one differ; null: nowhere. undefined: no other body is known. */
  readonly differs: Difference | null | undefined;
}

interface Told {
  readonly language: Language | undefined;
  /** How many requests were read. */
  readonly of: number;
}

const PAYLOAD = 600;

/** What a person reads. */
export function explainText(explained: Explained, { language, of, sink }: Told & { readonly sink: Sink }): string {
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
        ...wrap('Where the operator computes another one, give that with --signature.', width),
      );
      break;
    case 'unexplained':
      lines.push(
        paint.red(
          forTerminal(`Not explained${which}: none of ${explanation.tried} constructions gives this signature.`),
        ),
        ...row('keys', keys.join('; ')),
        ...explanation.hints.flatMap((hint) => row('hint', hint)),
        ...wrap(
          'Either another key was used, or what was signed is not what is given here: compare the bytes that were sent with those that were signed (--other-body-file).',
          width,
        ),
      );
      break;
    case 'explained': {
      const { found } = explanation;
      lines.push(paint.bold(forTerminal(`Explained${which}:`)));
      for (const mistake of found.mistakes) lines.push(...row('mistake', mistake));
      lines.push(...row('key', found.key.name), ...payloadRows(found, request, row), ...sameRow(found, row));
      for (const mend of found.mends) lines.push(...mendLines(mend, found, language));
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
    ...row('signed', clip(Buffer.from(payload.bytes).toString('utf8'), PAYLOAD) || '(nothing)'),
    ...(right ? row('should be', clip(Buffer.from(right.bytes).toString('utf8'), PAYLOAD) || '(nothing)') : []),
    ...(difference
      ? row(
          'differs',
          `at byte ${difference.at}: ${seen(difference.second, difference.secondByte)} was signed, ${seen(difference.first, difference.firstByte)} should be`,
        )
      : []),
  ];
}

function sameRow({ same }: Found, row: Row): readonly string[] {
  return same.length === 0 ? [] : row('or', `the same bytes also come of: ${same.slice(0, 6).join(', ')}`);
}

function seen(text: string, byte: string | null): string {
  return byte === null ? 'the end' : `${text} (${byte})`;
}

/** One line each, never broken: they are there to be copied. */
function mendLines(mend: MendId, found: Found, language: Language | undefined): readonly string[] {
  return mendsOf(mend, found, language).map(({ name, line }) => `  mend       ${name}: ${line}`);
}

function mendsOf(
  mend: MendId,
  { languages: found }: Found,
  wanted: Language | undefined,
): readonly { readonly language: Language; readonly name: string; readonly line: string }[] {
  const languages = wanted !== undefined ? [wanted] : found.length > 0 ? found : LANGUAGES;
  return languages.map((each) => ({ language: each, name: LANGUAGE_NAMES[each], line: MENDS[mend][each] }));
}

function differenceRows(differs: Explained['differs'], row: Row): readonly string[] {
  if (differs === undefined) return [];
  if (differs === null) return row('bodies', 'the two bodies are the same, byte for byte');
  const { at, first, second, firstByte, secondByte } = differs;
  return row(
    'bodies',
    `they differ first at byte ${at}: ${seen(first, firstByte)} here, ${seen(second, secondByte)} in the other`,
  );
}

/** What a machine reads. */
export function explainJson(
  { request, explanation, keys, differs }: Explained,
  { language, of, status }: Told & { readonly status: number },
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
  const { payload, key, algorithm, writing, mistakes, mends, same, ofOther } = found;
  return {
    construction: { payload: payload.id, key: key.id, algorithm: algorithm.id, writing: writing.id },
    keyName: key.name,
    mistakes,
    signed: Buffer.from(payload.bytes).toString('utf8'),
    ofOtherBody: ofOther,
    same,
    mends: mends.flatMap((mend) => mendsOf(mend, found, language)),
  };
}
