import { signBody, verifySignature } from '../contract/signature.ts';
import { forTerminal } from '../report/escape.ts';
import { type SignedTextFlags, signedText } from './signed-text.ts';
import { type SigningKeyFlags, signingKey } from './signing-key.ts';
import type { Stdio } from './stdio.ts';

export interface VerifyFlags extends SigningKeyFlags, SignedTextFlags {
  readonly signature: string;
  readonly json?: boolean;
}

const WRONG = 1;

/**
 * `croupier verify`: whether a signature is that of a body or of a query.
 *
 * @returns 0 right, 1 wrong
 */
export async function verifyCommand(text: string | undefined, flags: VerifyFlags, stdio: Stdio): Promise<number> {
  const { key, source } = await signingKey(flags, stdio);
  const { payload, remarks } = await signedText(text, flags, stdio);
  const given = flags.signature;
  const right = verifySignature(payload, key, given);
  const status = right ? 0 : WRONG;
  const reason = right ? null : whyWrong(given, signBody(payload, key));
  if (flags.json) {
    const result = { right, reason, bytes: payload.length, key: source, remarks, exitCode: status };
    stdio.out.write(`${JSON.stringify(result, null, 2)}\n`);
    return status;
  }
  const of = `of these ${payload.length} bytes with ${source}`;
  const lines =
    reason === null
      ? [`Right: it is the signature ${of}.`, ...remarks]
      : [
          `Wrong: it is not the signature ${of}.`,
          reason,
          ...remarks,
          'Which mistake gives this signature: croupier explain, with the same body or query and --signature.',
        ];
  stdio.out.write(lines.map((line) => `${forTerminal(line)}\n`).join(''));
  return status;
}

/** What shows at first sight. The right signature itself is not told: `sign` makes it, for who wants it. */
function whyWrong(given: string, right: string): string {
  if (given === '') return 'It is empty.';
  if (given !== given.trim()) return 'It has a blank at its beginning or end.';
  if (given.toLowerCase() === right) return 'Its digits are right, but it has to be written in lower case.';
  if (/^[0-9a-f]+$/i.test(given)) {
    return given.length === 64
      ? 'It has the form of a signature, but belongs to other bytes, or was made with another key.'
      : `It has ${given.length} hexadecimal digits; a signature has 64.`;
  }
  return Buffer.from(given, 'base64').equals(Buffer.from(right, 'hex'))
    ? 'Its bytes are right, but written in base64: a signature is lower-case hexadecimal.'
    : 'It is not hexadecimal; a signature is 64 lower-case hexadecimal digits.';
}
