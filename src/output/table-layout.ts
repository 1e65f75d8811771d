/** What a column wants and how little it can live with, in terminal columns. */
export interface ColumnConstraint {
  /** Width of its widest cell or header. */
  natural: number;
  min: number;
  /** Its share of what is left when not all fits: a column of weight 2 keeps twice the width of one of weight 1. */
  weight: number;
}

/**
 * Shares `available` terminal columns out. Whoever is widest for its weight gives way first, none below its minimum.
 * `undefined` when even the minimums do not fit.
 */
export function fitColumnWidths(constraints: readonly ColumnConstraint[], available: number): number[] | undefined {
  const columns = constraints.map((demand) => {
    const min = Math.min(demand.natural, demand.min);
    return { width: Math.max(min, Math.min(demand.natural, available)), min, weight: demand.weight };
  });
  let excess = columns.reduce((sum, column) => sum + column.width, 0) - available;
  for (; excess > 0; excess--) {
    let widest: (typeof columns)[number] | undefined;
    for (const column of columns) {
      if (column.width <= column.min) continue;
      if (widest === undefined || column.width / column.weight >= widest.width / widest.weight) widest = column;
    }
    if (widest === undefined) return undefined;
    widest.width--;
  }
  return columns.map((column) => column.width);
}
