import { existsSync } from 'node:fs';
import path from 'node:path';
import { offering } from '../../../app/config/recorded-calls.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { bodyFilesIn } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { forTerminal } from '../../../report/escape.ts';
import { firstDifference } from '../../../signing/differ.ts';
import { type Explanation, explainSignature } from '../../../signing/explain.ts';
import type { SignedRequest } from '../../../signing/request.ts';
import { readRequests } from '../../../traffic/read/read-requests.ts';
import { type Explained, explainJson, explainText } from './explain-text.ts';
import type { ExplainFlags } from './flags.ts';
import { readInput } from './signed-text.ts';

const UNEXPLAINED = 1;

/**
 * `croupier explain`: finds the mistake that leads to a wrong signature.
 *
 * @returns 0 if the signature is right or explained, 1 if no known mistake leads to it
 */
export async function explainCommand(given: string | undefined, flags: ExplainFlags, stdio: Stdio): Promise<number> {
  const requests = await requestsOf(given, flags, stdio);
  const other = await otherBody(flags, stdio);
  const keysOf = await offering(flags, stdio);
  const secrets = new Set<string>();
  const remarks = new Set<string>();
  let chosen: Explained | undefined;
  // If there are several requests, the report explains the first one with a wrong signature.
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
  if (!chosen) throw new UsageError('The input contains no request.');
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

/**
 * Returns the requests that have a signature. Reads them from the input, or builds one request from the flags.
 *
 * @throws UsageError when there is none
 */
async function requestsOf(
  given: string | undefined,
  flags: ExplainFlags,
  stdio: Stdio,
): Promise<readonly SignedRequest[]> {
  // People often copy the name of the header together with its value.
  const wanted = flags.signature?.replace(/^x-request-sign:\s*/i, '');
  const parts = await fromParts({ ...flags, ...(wanted !== undefined && { signature: wanted }) }, stdio);
  if (parts) {
    if (given !== undefined)
      throw new UsageError('Give the whole request, or only its body (--body) or its query (--query).');
    if (parts.signature === undefined)
      throw new UsageError('The signature to explain is missing. Give it with --signature.');
    return [parts];
  }
  const { bytes, file, folder } = await wholeInput(given, stdio);
  const { requests, unread } = await readRequests(bytes, file, bodyFilesIn(folder));
  const signed = requests.flatMap((request) => {
    const signature = wanted ?? request.signature;
    return signature === undefined ? [] : [{ ...request, signature }];
  });
  if (signed.length > 0) return signed;
  const [first] = unread;
  throw new UsageError(
    requests.length > 0
      ? 'The request has no X-REQUEST-SIGN header. Give the signature with --signature.'
      : forTerminal(
          `No request could be read${first ? ` (line ${first.line}: ${first.why})` : ''}. Give a curl line, raw HTTP or a HAR, or --body or --query with --signature.`,
        ),
  );
}

async function fromParts(flags: ExplainFlags, stdio: Stdio): Promise<SignedRequest | undefined> {
  const { body, bodyFile, query, signature, url = '' } = flags;
  const count = [body, bodyFile, query].filter((each) => each !== undefined).length;
  if (count === 0) return undefined;
  if (count > 1) throw new UsageError('Give only one of --body, --body-file and --query.');
  if (query !== undefined)
    return {
      method: 'GET',
      url: isQueryAlone(query) ? `${url}?${query.replace(/^\?/, '')}` : query,
      body: null,
      signature,
    };
  const bytes = body === undefined ? await readInput(bodyFile ?? '-', stdio) : Buffer.from(body);
  return { method: 'POST', url, body: bytes, signature, isBodyAlone: true };
}

function isQueryAlone(text: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\/|^\//i.test(text);
}

interface WholeInput {
  readonly bytes: Uint8Array;
  readonly file: string;
  /** The folder with the body files that curl lines of the input name. */
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
