/** A stretch of time, in ms of one clock. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Time as columns of a terminal. */
export interface TimeAxis {
  readonly width: number;
  /** The column that a moment falls into, from 0. */
  column(at: number): number;
  /** Columns in which a wait is shown shorter than it was. */
  readonly cuts: readonly number[];
}

/** A wait is cut down to this when it takes more of the axis than everything that happened. */
const CUT = 3;

/**
 * Lays stretches of time out over some columns, in proportion; a wait between them that would leave no room for what happened is cut
 * short.
 *
 * @param stretches what is to be shown, at least one
 */
export function timeAxis(stretches: readonly Stretch[], width: number): TimeAxis {
  const busy = merged(stretches);
  const happened = busy.reduce((sum, { from, to }) => sum + (to - from), 0);
  const pieces = busy.flatMap((stretch, at): (Stretch & { readonly isCut: boolean })[] => {
    const next = busy[at + 1];
    const wait = next ? { from: stretch.to, to: next.from } : undefined;
    return [
      { ...stretch, isCut: false },
      ...(wait ? [{ ...wait, isCut: wait.to - wait.from > Math.max(happened, 1) }] : []),
    ];
  });
  const cutColumns = pieces.filter(({ isCut }) => isCut).length * CUT;
  const shown = pieces.reduce((sum, { from, to, isCut }) => (isCut ? sum : sum + (to - from)), 0);
  const scale = shown > 0 ? Math.max(width - cutColumns, 1) / shown : 0;

  let column = 0;
  const laid = pieces.map((piece) => {
    const start = column;
    column += piece.isCut ? CUT : (piece.to - piece.from) * scale;
    return { ...piece, start, end: column };
  });
  return {
    width,
    column: (at) => {
      const piece = laid.find(({ to }) => at <= to) ?? laid.at(-1);
      if (!piece) return 0;
      const length = piece.to - piece.from;
      const share = length === 0 ? 0 : Math.min(Math.max((at - piece.from) / length, 0), 1);
      return Math.min(Math.floor(piece.start + share * (piece.end - piece.start)), width - 1);
    },
    cuts: laid.filter(({ isCut }) => isCut).map(({ start }) => Math.min(Math.floor(start) + 1, width - 1)),
  };
}

/** Stretches that touch or overlap as one, in order. */
function merged(stretches: readonly Stretch[]): readonly Stretch[] {
  const result: Stretch[] = [];
  for (const stretch of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && stretch.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, stretch.to) };
    else result.push(stretch);
  }
  return result;
}
