import { emptyListError } from './empty-list.ts';
import { JsonValidator } from './json-validator.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { NdjsonLines } from './ndjson-lines.ts';
import { inChunks } from './row-limits.ts';
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
