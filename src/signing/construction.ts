import type { FixId, Language } from './fixes.ts';

/** One way to do one part of the signing, such as choosing the key. This way is either correct, or has one mistake. */
export interface Construction {
  /** An id for programs. It stays the same in later versions. */
  readonly id: string;
  /** The mistake as a sentence for the operator; null if this way is correct. */
  readonly mistake: string | null;
  /** The programming language in which this mistake occurs; undefined if it occurs in every language. */
  readonly language?: Language;
  readonly fix: FixId;
  /** True if this way is not tried together with other mistakes, because it occurs rarely. */
  readonly isRare?: true;
}

/** A construction together with the bytes that it produces. */
export interface Made extends Construction {
  readonly bytes: Uint8Array;
}

/** Returns the construction together with its bytes. */
export function made(construction: Construction, content: string | Uint8Array): Made {
  return { ...construction, bytes: typeof content === 'string' ? Buffer.from(content) : content };
}

/** Returns a construction that has a mistake, together with its bytes. */
export function wrong(id: string, mistake: string, content: string | Uint8Array, fix: Construction['fix']): Made {
  return made({ id, mistake, fix }, content);
}

/** Returns a construction that has a mistake and occurs rarely, together with its bytes. */
export function rarely(id: string, mistake: string, content: string | Uint8Array, fix: Construction['fix']): Made {
  return made({ id, mistake, fix, isRare: true }, content);
}
