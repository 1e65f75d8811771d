import { isUtf8 } from 'node:buffer';

/** The length of `bytes` without a character that is cut off at the end. Bytes that are wrong anyway are left in. */
export function completeLength(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? end - back : end;
  }
  return end;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return lead < 0xf8 ? 4 : 1;
  return lead >= 0xe0 ? 3 : 2;
}

/** The offset at which the first wrong sequence starts in `bytes`, which are known not to be UTF-8. */
export function firstInvalid(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    const prefix = bytes.subarray(0, middle);
    if (isUtf8(prefix.subarray(0, completeLength(prefix)))) good = middle;
    else bad = middle;
  }
  return completeLength(bytes.subarray(0, good));
}
