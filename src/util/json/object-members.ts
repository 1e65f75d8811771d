import { jsonMarks } from './json-marks.ts';

/** A member of an object in JSON text. */
export interface MemberText {
  readonly key: string;
  /** Its key and its value as they are in the text, with the spaces around them. */
  readonly text: string;
}

/**
 * Splits an object in JSON text into its members, each as it is in the text: `JSON.parse` changes numbers, and drops a key that
 * occurs twice.
 *
 * @param json an object that `JSON.parse` accepts
 */
export function objectMembers(json: string): MemberText[] {
  const members: MemberText[] = [];
  let depth = 0;
  let start = 0;
  let key: string | undefined;
  const endMember = (end: number) => {
    if (key !== undefined) members.push({ key, text: json.slice(start, end) });
    key = undefined;
    start = end + 1;
  };
  for (const { mark, index } of jsonMarks(json)) {
    if (mark === '{' || mark === '[') {
      if (depth++ === 0) start = index + 1;
    } else if (mark === '}' || mark === ']') {
      if (--depth === 0) endMember(index);
    } else if (depth === 1 && mark === ',') endMember(index);
    else if (depth === 1 && mark === ':') key = String(JSON.parse(json.slice(start, index)));
  }
  return members;
}
