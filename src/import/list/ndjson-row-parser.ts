import { emptyList } from './empty-list.ts';
import { JsonChecker } from './json-validator.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { NdjsonLines } from './ndjson-lines.ts';
import { inChunks } from './row-limits.ts';
import type { ListReading, ReadingPlan } from './row-parser.ts';

/** Reads a list of one JSON object a line. */
export class NdjsonReading implements ListReading {
  readonly #bom: boolean;
  readonly #options: ListOptions;
  readonly #lines = new NdjsonLines();
  readonly #checker: JsonChecker;
  #entries = 0;

  constructor({ options, defaults, form }: ReadingPlan) {
    this.#bom = form.bomBytes > 0;
    this.#options = options;
    this.#checker = new JsonChecker(options, defaults);
  }

  *push(text: Buffer): Generator<ListRow[]> {
    for (const lines of inChunks(this.#lines.push(text))) {
      yield lines.map((line) => this.#checker.check(line.text, line.line, ++this.#entries));
    }
  }

  *end(): Generator<ListRow[]> {
    yield this.#lines.end().map((line) => this.#checker.check(line.text, line.line, ++this.#entries));
    if (this.#entries === 0) throw emptyList();
  }

  layout(): ListLayout {
    return { format: 'ndjson', bom: this.#bom, options: this.#options };
  }
}
