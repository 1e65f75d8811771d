import { hashText } from './printed-strings.ts';

interface Member {
  readonly name: string;
  /** As it stands before the value. */
  readonly key: Buffer;
  readonly hash: number;
  start: number;
  end: number;
  /** What stood there last. */
  text: string;
}

/**
 * Reads the members of certain names from objects of which only the bytes are at hand. A value that stands as it stood
 * in the object before is not parsed again.
 */
export class Excerpts {
  readonly #members: Member[];
  #open: Member | undefined;
  #excerpt: Readonly<Record<string, unknown>> = {};

  /** @param seed where the hashes of the keys begin */
  constructor(names: readonly string[], seed: number) {
    this.#members = names.map((name) => ({
      name,
      key: Buffer.from(`"${name}":`),
      hash: hashText(name, seed),
      start: 0,
      end: 0,
      text: '',
    }));
  }

  /** Begins another object. */
  clear(): void {
    this.#open = undefined;
    for (const member of this.#members) member.start = member.end = 0;
  }

  /** A member begins: the hash of its key, and where its value stands after the key. */
  begin(hash: number, bytes: Buffer, start: number): void {
    this.#open = undefined;
    for (const member of this.#members) {
      if (member.hash !== hash || !standsBefore(start, bytes, member.key)) continue;
      this.#open = member;
      member.start = start;
    }
  }

  /** The value of that member ends. */
  end(end: number): void {
    if (this.#open !== undefined) this.#open.end = end;
  }

  /** Those of the members that the object has. What it gives stays as it is when others are read. */
  read(bytes: Buffer): Readonly<Record<string, unknown>> {
    let same = true;
    for (const member of this.#members) {
      // Each byte is one character, so that bytes that differ are texts that differ.
      const text = bytes.toString('latin1', member.start, member.end);
      if (text !== member.text) same = false;
      member.text = text;
    }
    if (!same) {
      const found = this.#members.filter(({ text }) => text !== '');
      this.#excerpt = Object.fromEntries(
        found.map(({ name, start, end }) => [name, JSON.parse(bytes.toString('utf8', start, end))]),
      );
    }
    return this.#excerpt;
  }
}

/** Whether `word` are the bytes right before `end`. A loop, for what Buffer brings takes longer to call than a key takes to compare. */
function standsBefore(end: number, bytes: Buffer, word: Buffer): boolean {
  const start = end - word.length;
  for (let at = 0; at < word.length; at++) if (bytes[start + at] !== word[at]) return false;
  return true;
}
