import type { SignatureState } from '../../contract/signature.ts';
import { type KeysOf, signatureOf } from '../calls/signature.ts';
import type { AddressKind } from './addresses.ts';
import { Aliases, type AliasKind } from './aliases.ts';
import { DocumentRewriter } from './document-rewriter.ts';
import { IdReplacer } from './id-replacer.ts';
import { Secrets } from './secrets.ts';
import { TextRewriter } from './text-rewriter.ts';

export interface CapsuleOptions {
  /** Computes a keyed hash in hexadecimal. */
  readonly digest: (text: string) => string;
  readonly keysOf: KeysOf;
  /** Names of headers with private values, in lower case. */
  readonly privateHeaders: ReadonlySet<string>;
  /** The kinds of addresses that are replaced in every text. */
  readonly addresses: ReadonlySet<AddressKind>;
}

/** The numbers of values that a capsule replaced and removed. */
export interface CapsuleTally {
  readonly sessions: number;
  readonly players: number;
  /** The number of e-mail and IP addresses. */
  readonly addresses: number;
  /** The number of values that were removed without an alias. */
  readonly removed: number;
  readonly signatures: Readonly<Record<SignatureState, number>>;
}

/** One pass over the files. The first pass learns the ids, and the second pass rewrites the files. */
export interface CapsulePass {
  /** Processes an event of a journal, a HAR, or a report. */
  document(value: unknown): unknown;
  /** Processes a line of a log, of raw HTTP or of a script. */
  line(text: string): string;
  /**
   * Learns what a field of a CSV contains. The name of the field is only in the header of the CSV, so the caller passes this name.
   */
  column(name: string, value: string): void;
  scenario(text: string): string;
}

/** The second pass, which writes the capsule. */
export interface RewritingPass extends CapsulePass {
  /**
   * Searches a finished part of a file again, and replaces the ids and secrets that are still in it.
   *
   * @param before the same part before keys were removed from it
   * @throws UnsafeCapsuleError if an id or a secret can't be replaced, or if a part that was JSON would not be JSON any more
   */
  last(text: string, before?: string): string;
}

/**
 * Thrown if a finished part of a capsule can't be shared, for example because an id or a secret could not be replaced. The message
 * does not contain this id or secret.
 */
export class UnsafeCapsuleError extends Error {
  override readonly name = 'UnsafeCapsuleError';
}

/**
 * Makes journals, HARs, reports, scenarios and logs anonymous, so that they can be shared. It replaces ids of sessions and players
 * by aliases, and removes credentials. Every file is read twice: the first time to find the ids and credentials, and the second
 * time to replace them everywhere.
 */
export class Capsule {
  readonly #options: CapsuleOptions;
  readonly #aliases: Aliases;
  readonly #signatures: Record<SignatureState, number> = { right: 0, wrong: 0, missing: 0, unknown: 0 };
  readonly #secrets = new Secrets();
  #rewriting: TextRewriter | null = null;
  /** The number of secrets that croupier recognised in one place and then also found in other places. */
  #found = 0;

  constructor(options: CapsuleOptions) {
    this.#options = options;
    this.#aliases = new Aliases(options.digest);
  }

  /** Adds ids that are known from the configuration. */
  know(kind: AliasKind, ids: Iterable<string>): void {
    for (const id of ids) this.#aliases.expect(kind, id);
  }

  /** Adds secrets that are known from the configuration, such as keys. */
  hide(secrets: Iterable<string>): void {
    for (const secret of secrets) this.#secrets.add(secret, 'sure');
  }

  /** Adds words that are not secret and must stay in the capsule, such as the ExtCIDs of the configuration. */
  keep(words: Iterable<string>): void {
    for (const word of words) this.#secrets.keep(word);
  }

  /** Returns the first pass, which collects the ids. The texts that this pass returns are not used. */
  learning(): CapsulePass {
    return this.#pass(this.#textRewriter(null), false);
  }

  /** Returns the second pass. Call it after the first pass has read every file. */
  rewriting(): RewritingPass {
    const aliases = this.#aliases.all;
    const replacer = new IdReplacer({
      aliases,
      secrets: this.#secrets.all,
      onFound: (value) => {
        if (aliases.has(value)) this.#aliases.markFound(value);
        else this.#found += 1;
      },
    });
    this.#rewriting = this.#textRewriter(replacer);
    return {
      ...this.#pass(this.#rewriting, true),
      last: (text, before = text) => {
        const written = replacer.replaceLast(text);
        if (written === before) return written;
        if (replacer.replaceLast(written) !== written)
          throw new UnsafeCapsuleError(
            'the capsule would still contain an id or a secret, in a form that croupier cannot replace',
          );
        if (isJson(before) && !isJson(written)) throw new UnsafeCapsuleError(BROKEN_JSON);
        return written;
      },
    };
  }

  #textRewriter(replacer: IdReplacer | null): TextRewriter {
    const { addresses, privateHeaders } = this.#options;
    return new TextRewriter({ aliases: this.#aliases, secrets: this.#secrets, replacer, addresses, privateHeaders });
  }

  /** Each replaced id with its alias. This list must not be shared with the capsule, because it reveals the ids. */
  get replaced(): ReadonlyMap<string, string> {
    return this.#aliases.found;
  }

  get tally(): CapsuleTally {
    return {
      sessions: this.#aliases.count('session'),
      players: this.#aliases.count('player') + this.#aliases.count('person'),
      addresses: this.#aliases.count('email') + this.#aliases.count('ip'),
      removed: (this.#rewriting?.removed ?? 0) + this.#found,
      signatures: this.#signatures,
    };
  }

  #pass(text: TextRewriter, isCounted: boolean): CapsulePass {
    const { keysOf, privateHeaders } = this.#options;
    const documents = new DocumentRewriter(
      text,
      (exchange) => {
        const state = isCounted ? signatureOf(exchange, keysOf) : 'unknown';
        if (isCounted) this.#signatures[state] += 1;
        return state;
      },
      privateHeaders,
    );
    return {
      document: (value) => documents.rewrite(withoutProcess(value)),
      line: (line) => {
        const written = text.line(line);
        if (isCounted && written !== line && isJson(line) && !isJson(written))
          throw new UnsafeCapsuleError(BROKEN_JSON);
        return written;
      },
      column: (name, value) => {
        if (!isCounted) text.value(value, name);
      },
      scenario: (yaml) => {
        for (const [, id = ''] of yaml.matchAll(NAMED_IN_SCENARIO)) this.#aliases.of('player', id);
        for (const [, id = ''] of yaml.matchAll(SESSION_IN_SCENARIO)) this.#aliases.of('session', id);
        return text.replaceIds(yaml);
      },
    };
  }
}

const BROKEN_JSON = 'the JSON would not be valid any more';

/** True for a JSON object or array. In a HAR with one entry per line, an entry may begin after a comma. */
function isJson(text: string): boolean {
  const value = text.replace(/^,\n/, '').trim();
  if (!/^[{[]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Matches the title of a scenario that `croupier replay` wrote. The title contains the player, but the steps of the scenario
 * contain only aliases.
 */
const NAMED_IN_SCENARIO = /^title: ["']?(?:What happened to|Calls of) ([^\s"']+)(?: \(time \$\{time\}\))?["']?$/gm;
const SESSION_IN_SCENARIO = /\bsessionID["']?\s*:\s*["']?([^\s"',}$]+)/g;

/** Removes the process id and the host name from a `run-started` event. */
function withoutProcess(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('event' in value) || value.event !== 'run-started') return value;
  return { ...value, process: undefined };
}
