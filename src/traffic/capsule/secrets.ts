import { isMasked } from '../masked.ts';

/** Numbers, dates and times do not count as secrets, even in a private header. */
const NUMBER_OR_TIME = /^[\d\s.,:TZ+-]+$|^\d{4}-\d\d-\d\d|\bGMT$/;
const WORD = /^[A-Za-z]?[a-z]+$|^[A-Z]+$/;
const HOST = /^(?:[a-z\d-]+\.)+[a-z]{2,10}(?::\d+)?$/;
const MIN_SECRET = 6;
/** Minimum number of characters of a secret that is recognised only by the name of its header or field. */
const MIN_LIKELY = 8;
/** A word with fewer letters is probably no secret. */
const MIN_WORD = 12;

/** `sure`: the form of the value shows that it is a secret. `likely`: only the name of its header or field shows it. */
export type Certainty = 'sure' | 'likely';

/**
 * Collects the secrets of all files. If a secret is recognised in one place, it is removed in all places. Numbers and common words
 * are not collected, because they mean something else in other places.
 */
export class Secrets {
  readonly #secrets = new Set<string>();
  readonly #kept = new Set<string>();

  /** The secrets that must be removed everywhere. */
  get all(): readonly string[] {
    return [...this.#secrets].filter((secret) => !this.#kept.has(secret));
  }

  /** Adds a value that is no secret in any place, for example the id of a transaction. */
  keep(value: string): void {
    this.#kept.add(value);
  }

  /** Adds a secret. Ignores a value that is short, masked, a number or a time, or like a common word. */
  add(secret: string, certainty: Certainty): void {
    if (secret.length < (certainty === 'sure' ? MIN_SECRET : MIN_LIKELY)) return;
    if (NUMBER_OR_TIME.test(secret) || isMasked(secret)) return;
    if (WORD.test(secret) && secret.length < MIN_WORD) return;
    if (certainty === 'likely' && HOST.test(secret)) return;
    this.#secrets.add(secret);
  }

  /** Adds the secrets in the value of a private header. */
  addHeader(name: string, value: string): void {
    if (HEADER_WITHOUT_SECRET.test(name)) return;
    if (/cookie/i.test(name)) {
      const pairs = /^set-/i.test(name) ? [value.split(';', 1)[0] ?? ''] : value.split(';');
      for (const pair of pairs) this.add(pair.slice(pair.indexOf('=') + 1).trim(), 'likely');
      return;
    }
    const [scheme, credentials] = split(value.trim(), ' ');
    if (/^basic$/i.test(scheme)) this.addCredentials(Buffer.from(credentials, 'base64').toString('utf8'));
    if (/^(?:basic|bearer|token)$/i.test(scheme)) this.add(credentials.trim(), 'sure');
    // The value of any other scheme has several parts, such as `Digest username="…", response="…"`.
    else for (const part of value.split(/[\s,;="']+/)) this.add(part, 'likely');
  }

  /** Adds the user and the password of `user:password`. */
  addCredentials(credentials: string): void {
    const [user, password] = split(credentials, ':');
    this.add(user, 'likely');
    this.add(password, 'sure');
  }
}

/** The names of headers whose values are not secret: ids of the call, addresses, and words that anybody may know. */
const HEADER_WITHOUT_SECRET =
  /idempot|authority|^www-authenticate$|^proxy-authenticate$|forwarded|-ip$|-type$|-date$|timestamp/i;

function split(text: string, by: string): readonly [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + by.length)];
}
