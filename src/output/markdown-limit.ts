import { formatCount } from '../util/units.ts';

/** Job summaries of GitHub and comments of GitLab end at 1 MiB: a longer one is not shown at all. */
const MAX_BYTES = 900_000;

/** Ends Markdown after 900 KB, at a line end, and counts the lines that do not fit. */
export class MarkdownLimit {
  #leftBytes = MAX_BYTES;
  #droppedLines = 0;

  /** Returns the lines that fit. */
  take(lines: string): string {
    const bytes = Buffer.byteLength(lines);
    if (this.#droppedLines === 0 && bytes <= this.#leftBytes) {
      this.#leftBytes -= bytes;
      return lines;
    }
    const all = lines.split(/(?<=\n)/);
    const fitting = this.#droppedLines > 0 ? 0 : all.findIndex((line) => !this.#fits(line));
    this.#droppedLines += all.slice(fitting).filter((line) => line.trim() !== '').length;
    return all.slice(0, fitting).join('');
  }

  #fits(line: string): boolean {
    this.#leftBytes -= Buffer.byteLength(line);
    return this.#leftBytes >= 0;
  }

  /** Returns the last line, which counts the others; '' if all lines fit. Returns it once. */
  end(): string {
    const dropped = this.#droppedLines;
    this.#droppedLines = 0;
    if (dropped === 0) return '';
    const lines = dropped === 1 ? '1 more line' : `${formatCount(dropped)} more lines`;
    return `\n${lines}: Markdown output ends at 900 KB. For all of them, use -o csv.\n`;
  }
}
