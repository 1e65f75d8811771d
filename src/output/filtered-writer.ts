import type { OrgadmError } from '../util/errors.ts';
import type { JqFilter } from './jq.ts';

/** Lines of ndjson are filtered in batches, because starting jq is slow. */
const BATCH_CHARACTERS = 64 * 1024;

export interface FilteredOutput {
  /** Whether each line is a document; otherwise the text is one document. */
  lines: boolean;
  terminal: boolean;
  write(text: string): Promise<void>;
  /** Writes messages of the filter. */
  writeMessage(text: string): void;
}

/**
 * Filters the JSON that is written to standard output under --jq. A failure is thrown by `flush`, so that it does not
 * interrupt a command.
 */
export class FilteredWriter {
  readonly #filter: JqFilter;
  readonly #target: FilteredOutput;
  #parts: string[] = [];
  #size = 0;
  #scheduled = false;
  #failure: OrgadmError | undefined;

  constructor(filter: JqFilter, target: FilteredOutput) {
    this.#filter = filter;
    this.#target = target;
  }

  /** Adds a part of the document, or lines. */
  async add(text: string): Promise<void> {
    this.#parts.push(text);
    this.#size += text.length;
    if (!this.#target.lines) return;
    if (this.#size >= BATCH_CHARACTERS) await this.#run();
    else this.#schedule();
  }

  /** Filters the rest. Throws the first failure. */
  async flush(): Promise<void> {
    await this.#run();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  async #run(): Promise<void> {
    const json = this.#parts.join('');
    this.#parts = [];
    this.#size = 0;
    if (json.trim() === '') return;
    const { text, messages, failure } = this.#filter(json, {
      compact: this.#target.lines,
      terminal: this.#target.terminal,
    });
    this.#failure ??= failure;
    if (messages !== '') this.#target.writeMessage(messages);
    await this.#target.write(text);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      // A failed write is reported when the output is flushed.
      this.#run().catch(() => {});
    });
  }
}
