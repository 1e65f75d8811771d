import { type ArrayElement, JsonArrayStream } from '../../client/json/json-array-stream.ts';
import { JsonStructureError } from '../../client/json/json-structure-error.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { emptyListError } from './empty-list.ts';
import { JsonValidator } from './json-validator.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { quoteAll } from './quote.ts';
import { inChunks, MAX_ROW_BYTES } from './row-limits.ts';
import type { ParserOptions, RowParser } from './row-parser.ts';

const MAX_DEPTH = 64;
const HINT = 'The list was read as JSON. For one object a line pass --format ndjson.';

/** Reads a list that is a JSON array of entries, or the request body of interface 4.2 with `members`. */
export class JsonRowParser implements RowParser {
  readonly #bom: boolean;
  readonly #options: ListOptions;
  readonly #elements = new JsonArrayStream({ key: 'members', maxElementBytes: MAX_ROW_BYTES, maxDepth: MAX_DEPTH });
  readonly #validator: JsonValidator;
  #entries = 0;

  constructor({ options, defaults, encoding }: ParserOptions) {
    this.#bom = encoding.bomBytes > 0;
    this.#options = options;
    this.#validator = new JsonValidator(options, defaults);
  }

  *push(text: Buffer): Generator<ListRow[]> {
    for (const elements of inChunks(this.#split(text))) {
      yield elements.map((element) => this.#validator.validate(element.text, element.line, ++this.#entries));
    }
  }

  // biome-ignore lint/correctness/useYield: the last element is complete before the list ends
  *end(): Generator<ListRow[]> {
    const { envelope } = this.#elements;
    if (envelope.top === undefined) throw emptyListError();
    try {
      this.#elements.end();
    } catch (error) {
      throw asUsageError(error);
    }
    if (envelope.top === 'array') return;
    if (envelope.arrayKey === undefined) {
      throw new UsageError(
        'the JSON object has no "members"',
        'Write an array of entries, or {"members": [...]}. For one object a line pass --format ndjson.',
        'bad-list',
      );
    }
    if (envelope.keys.length > 0) {
      throw new UsageError(
        `beside "members" stands ${quoteAll(envelope.keys)}`,
        'A request body holds "members" and nothing else. Remove the other keys.',
        'bad-list',
      );
    }
  }

  layout(): ListLayout {
    return { format: 'json', bom: this.#bom, options: this.#options };
  }

  #split(text: Buffer): ArrayElement[] {
    try {
      return this.#elements.push(text);
    } catch (error) {
      throw asUsageError(error);
    }
  }
}

function asUsageError(error: unknown): unknown {
  if (!(error instanceof JsonStructureError)) return error;
  return new UsageError(`line ${error.line}: ${cleanLine(error.message)}`, HINT, 'bad-list');
}
