/** A stream that may be a terminal. */
export interface SizedStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Columns of a terminal that reports none, such as the pseudo-terminal of a CI job. */
const DEFAULT_COLUMNS = 80;

/** Returns the columns of a terminal, 1 or more; undefined for a stream that is not a terminal. */
export function terminalColumns(stream: SizedStream): number | undefined {
  return stream.isTTY ? stream.columns || DEFAULT_COLUMNS : undefined;
}

/** Makes a terminal report at least 1 column, also after a resize: for a package that divides by them. */
export function repairColumns(stream: SizedStream): void {
  let reported = stream.columns;
  Object.defineProperty(stream, 'columns', {
    configurable: true,
    enumerable: true,
    get: () => reported || DEFAULT_COLUMNS,
    // Node assigns the new size when the terminal is resized.
    set: (columns: number | undefined) => {
      reported = columns;
    },
  });
}
