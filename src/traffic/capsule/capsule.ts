import type { SignatureState } from '../../contract/signature.ts';
import { type KeysOf, signatureOf } from '../calls/signature.ts';
import { Aliases, type AliasKind } from './aliases.ts';
import { DocumentRewriter } from './document-rewriter.ts';
import { IdReplacer } from './id-replacer.ts';
import { TextRewriter } from './text-rewriter.ts';

export interface CapsuleOptions {
  /** Computes a keyed hash in hexadecimal. */
  readonly digest: (text: string) => string;
  readonly keysOf: KeysOf;
  /** Names of headers with private values, in lower case. */
  readonly privateHeaders: ReadonlySet<string>;
}

/** The numbers of values that a capsule replaced and removed. */
export interface CapsuleTally {
  readonly sessions: number;
  readonly players: number;
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
  scenario(text: string): string;
}

/**
 * Makes journals, HARs, reports, scenarios and logs anonymous, so that they can be shared. It replaces ids of sessions
 * and players by aliases, and removes credentials.
 * Every file is read twice, because a text may contain an id before the field that identifies the id.
 */
export class Capsule {
  readonly #options: CapsuleOptions;
  readonly #aliases: Aliases;
  readonly #signatures: Record<SignatureState, number> = { right: 0, wrong: 0, missing: 0, unknown: 0 };
  #rewriting: TextRewriter | null = null;

  constructor(options: CapsuleOptions) {
    this.#options = options;
    this.#aliases = new Aliases(options.digest);
  }

  /** Adds ids that are known from the configuration. */
  know(kind: AliasKind, ids: Iterable<string>): void {
    for (const id of ids) this.#aliases.expect(kind, id);
  }

  /** Returns the first pass, which collects the ids. Its results are not used. */
  learning(): CapsulePass {
    return this.#pass(new TextRewriter(this.#aliases, null), false);
  }

  /** Returns the second pass. Call it after the first pass has read every file. */
  rewriting(): CapsulePass {
    this.#rewriting = new TextRewriter(
      this.#aliases,
      new IdReplacer(this.#aliases.all, (id) => this.#aliases.markFound(id)),
    );
    return this.#pass(this.#rewriting, true);
  }

  /** Each replaced id with its alias. This list must not be shared with the capsule, because it reveals the ids. */
  get replaced(): ReadonlyMap<string, string> {
    return this.#aliases.found;
  }

  get tally(): CapsuleTally {
    return {
      sessions: this.#aliases.count('session'),
      players: this.#aliases.count('player') + this.#aliases.count('person'),
      removed: this.#rewriting?.removed ?? 0,
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
      line: (line) => text.rewrite(line),
      scenario: (yaml) => {
        for (const [, id = ''] of yaml.matchAll(NAMED_IN_SCENARIO)) this.#aliases.of('player', id);
        for (const [, id = ''] of yaml.matchAll(SESSION_IN_SCENARIO)) this.#aliases.of('session', id);
        return text.replaceIds(yaml);
      },
    };
  }
}

/**
 * The title of a scenario that `croupier replay` wrote, which contains the player. The steps of the scenario contain
 * only aliases.
 */
const NAMED_IN_SCENARIO = /^title: ["']?(?:What happened to|Calls of) ([^\s"']+)["']?$/gm;
const SESSION_IN_SCENARIO = /\bsessionID["']?\s*:\s*["']?([^\s"',}$]+)/g;

/** Removes the process id and the host name from a `run-started` event. */
function withoutProcess(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('event' in value) || value.event !== 'run-started') return value;
  return { ...value, process: undefined };
}
