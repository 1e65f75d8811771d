import { textOf } from './body.ts';
import { isObject, type Member } from './bulk-rows.ts';
import { parseJson } from './json.ts';
import { learnMember, type MemberPattern } from './member-pattern.ts';

/** The created members of an answer, each with its identifiers alone, and what else the answer holds. */
export interface CreatedRows {
  rows: Member[];
  /** The answer with an empty array in their place. */
  rest: Readonly<Record<string, unknown>>;
}

const KEY = '"created"';
const OPENING = /[ \t\n\r]*:[ \t\n\r]*\[[ \t\n\r]*/y;
/** What read the last member: nearly always it reads those of the next answer too. */
let familiar: MemberPattern | undefined;
/** Members of so many shapes are not worth it. */
const MOST_SHAPES = 16;

/**
 * Reads the created members out of the JSON text of a bulk answer (interface 4.2), in two fifths of the time it takes to
 * make objects of all they hold: nearly all have the shape of the one before, and are checked as strictly as `JSON.parse`
 * does by one pattern. Gives undefined for whatever is unusual, and has to be read the long way: text that is no JSON,
 * no `created` or two of them, a member without a plain text as `userId`, escapes in keys, identifiers that
 * are not of ASCII.
 */
export function readCreatedRows(bytes: Buffer): CreatedRows | undefined {
  // A character for each byte: what is cut out of it lies in the bytes at the same place.
  const text = bytes.toString('latin1');
  const key = text.indexOf(KEY);
  OPENING.lastIndex = key + KEY.length;
  if (key < 0 || !OPENING.test(text)) return undefined;
  const start = OPENING.lastIndex;
  const found = readMembers(text, start);
  if (found === undefined) return undefined;
  const around = textOf(Buffer.concat([bytes.subarray(0, start), bytes.subarray(found.end)]));
  // Another key may mean the same, and what is inside something else is not what is looked for.
  if (around.indexOf(KEY) !== around.lastIndexOf(KEY) || around.includes('\\u00')) return undefined;
  const rest = parsed(around);
  if (!isObject(rest) || !Array.isArray(rest.created) || rest.created.length > 0) return undefined;
  return { rows: found.rows, rest };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The members of the array whose first one begins at `start`; `end` is the offset of the bracket that closes it. */
function readMembers(text: string, start: number): { rows: Member[]; end: number } | undefined {
  const rows: Member[] = [];
  let shapes = 0;
  for (let at = start; ; ) {
    let member = familiar?.read(text, at);
    if (member === undefined) {
      if (++shapes > MOST_SHAPES) return undefined;
      familiar = learnMember(text, at);
      member = familiar?.read(text, at);
      if (member === undefined) return undefined;
    }
    rows.push(member.row);
    if (member.isLast) return { rows, end: member.end - 1 };
    at = member.end;
  }
}
