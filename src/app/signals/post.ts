import { setTimeout as sleep } from 'node:timers/promises';
import { forTerminal } from '../../report/escape.ts';

/** A message for another system, and how it is sent. */
export interface Message {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** If this signal is aborted, the message is no longer sent. */
  readonly signal: AbortSignal;
}

/** The text of the reply, or the reason why the message was not accepted. */
export type Delivery =
  | { readonly kind: 'accepted'; readonly text: string }
  | { readonly kind: 'failed'; readonly why: string };

/** Maximum time for one reply, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** Times to wait before the second and the third attempt, in milliseconds. */
const PAUSES_MS: readonly number[] = [200, 800];
const MAX_TEXT = 200;
const MAX_REPLY_BYTES = 65_536;

/**
 * Sends a message by POST. Sends it again, at most twice, if the reply is 429 or 5xx, or if there is no reply. Follows no redirect,
 * so that the message reaches only the address that the user named. Never throws.
 */
export async function post(message: Message): Promise<Delivery> {
  for (const pauseMs of PAUSES_MS) {
    const { delivery, mayHelp } = await postOnce(message);
    if (delivery.kind === 'accepted' || !mayHelp) return delivery;
    await sleep(pauseMs, undefined, { signal: message.signal }).catch(() => {});
  }
  return (await postOnce(message)).delivery;
}

/** The result of one attempt. `mayHelp` is true if another attempt may have another result. */
interface Attempt {
  readonly delivery: Delivery;
  readonly mayHelp: boolean;
}

async function postOnce({ url, body, headers, signal }: Message): Promise<Attempt> {
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'croupier', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const text = await beginningOf(reply);
    if (reply.ok) return { delivery: { kind: 'accepted', text }, mayHelp: false };
    const shown = forTerminal(text.slice(0, MAX_TEXT));
    const why = `it was answered ${reply.status}${shown === '' ? '' : `: ${shown}`}`;
    return { delivery: { kind: 'failed', why }, mayHelp: reply.status === 429 || reply.status >= 500 };
  } catch (error) {
    return { delivery: { kind: 'failed', why: whyUnanswered(error, signal) }, mayHelp: !signal.aborted };
  }
}

/** Returns the beginning of the body. The rest is not read, because a server could send text without an end. */
async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= MAX_REPLY_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, MAX_REPLY_BYTES);
}

function whyUnanswered(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'the run was interrupted';
  if (error instanceof Error && error.name === 'TimeoutError') return `no reply came within ${TIMEOUT_MS / 1000} s`;
  // The built-in fetch only says "fetch failed". The real reason is in `error.cause`.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ENOTFOUND') return 'its host name has no address';
  return forTerminal((cause instanceof Error && cause.message) || code || 'no reply came');
}
