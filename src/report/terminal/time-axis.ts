/** A period of time, in milliseconds. All periods of one axis are measured by the same clock. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** Maps time to columns of a terminal. */
export interface TimeAxis {
  readonly width: number;
  /** Returns the column that shows a moment. The first column is 0. */
  column(at: number): number;
  /** The columns that stand for shortened waits. Such a column stands for a longer time than the other columns. */
  readonly cuts: readonly number[];
}

/** The width of a shortened wait, in columns. A wait is shortened if it is longer than all periods together. */
const CUT_COLUMNS = 3;

/**
 * Creates an axis on which the widths of periods are in proportion to their lengths. A wait between two periods is shortened if
 * it is longer than all periods together.
 *
 * @param periods the periods to show, at least one
 */
export function timeAxis(periods: readonly Period[], width: number): TimeAxis {
  const busy = merged(periods);
  const busyMs = busy.reduce((sum, { from, to }) => sum + (to - from), 0);
  const pieces = busy.flatMap((period, at): (Period & { readonly isCut: boolean })[] => {
    const next = busy[at + 1];
    const wait = next ? { from: period.to, to: next.from } : undefined;
    return [
      { ...period, isCut: false },
      ...(wait ? [{ ...wait, isCut: wait.to - wait.from > Math.max(busyMs, 1) }] : []),
    ];
  });
  const cutColumns = pieces.filter(({ isCut }) => isCut).length * CUT_COLUMNS;
  const shown = pieces.reduce((sum, { from, to, isCut }) => (isCut ? sum : sum + (to - from)), 0);
  const scale = shown > 0 ? Math.max(width - cutColumns, 1) / shown : 0;

  let column = 0;
  const placed = pieces.map((piece) => {
    const start = column;
    column += piece.isCut ? CUT_COLUMNS : (piece.to - piece.from) * scale;
    return { ...piece, start, end: column };
  });
  return {
    width,
    column: (at) => {
      const piece = placed.find(({ to }) => at <= to) ?? placed.at(-1);
      if (!piece) return 0;
      const length = piece.to - piece.from;
      const share = length === 0 ? 0 : Math.min(Math.max((at - piece.from) / length, 0), 1);
      return Math.min(Math.floor(piece.start + share * (piece.end - piece.start)), width - 1);
    },
    cuts: placed.filter(({ isCut }) => isCut).map(({ start }) => Math.min(Math.floor(start) + 1, width - 1)),
  };
}

/** Sorts periods and joins those that touch or overlap. */
function merged(periods: readonly Period[]): readonly Period[] {
  const result: Period[] = [];
  for (const period of periods.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && period.from <= last.to)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, period.to) };
    else result.push(period);
  }
  return result;
}
