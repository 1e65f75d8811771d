import { Writable } from 'node:stream';

/** A stream that stores its text; as a terminal it also has the cursor movements that a spinner needs. */
export class MemoryStream extends Writable {
  text = '';
  writes = 0;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.text += chunk.toString();
    this.writes++;
    done();
  }
}

export class MemoryTerminal extends MemoryStream {
  readonly isTTY = true;
  columns: number;

  constructor(columns = 80) {
    super();
    this.columns = columns;
  }

  cursorTo(x: number): boolean {
    return this.write(`\u001b[${x + 1}G`);
  }

  moveCursor(_dx: number, dy: number): boolean {
    return this.write(`\u001b[${-dy}A`);
  }

  clearLine(): boolean {
    return this.write('\u001b[K');
  }
}

/** Returns the lines of the screen after `text`: enough of a terminal for a spinner's line and what is written above it. */
export function screen(text: string): string[] {
  const lines = [''];
  let column = 0;
  for (const [token] of text.matchAll(/\u001b\[\??(\d*)[A-Za-z]|[\s\S]/g)) {
    const line = lines.at(-1) ?? '';
    if (token === '\n') {
      lines.push('');
      column = 0;
    } else if (token === '\r') column = 0;
    else if (token.endsWith('G')) column = Number.parseInt(token.slice(2), 10) - 1;
    else if (token.endsWith('K')) lines[lines.length - 1] = line.slice(0, column);
    else if (!token.startsWith('\u001b')) {
      lines[lines.length - 1] = line.slice(0, column).padEnd(column) + token + line.slice(column + 1);
      column++;
    }
  }
  return lines;
}
