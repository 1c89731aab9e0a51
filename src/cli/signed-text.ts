import { readFileSync } from 'node:fs';
import path from 'node:path';
import { canonicalJson } from '../contract/canonical.ts';
import { readJson } from '../contract/json-text.ts';
import { queryPayload } from '../contract/signature.ts';
import { decodeQuery } from '../incident/explain/query-text.ts';
import { whyUnreadable } from './configuration.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface SignedTextFlags {
  readonly body?: string;
  readonly file?: string;
  /** true: what is given, wherever, is a query. */
  readonly query?: string | true;
}

/** What a signature is of. */
export interface SignedText {
  /** The exact bytes that are signed. */
  readonly payload: Uint8Array;
  /** Things about it that the service would not do, for a person. */
  readonly remarks: readonly string[];
}

/**
 * The body or query that a command is given, as an argument, in a file or on standard input.
 *
 * @throws UsageError when it can't be read, or is a query that can't be signed
 */
export async function signedText(text: string | undefined, flags: SignedTextFlags, stdio: Stdio): Promise<SignedText> {
  const bytes = await given(text, flags, stdio);
  return flags.query !== undefined ? ofQuery(bytes) : { payload: bytes, remarks: bodyRemarks(bytes) };
}

async function given(text: string | undefined, flags: SignedTextFlags, stdio: Stdio): Promise<Uint8Array> {
  const { body, file, query } = flags;
  const texts = [text, body, query === true ? undefined : query].filter((each) => each !== undefined);
  const [only] = texts;
  if (texts.length + (file === undefined ? 0 : 1) > 1) {
    throw new UsageError('Give what is signed once: as an argument, with --body, --query or --file.');
  }
  // No body and no query is a hyphen.
  return only === undefined || only === '-' ? readInput(file ?? '-', stdio) : Buffer.from(only);
}

/**
 * A file to the byte; `-` is standard input.
 *
 * @throws UsageError when it can't be read
 */
export async function readInput(file: string, stdio: Stdio): Promise<Uint8Array> {
  if (file === '-') {
    if (stdio.stdinIsTty) stdio.err.write('Reading standard input, until Ctrl-D …\n');
    return stdio.readStdinBytes();
  }
  const at = path.resolve(stdio.cwd, file);
  try {
    return readFileSync(at);
  } catch (error) {
    throw new UsageError(`It can't be read: ${at}: ${whyUnreadable(error)}`, { cause: error });
  }
}

function ofQuery(bytes: Uint8Array): SignedText {
  // A file or an echo ends with a line break that no query has.
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/[\r\n]+$/, '');
  try {
    return { payload: Buffer.from(queryPayload(decodeQuery(text, 'form'))), remarks: [] };
  } catch (error) {
    throw new UsageError(`The query can't be signed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function bodyRemarks(bytes: Uint8Array): readonly string[] {
  if (bytes.length === 0) return ['The body is empty.'];
  const reading = readJson(bytes);
  if (reading.kind === 'json') {
    return canonicalJson(reading.value) === Buffer.from(bytes).toString('utf8')
      ? []
      : [
          bytes.at(-1) === 0x0a
            ? 'The body ends with a line break, which is signed too. The service sends none (printf %s makes none).'
            : 'The body is not canonical JSON (names sorted, no white space), as the service would send it. It is taken as it is.',
        ];
  }
  return [`The body is not JSON: ${reading.reason}. It is taken as it is.`];
}
