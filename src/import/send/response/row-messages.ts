/** Upper bound on the message of one row, in characters (UTF-16 code units). */
const MAX_ROW_MESSAGE = 300;

const MEMBERS = String.raw`(?<![\w-])[$#]?[./]?(?:body[./])?members[./[](?=\d)`;

/** A path to a member, and to its field: `members.3.role`, `members[3]`, `/members/3/role`, `body.members.3.role`. */
const MEMBER_PATH = new RegExp(String.raw`${MEMBERS}(\d{1,7})(?!\w)\]?([./](?=[\w"'$]))?`, 'gi');

/** Matches the separators of sentences in a message: line breaks, semicolons, and a comma or period before a path to a member. */
const SENTENCE_BREAK = new RegExp(String.raw`\s*[;\r\n]+\s*|[,.]\s*(?=["']?${MEMBERS})`, 'i');

/**
 * Sorts the messages of a rejected request by the positions they name.
 *
 * @param messages as the service sent them: `members.3.role should not be empty`
 * @param size number of members in the request; a number beyond it is no position
 * @returns by position, ascending: what they say about that member, without its position (`role should not be
 *   empty`) and at most 300 characters long
 */
export function messagesByPosition(messages: readonly string[], size: number): Map<number, string> {
  const found = new Map<number, Set<string>>();
  for (const sentence of messages.flatMap(sentencesOf)) {
    for (const position of positionsIn(sentence, size)) {
      const texts = found.get(position) ?? new Set();
      // What is cut off in the end is not collected: one message can name hundreds of members.
      if (lengthOf(texts) <= MAX_ROW_MESSAGE) found.set(position, texts.add(withoutPosition(sentence, position)));
    }
  }
  const ascending = [...found].sort(([a], [b]) => a - b);
  return new Map(ascending.map(([position, texts]) => [position, shortenMessage([...texts].join('; '))]));
}

/** Shortens a message to at most 300 characters. */
export function shortenMessage(message: string): string {
  const text = message.trim();
  if (text.length <= MAX_ROW_MESSAGE) return text;
  // A surrogate pair is not cut in half.
  return `${text.slice(0, MAX_ROW_MESSAGE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function lengthOf(texts: ReadonlySet<string>): number {
  return [...texts].reduce((sum, { length }) => sum + length, 0);
}

/** The positions that a message names, each once. */
function positionsIn(message: string, size: number): number[] {
  const named = new Set(Array.from(message.matchAll(MEMBER_PATH), ([, position]) => Number(position)));
  return [...named].filter((position) => position < size);
}

/** Splits a message that names several members, unless that leaves a path without any text about it. */
function sentencesOf(message: string): string[] {
  if (positionsIn(message, Number.POSITIVE_INFINITY).length < 2) return [message];
  const sentences = message.split(SENTENCE_BREAK).filter((sentence) => sentence !== '');
  return sentences.every((sentence) => /\s/.test(sentence)) ? sentences : [message];
}

/** Keeps the field of the member, and removes all positions: they are not those of the list. */
function withoutPosition(sentence: string, position: number): string {
  const text = sentence.replaceAll(MEMBER_PATH, (_path, named: string, field: string | undefined) => {
    if (Number(named) !== position) return field ? "another entry's " : 'another entry';
    return field ? '' : 'entry';
  });
  return text.trim().replace(/^entry ?[:-] ?(?=\S)/, '');
}
