import { signBody } from '../contract/signature.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { forTerminal } from '../report/escape.ts';
import { type SignedTextFlags, signedText } from './signed-text.ts';
import { type SigningKeyFlags, signingKey } from './signing-key.ts';
import type { Stdio } from './stdio.ts';

export interface SignFlags extends SigningKeyFlags, SignedTextFlags {
  readonly json?: boolean;
}

/** `croupier sign`: the signature of a body or of a query, and nothing else on stdout. */
export async function signCommand(text: string | undefined, flags: SignFlags, stdio: Stdio): Promise<number> {
  const { key, source } = await signingKey(flags, stdio);
  const { payload, remarks } = await signedText(text, flags, stdio);
  const signature = signBody(payload, key);
  if (flags.json) {
    const scrub = createScrubber([key]);
    const result = { signature, payload: scrub(Buffer.from(payload).toString('utf8')), key: source, remarks };
    stdio.out.write(`${JSON.stringify(result, null, 2)}\n`);
    return 0;
  }
  stdio.out.write(`${signature}\n`);
  for (const remark of remarks) stdio.err.write(`${forTerminal(remark)}\n`);
  return 0;
}
