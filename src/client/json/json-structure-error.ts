/** JSON that is not built as it should be. `message` tells what was found and what was expected, without the place. */
export class JsonStructureError extends Error {
  /** The physical line, 1-based. */
  readonly line: number;
  /** The byte, counted from 0 at the start of the text. */
  readonly offset: number;

  constructor(message: string, line: number, offset: number) {
    super(message);
    this.name = 'JsonStructureError';
    this.line = line;
    this.offset = offset;
  }
}
