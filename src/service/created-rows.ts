import { afterComma, afterSpace, markEnd, memberValue, plainTextEnd, valueEnd } from '../json/value-end.ts';
import type { Member } from './bulk-rows.ts';

/** The created members of an answer, each with its identifiers alone, and the answer without them. */
export interface CreatedRows {
  rows: Member[];
  /** The JSON text with an empty array in their place. */
  rest: Buffer;
}

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const CREATED = Buffer.from('"created"');
const USER_ID = Buffer.from('"userId"');
const ORGANIZATION_ID = Buffer.from('"organizationId"');
/** The length of a text with nothing in it. */
const EMPTY = 2;

/**
 * Reads the created members out of the JSON text of a bulk answer (interface 4.2), in a third of the time it takes to
 * make objects of all they hold. All of it is checked as strictly as `JSON.parse` does. Gives undefined for whatever is
 * unusual, and has to be read the long way: text that is no JSON, no `created` or two of them, a member without a plain
 * text as `userId`, escapes in keys and identifiers.
 */
export function readCreatedRows(bytes: Buffer): CreatedRows | undefined {
  let at = afterSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  at = afterSpace(bytes, at + 1);
  let rows: Rows | undefined;
  for (;;) {
    const keyEnd = plainTextEnd(bytes, at);
    const value = keyEnd < 0 ? -1 : memberValue(bytes, keyEnd);
    if (value < 0) return undefined;
    let end: number;
    if (isText(bytes, at, keyEnd, CREATED)) {
      if (rows !== undefined || bytes[value] !== OPEN_ARRAY) return undefined;
      rows = new Rows(bytes, value + 1);
      end = rows.end;
    } else end = valueEnd(bytes, value);
    if (end < 0) return undefined;
    at = afterComma(bytes, end);
    if (at >= 0) continue;
    const close = markEnd(bytes, end, CLOSE_OBJECT);
    if (close < 0 || (close < bytes.length && afterSpace(bytes, close) < bytes.length) || rows === undefined)
      return undefined;
    const rest = Buffer.concat([bytes.subarray(0, rows.start), bytes.subarray(rows.end - 1)]);
    return { rows: rows.members, rest };
  }
}

/** The members of an array. */
class Rows {
  readonly members: Member[] = [];
  /** The offset after the array's opening bracket. */
  readonly start: number;
  /** The offset after the array; -1 where it cannot be read. */
  readonly end: number;
  readonly #bytes: Buffer;
  #organization: { id: string; text: Uint8Array } = { id: '', text: new Uint8Array() };

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.start = start;
    this.end = this.#read();
  }

  #read(): number {
    const bytes = this.#bytes;
    let next = afterSpace(bytes, this.start);
    for (;;) {
      const end = bytes[next] === OPEN_OBJECT ? this.#readMember(next) : -1;
      if (end < 0) return -1;
      next = afterComma(bytes, end);
      if (next < 0) return markEnd(bytes, end, CLOSE_ARRAY);
    }
  }

  /** Reads the member that begins at `at`. Gives the offset after it, or -1. */
  #readMember(at: number): number {
    const bytes = this.#bytes;
    let userId: string | undefined;
    let organizationId: string | undefined;
    let next = afterSpace(bytes, at + 1);
    for (;;) {
      const keyEnd = plainTextEnd(bytes, next);
      const value = keyEnd < 0 ? -1 : memberValue(bytes, keyEnd);
      const isUser = isText(bytes, next, keyEnd, USER_ID);
      const isOrganization = !isUser && isText(bytes, next, keyEnd, ORGANIZATION_ID);
      const isIdentifier = isUser || isOrganization;
      const end = value < 0 ? -1 : isIdentifier ? plainTextEnd(bytes, value) : valueEnd(bytes, value);
      if (end < 0 || (isIdentifier && end - value === EMPTY)) return -1;
      if (isUser) userId = bytes.toString('utf8', value + 1, end - 1);
      else if (isOrganization) organizationId = this.#organizationAt(value, end);
      next = afterComma(bytes, end);
      if (next >= 0) continue;
      if (userId === undefined) return -1;
      this.members.push({ userId, organizationId });
      return markEnd(bytes, end, CLOSE_OBJECT);
    }
  }

  /** Nearly always it is that of the member before. */
  #organizationAt(start: number, end: number): string {
    const bytes = this.#bytes;
    if (!isText(bytes, start, end, this.#organization.text))
      this.#organization = { id: bytes.toString('utf8', start + 1, end - 1), text: bytes.subarray(start, end) };
    return this.#organization.id;
  }
}

/** Whether `text` is what stands in [start, end). */
function isText(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false;
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text[at]) return false;
  return true;
}
