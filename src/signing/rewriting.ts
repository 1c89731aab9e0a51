import type { Construction } from './construction.ts';
import type { JsonTree } from './json-tree.ts';

/** One way to write a parsed value as text. */
export interface Rewriting extends Omit<Construction, 'fix' | 'mistake'> {
  /** The end of a sentence that begins with "The body was parsed and written". */
  readonly how: string;
  readonly write: (tree: JsonTree) => string;
}
