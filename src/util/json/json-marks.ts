/** Matches what delimits strings, members, and elements in JSON text, and escapes. A pattern of entire strings would fail for very long ones. */
const MARK = /\\.|["{}[\]:,]/gs;

/** A character that delimits members or elements, and its place in the text. */
export interface JsonMark {
  readonly mark: '{' | '}' | '[' | ']' | ':' | ',';
  readonly index: number;
}

/** Yields the characters that delimit members and elements in JSON text, which are outside its strings. */
export function* jsonMarks(json: string): Generator<JsonMark, void> {
  let isInString = false;
  for (const { 0: mark, index } of json.matchAll(MARK)) {
    if (mark === '"') isInString = !isInString;
    else if (!isInString) yield { mark: mark as JsonMark['mark'], index };
  }
}
