import { existsSync } from 'node:fs';
import path from 'node:path';
import { firstDifference } from '../incident/explain/differ.ts';
import { type Explanation, explainSignature } from '../incident/explain/explain.ts';
import type { Language } from '../incident/explain/mends.ts';
import { readRequests } from '../incident/explain/read-request.ts';
import type { SignedRequest } from '../incident/explain/request.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { forTerminal } from '../report/escape.ts';
import { besideIn } from './beside.ts';
import { type Explained, explainJson, explainText } from './explain-text.ts';
import { type OfferedKeyFlags, offering } from './offered-keys.ts';
import { readInput } from './signed-text.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface ExplainFlags extends OfferedKeyFlags {
  readonly body?: string;
  readonly bodyFile?: string;
  readonly query?: string;
  readonly url?: string;
  readonly signature?: string;
  readonly otherBody?: string;
  readonly otherBodyFile?: string;
  readonly language?: Language;
  readonly json?: boolean;
}

const UNEXPLAINED = 1;

/**
 * `croupier explain`: which construction gives a signature that does not match.
 *
 * @returns 0 when it is right or explained, 1 when nothing that is known gives it
 */
export async function explainCommand(given: string | undefined, flags: ExplainFlags, stdio: Stdio): Promise<number> {
  const requests = await requestsOf(given, flags, stdio);
  const other = await otherBody(flags, stdio);
  const keysOf = await offering(flags, stdio);
  const secrets = new Set<string>();
  const remarks = new Set<string>();
  let chosen: Explained | undefined;
  // Of many requests the one is of interest whose signature is not right.
  for (const request of requests) {
    const offered = keysOf(request.url);
    for (const { text } of offered.keys) for (const secret of [text, text.trim()]) secrets.add(secret);
    for (const remark of offered.remarks) remarks.add(remark);
    const explanation = explainSignature(request, offered.keys, other);
    const keys = offered.keys.map(({ name }) => name);
    if (!chosen || explanation.kind !== 'right') {
      chosen = { request, explanation, keys, differs: differs(request, other) };
    }
    if (explanation.kind !== 'right') break;
  }
  if (!chosen) throw new UsageError('There is no request.');
  const status = exitStatus(chosen.explanation);
  const scrub = createScrubber([...secrets]);
  if (flags.json) {
    stdio.out.write(scrub(explainJson(chosen, { language: flags.language, status, of: requests.length })));
    return status;
  }
  for (const remark of remarks) stdio.err.write(scrub(`${forTerminal(remark)}\n`));
  stdio.out.write(scrub(explainText(chosen, { language: flags.language, sink: stdio.out, of: requests.length })));
  return status;
}

function exitStatus({ kind }: Explanation): number {
  return kind === 'unexplained' ? UNEXPLAINED : 0;
}

function differs(request: SignedRequest, other: Uint8Array | undefined): Explained['differs'] {
  return other && request.body ? firstDifference(request.body, other) : undefined;
}

async function otherBody({ otherBody: text, otherBodyFile: file }: ExplainFlags, stdio: Stdio) {
  if (text !== undefined) return Buffer.from(text);
  return file === undefined ? undefined : readInput(file, stdio);
}

/** Those with a signature: whole requests, or one that is put together from flags. */
async function requestsOf(
  given: string | undefined,
  flags: ExplainFlags,
  stdio: Stdio,
): Promise<readonly SignedRequest[]> {
  // A header is often copied whole.
  const wanted = flags.signature?.replace(/^x-request-sign:\s*/i, '');
  const parts = await fromParts({ ...flags, ...(wanted !== undefined && { signature: wanted }) }, stdio);
  if (parts) {
    if (given !== undefined) throw new UsageError('Give the request whole, or as --body or --query: not both.');
    if (parts.signature === undefined)
      throw new UsageError('Which signature is to be explained? Give it with --signature.');
    return [parts];
  }
  const { bytes, file, folder } = await wholeInput(given, stdio);
  const { requests, unread } = await readRequests(bytes, file, besideIn(folder));
  const signed = requests.flatMap((request) => {
    const signature = wanted ?? request.signature;
    return signature === undefined ? [] : [{ ...request, signature }];
  });
  if (signed.length > 0) return signed;
  const [first] = unread;
  throw new UsageError(
    requests.length > 0
      ? 'The request has no X-REQUEST-SIGN header; give the signature with --signature.'
      : forTerminal(
          `No request could be read${first ? ` (line ${first.line}: ${first.why})` : ''}. Give a curl line, raw HTTP or a HAR, or --body or --query with --signature.`,
        ),
  );
}

async function fromParts(flags: ExplainFlags, stdio: Stdio): Promise<SignedRequest | undefined> {
  const { body, bodyFile, query, signature, url = '' } = flags;
  const count = [body, bodyFile, query].filter((each) => each !== undefined).length;
  if (count === 0) return undefined;
  if (count > 1) throw new UsageError('Give one of --body, --body-file and --query.');
  if (query !== undefined)
    return {
      method: 'GET',
      url: isQueryAlone(query) ? `${url}?${query.replace(/^\?/, '')}` : query,
      body: null,
      signature,
    };
  const bytes = body === undefined ? await readInput(bodyFile ?? '-', stdio) : Buffer.from(body);
  return { method: 'POST', url, body: bytes, signature };
}

function isQueryAlone(text: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\/|^\//i.test(text);
}

interface WholeInput {
  readonly bytes: Uint8Array;
  readonly file: string;
  /** Where bodies lie that it names. */
  readonly folder: string;
}

async function wholeInput(given: string | undefined, stdio: Stdio): Promise<WholeInput> {
  const folder = stdio.cwd;
  if (given === undefined || given === '-')
    return { bytes: await readInput('-', stdio), file: 'standard input', folder };
  const looksLikeFile = !/[\r\n]|^\s*(?:curl|printf|Invoke-|\{|\[)/i.test(given);
  if (looksLikeFile || existsSync(path.resolve(stdio.cwd, given))) {
    return { bytes: await readInput(given, stdio), file: given, folder: path.dirname(path.resolve(stdio.cwd, given)) };
  }
  return { bytes: Buffer.from(given), file: 'the argument', folder };
}
