import { UsageError } from '../../util/errors.ts';
import { JsonValidator } from './json-row-parser.ts';
import type { ListLayout, ListOptions } from './list-options.ts';
import { emptyListError, inChunks, type ListRow, MAX_ROW_BYTES } from './list-row.ts';
import type { ParserOptions, RowParser } from './row-parser.ts';

/** Reads a list of one JSON object a line. */
export class NdjsonRowParser implements RowParser {
  readonly #bom: boolean;
  readonly #options: ListOptions;
  readonly #lines = new NdjsonLines();
  readonly #validator: JsonValidator;
  #entries = 0;

  constructor({ options, defaults, encoding }: ParserOptions) {
    this.#bom = encoding.bomBytes > 0;
    this.#options = options;
    this.#validator = new JsonValidator(options, defaults);
  }

  *push(text: Buffer): Generator<ListRow[]> {
    for (const lines of inChunks(this.#lines.push(text))) {
      yield lines.map((line) => this.#validator.validate(line.text, line.line, ++this.#entries));
    }
  }

  *end(): Generator<ListRow[]> {
    yield this.#lines.end().map((line) => this.#validator.validate(line.text, line.line, ++this.#entries));
    if (this.#entries === 0) throw emptyListError();
  }

  layout(): ListLayout {
    return { format: 'ndjson', bom: this.#bom, options: this.#options };
  }
}

/** A line of the list, with its number from 1. */
interface TextLine {
  text: string;
  line: number;
}

const LF = 10;
const CR = 13;

/** Cuts NDJSON into its lines (CR, LF and CRLF each end one); blank ones are counted and dropped. */
export class NdjsonLines {
  #rest: Buffer = Buffer.alloc(0);
  #line = 1;

  /** The lines that `bytes` completes. Throws `UsageError` for a line that is longer than a row may be. */
  push(bytes: Buffer): TextLine[] {
    return this.#read(this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]), false);
  }

  /** The last line, when nothing ends it. */
  end(): TextLine[] {
    return this.#read(this.#rest, true);
  }

  #read(bytes: Buffer, atEnd: boolean): TextLine[] {
    const lines: TextLine[] = [];
    const { length } = bytes;
    let start = 0;
    for (let at = 0; at < length; at++) {
      const byte = bytes[at];
      if (byte !== LF && byte !== CR) continue;
      // Whether this is half of a CRLF, the next piece tells.
      if (byte === CR && at + 1 === length && !atEnd) break;
      this.#bound(at - start);
      this.#add(lines, bytes.toString('utf8', start, at));
      if (byte === CR && bytes[at + 1] === LF) at++;
      start = at + 1;
    }
    if (atEnd) {
      this.#add(lines, bytes.toString('utf8', start));
      start = length;
    }
    this.#rest = Buffer.from(bytes.subarray(start));
    this.#bound(this.#rest.length);
    return lines;
  }

  #bound(length: number): void {
    if (length <= MAX_ROW_BYTES) return;
    throw new UsageError(`line ${this.#line} is longer than 1 MiB`, 'NDJSON holds one member a line.', 'bad-list');
  }

  #add(lines: TextLine[], text: string): void {
    if (text.trim() !== '') lines.push({ text, line: this.#line });
    this.#line++;
  }
}
