import { Writable } from 'node:stream';

/** A stream that stores its text. */
export class MemoryStream extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.text += chunk.toString();
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
}
