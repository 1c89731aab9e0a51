import type { FixId, Language } from './fixes.ts';

/** One way to do a part of signing: wrongly, or, without a mistake, as the contract says. */
export interface Construction {
  /** A stable id for programs. */
  readonly id: string;
  /** The mistake as a sentence, in the operator's terms; null for the correct way. */
  readonly mistake: string | null;
  /** The only language that does this; undefined for any language. */
  readonly language?: Language;
  readonly fix: FixId;
}

/** A construction with the bytes that it produces. */
export interface Made extends Construction {
  readonly bytes: Uint8Array;
}

/** Adds the bytes to a construction. */
export function made(construction: Construction, content: string | Uint8Array): Made {
  return { ...construction, bytes: typeof content === 'string' ? Buffer.from(content) : content };
}

/** A construction with a mistake, and its bytes. */
export function wrong(id: string, mistake: string, content: string | Uint8Array, fix: Construction['fix']): Made {
  return made({ id, mistake, fix }, content);
}
