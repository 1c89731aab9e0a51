import type { KeysOf } from '../incident/story/signature.ts';
import { keysAtHand, type OfferedKeyFlags } from './offered-keys.ts';
import type { Stdio } from './stdio.ts';

/** The keys that the calls of an incident may be signed with. */
export interface SigningKeys {
  readonly keysOf: KeysOf;
  readonly secrets: readonly string[];
  /** Keys that could not be read, for a person. */
  readonly remarks: readonly string[];
}

/** Those of files, of the environment and of the configuration. None is needed. */
export async function signingKeys(flags: OfferedKeyFlags, stdio: Stdio): Promise<SigningKeys> {
  const offered = await keysAtHand(flags, stdio);
  const { keys, remarks } = offered('');
  return {
    keysOf: (url) => {
      const all = offered(url ?? '');
      // An API key signs what operators send, and no reverse call.
      const usable = all.keys.filter(({ role }) => role !== 'api').map(({ text }) => text);
      const own = usable.filter((key) => !all.foreign.has(key));
      return { own, others: usable.filter((key) => all.foreign.has(key)) };
    },
    secrets: keys.flatMap(({ text }) => [text, text.trim()]).filter((text) => text !== ''),
    remarks,
  };
}
