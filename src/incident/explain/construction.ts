import type { Language, MendId } from './mends.ts';

/** One way to do a part of signing otherwise than the contract says, or, without a mistake, the right way. */
export interface Construction {
  /** Words that never change, for machines. */
  readonly id: string;
  /** What is done, in the operator's terms: a sentence. null: it is right. */
  readonly mistake: string | null;
  /** The language that only does it so; left out: any. */
  readonly language?: Language;
  readonly mend: MendId;
}

/** A construction with the bytes that it comes to. */
export interface Made extends Construction {
  readonly bytes: Uint8Array;
}

/** A construction with what it comes to. */
export function made(construction: Construction, content: string | Uint8Array): Made {
  return { ...construction, bytes: typeof content === 'string' ? Buffer.from(content) : content };
}

/** A mistake with what it comes to. */
export function wrong(id: string, mistake: string, content: string | Uint8Array, mend: Construction['mend']): Made {
  return made({ id, mistake, mend }, content);
}
