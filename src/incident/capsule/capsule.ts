import type { SignatureState } from '../../journal/event.ts';
import { type KeysOf, signatureOf } from '../story/signature.ts';
import { Aliases, type AliasKind } from './aliases.ts';
import { DocumentRewriting } from './document.ts';
import { Sweep } from './sweep.ts';
import { TextRewriting } from './text.ts';

export interface CapsuleOptions {
  /** A keyed hash in hexadecimal. */
  readonly digest: (text: string) => string;
  readonly keysOf: KeysOf;
  /** Names, in lower case, of headers that hold what is private. */
  readonly privateHeaders: ReadonlySet<string>;
}

/** What was done to what was read. */
export interface CapsuleTally {
  readonly sessions: number;
  readonly players: number;
  /** Values that were taken out for good. */
  readonly removed: number;
  readonly signatures: Readonly<Record<SignatureState, number>>;
}

/** One way through what is read: learning, or rewriting. */
export interface CapsulePass {
  /** An event of a journal, a HAR, or a report. */
  document(value: unknown): unknown;
  /** A line of a log, of raw HTTP or of a script. */
  line(text: string): string;
  scenario(text: string): string;
}

/**
 * Makes of journals, HARs, reports, scenarios and logs what can be passed on: ids that name a session or a player become aliases,
 * the same wherever they stand, and what lets somebody in is taken out. Everything is read twice, because an id may be named
 * where it can be known only after it stood in a text.
 */
export class Capsule {
  readonly #options: CapsuleOptions;
  readonly #aliases: Aliases;
  readonly #signatures: Record<SignatureState, number> = { right: 0, wrong: 0, missing: 0, unknown: 0 };
  #rewriting: TextRewriting | null = null;

  constructor(options: CapsuleOptions) {
    this.#options = options;
    this.#aliases = new Aliases(options.digest);
  }

  /** Ids that are known from elsewhere. */
  know(kind: AliasKind, ids: Iterable<string>): void {
    for (const id of ids) this.#aliases.expect(kind, id);
  }

  /** Learns which ids there are; what it returns is of no use. */
  learning(): CapsulePass {
    return this.#pass(new TextRewriting(this.#aliases, null), false);
  }

  /** Once everything was learnt from. */
  rewriting(): CapsulePass {
    this.#rewriting = new TextRewriting(this.#aliases, new Sweep(this.#aliases.all, (id) => this.#aliases.meet(id)));
    return this.#pass(this.#rewriting, true);
  }

  /** What became of which id; for whoever made the capsule alone. */
  get replaced(): ReadonlyMap<string, string> {
    return this.#aliases.met;
  }

  get tally(): CapsuleTally {
    return {
      sessions: this.#aliases.count('session'),
      players: this.#aliases.count('player') + this.#aliases.count('person'),
      removed: this.#rewriting?.removed ?? 0,
      signatures: this.#signatures,
    };
  }

  #pass(text: TextRewriting, isCounted: boolean): CapsulePass {
    const { keysOf, privateHeaders } = this.#options;
    const documents = new DocumentRewriting(
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
      line: (line) => text.free(line),
      scenario: (yaml) => {
        for (const [, id = ''] of yaml.matchAll(NAMED_IN_SCENARIO)) this.#aliases.of('player', id);
        for (const [, id = ''] of yaml.matchAll(SESSION_IN_SCENARIO)) this.#aliases.of('session', id);
        return text.words(yaml);
      },
    };
  }
}

/** `croupier replay` names the player in the title of what it writes; players and sessions of its steps are words of the scenario. */
const NAMED_IN_SCENARIO = /^title: ["']?What happened to ([^\s"']+)["']?$/gm;
const SESSION_IN_SCENARIO = /\bsessionID["']?\s*:\s*["']?([^\s"',}$]+)/g;

/** On which machine a run was is nobody's business. */
function withoutProcess(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('event' in value) || value.event !== 'run-started') return value;
  return { ...value, process: undefined };
}
