import type { OrgadmError } from '../util/errors.ts';
import type { JqFilter } from './jq.ts';

/** Lines of ndjson are filtered together, so that jq starts once for many of them. */
const BATCH_CHARACTERS = 64 * 1024;

export interface FilteredOutput {
  /** Each line is a document of its own; otherwise all of the text is one. */
  lines: boolean;
  terminal: boolean;
  write(text: string): Promise<void>;
  /** What the filter says. */
  writeMessage(text: string): void;
}

/**
 * Stands before standard output under --jq: gathers JSON as it is written, and lets the filter's results through. What
 * fails is kept for `flush`: no command is to end halfway because of its filter.
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

  /** Takes a piece of the document, or whole lines. */
  async add(text: string): Promise<void> {
    this.#parts.push(text);
    this.#size += text.length;
    if (!this.#target.lines) return;
    if (this.#size >= BATCH_CHARACTERS) await this.#run();
    else this.#schedule();
  }

  /** Filters what is left. Throws the first failure. */
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
      // What cannot be written is told when the output is flushed.
      this.#run().catch(() => {});
    });
  }
}
