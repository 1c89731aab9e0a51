import type { HeaderList } from '../journal/exchange.ts';

const NOT_TELLING_IN_A_REQUEST = new Set(['host', 'content-length', 'connection', 'accept-encoding']);
const TELLING_IN_A_REPLY = new Set(['content-type', 'content-encoding', 'location', 'retry-after', 'server', 'via']);

/** The headers of a request without those that every request has. */
export function tellingOfRequest(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !NOT_TELLING_IN_A_REQUEST.has(name.toLowerCase()));
}

/** The headers of a reply that say something about what came, or from whom. */
export function tellingOfReply(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => TELLING_IN_A_REPLY.has(name.toLowerCase()));
}
