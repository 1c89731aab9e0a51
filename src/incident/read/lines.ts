/** Longer lines are no lines of a log: they are skipped, so that memory stays bounded whatever the file is. */
const LONGEST_LINE = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** One line without its end. null: it was too long to be kept. */
export interface Line {
  readonly number: number;
  readonly text: string | null;
  /** False for what stands after the last line end: a torn line. */
  readonly ended: boolean;
}

/** The lines of a stream, one at a time. Each is a text of its own, so that keeping a piece of one keeps no more than it. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, longest = LONGEST_LINE): AsyncGenerator<Line> {
  let number = 0;
  let kept: Uint8Array[] = [];
  let length = 0;
  const take = (piece: Uint8Array): void => {
    length += piece.length;
    if (length <= longest) kept.push(piece);
    else kept = [];
  };
  const finish = (ended: boolean): Line => {
    number += 1;
    const bytes = kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
    const text = length > longest ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    kept = [];
    length = 0;
    return { number, text: text === null || number > 1 ? text : text.replace(/^\uFEFF/, ''), ended };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      from = at + 1;
      yield finish(true);
    }
    if (from < chunk.length) take(Buffer.from(chunk.subarray(from)));
  }
  if (length > 0) yield finish(false);
}
