import { keySpellings } from './trace.ts';

const MASK = Buffer.from('***');

/** Masks a secret in UTF-8 bytes, in each form in which it can stand there. */
export function createMask(secret: string): (bytes: Buffer) => Buffer {
  const forms = spellingsOf(secret);
  return (bytes) => forms.reduce(replaceAll, bytes);
}

/**
 * Masks a secret in a stream of UTF-8 bytes, also where it lies across chunks: a service that echoes its request's
 * headers must not bring the key into an output. Only bytes that may be the start of the secret are held back.
 */
export async function* maskStream(chunks: AsyncIterable<Buffer>, secret: string): AsyncGenerator<Buffer> {
  const forms = spellingsOf(secret);
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = forms.reduce(replaceAll, held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    const open = Math.max(...forms.map((form) => startOf(form, bytes)));
    held = bytes.subarray(bytes.length - open);
    if (open < bytes.length) yield bytes.subarray(0, bytes.length - open);
  }
  if (held.length > 0) yield held;
}

function spellingsOf(secret: string): Buffer[] {
  return keySpellings(secret).map((spelling) => Buffer.from(spelling));
}

function replaceAll(bytes: Buffer, form: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, from)) {
    parts.push(bytes.subarray(from, at), MASK);
    from = at + form.length;
  }
  return from === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}

/** How many bytes at the end of `bytes` are the start of `form`, but not the whole of it. */
function startOf(form: Buffer, bytes: Buffer): number {
  for (let length = Math.min(form.length - 1, bytes.length); length > 0; length--) {
    if (form.compare(bytes, bytes.length - length, bytes.length, 0, length) === 0) return length;
  }
  return 0;
}
