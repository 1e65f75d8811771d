/** What to look for, and how much of it to hold. */
export interface ArrayStreamOptions {
  /**
   * The key whose array holds the elements when the top is an object. Without it, that is the array under a usual name
   * (`data`, `items`, …), also within a wrapper of a usual name, or else the first array that holds objects.
   */
  key?: string;
  /** An element of more bytes than this is refused. */
  maxElementBytes: number;
  /** An element nested deeper than this is refused; `{}` is 1 deep. */
  maxDepth: number;
  /**
   * Tells the offset after an element that begins at `from`, or -1 where it does not know. It may be right about elements
   * without line ends only that are not too deep; what it knows is not gone through again.
   */
  fastPath?: (bytes: Buffer, from: number) => number;
}

/** Takes an element, whose text lies in `bytes` as long as the call lasts. `skimmed`: its end was told by `skim`. */
export type OnElement = (bytes: Buffer, start: number, end: number, line: number, skimmed: boolean) => void;
