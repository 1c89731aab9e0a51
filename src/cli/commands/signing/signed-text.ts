import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { canonicalJson } from '../../../contract/canonical.ts';
import { readJson } from '../../../contract/json.ts';
import { queryOf, readQuery } from '../../../contract/query.ts';
import { queryPayload } from '../../../contract/signature.ts';
import type { SignFlags } from './flags.ts';

/** The flags for the text to sign. `--query` without a value means that the argument or the file is a query. */
type SignedTextFlags = Pick<SignFlags, 'body' | 'file' | 'query'>;

/** The text that a signature is computed from. */
export interface SignedText {
  /** The exact bytes to sign. */
  readonly payload: Uint8Array;
  /** Whole sentences about differences from the texts that the service signs; empty if there are none. */
  readonly remarks: readonly string[];
}

/**
 * Reads the body or the query from an argument, a file or standard input.
 *
 * @throws UsageError when it can't be read, or when a query can't be signed
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
    throw new UsageError('Give the signed text only once: as an argument, or with --body, --query or --file.');
  }
  // A hyphen stands for standard input. It could be neither a body nor a query.
  return only === undefined || only === '-' ? readInput(file ?? '-', stdio) : Buffer.from(only);
}

/**
 * Reads the exact bytes of a file. The path `-` stands for standard input.
 *
 * @throws UsageError when the file can't be read
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
    throw new UsageError(`The file can't be read: ${at}: ${whyUnreadable(error)}.`, { cause: error });
  }
}

function ofQuery(bytes: Uint8Array): SignedText {
  // A file or the output of `echo` ends with a line break, which is not part of the query.
  const text = Buffer.from(bytes)
    .toString('utf8')
    .replace(/(?<![\r\n])[\r\n]+$/, '');
  try {
    return { payload: Buffer.from(queryPayload(readQuery(queryOf(text)))), remarks: [] };
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
            ? 'The body ends with a line break, which croupier also signs. The service sends no line break (printf %s adds none).'
            : 'The body is not canonical JSON (sorted names, no white space), but the service sends only canonical JSON. croupier signs the body as it is.',
        ];
  }
  return [`The body is not JSON: ${reading.reason}. croupier signs the body as it is.`];
}
