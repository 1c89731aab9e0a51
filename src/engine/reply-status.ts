import type { Exchange } from '../journal/exchange.ts';

/** The status of the reply; undefined when none came. */
export function replyStatus({ outcome }: Exchange): number | undefined {
  return outcome.kind === 'reply' ? outcome.reply.status : undefined;
}
