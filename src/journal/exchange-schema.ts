import { z } from 'zod';
import { SIGNATURE_STATES } from './event.ts';
import { NO_REPLY_REASONS } from './exchange.ts';

/** An object of the journal. A later croupier may add keys within the same format, so that further ones are no mistake. */
export const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object(shape).readonly();
export const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
export const text = z.string();
export const stamp = z.number().describe('milliseconds of one monotonic clock that the whole run shares');
const stampOrNone = stamp.nullable().describe('null: it did not happen, or is not known');
export const count = z.int().min(0);

const body = object({
  encoding: z.enum(['utf8', 'base64']),
  data: text,
  length: count.describe('how many bytes there were, also when not all were kept'),
  truncated: z.boolean().describe('true: data holds only the beginning'),
});
const headers = list(z.tuple([text, text]).readonly()).describe(
  'name and value, in the order and letter case of the wire',
);
export const request = object({
  method: text,
  url: text.describe('the whole address, query included'),
  headers,
  body: body.nullable(),
});
export const outcome = z.discriminatedUnion('kind', [
  object({
    kind: z.literal('reply'),
    reply: object({ status: z.int(), headers, body: body.describe('after decompression') }),
  }),
  object({
    kind: z.literal('none'),
    reason: z.enum(NO_REPLY_REASONS),
    detail: text,
    head: object({ status: z.int(), headers }).exactOptional(),
  }),
]);
export const stamps = object({
  start: stamp,
  resolved: stampOrNone,
  connected: stampOrNone,
  secured: stampOrNone,
  sent: stampOrNone,
  firstByte: stampOrNone,
  end: stamp,
});

export const signature = z
  .enum(SIGNATURE_STATES)
  .describe('in a capsule, whose bytes are no longer those that were signed: what came of verifying them before');
