/** Upper bound on the message of one row, in characters (UTF-16 code units). */
const MAX_ROW_MESSAGE = 300;

const ENTRIES = String.raw`(?<![\w-])[$#]?[./]?(?:body[./])?members[./[](?=\d)`;

/** A path to an entry, and to its field: `members.3.role`, `members[3]`, `/members/3/role`, `body.members.3.role`. */
const ENTRY_PATH = new RegExp(String.raw`${ENTRIES}(\d{1,7})(?!\w)\]?([./](?=[\w"'$]))?`, 'gi');

/** Matches the separators of sentences in a message: line breaks, semicolons, and a comma or period before a path to an entry. */
const SENTENCE_BREAK = new RegExp(String.raw`\s*[;\r\n]+\s*|[,.]\s*(?=["']?${ENTRIES})`, 'i');

/**
 * Sorts the messages of a rejected request by the entries they name.
 *
 * @param messages as the service sent them: `members.3.role should not be empty`
 * @param size number of entries in the request; a number beyond it names no entry
 * @returns by the number in the messages, ascending: what they say about that entry, without its number (`role should not be
 *   empty`) and at most 300 characters long
 */
export function messagesByEntry(messages: readonly string[], size: number): Map<number, string> {
  const found = new Map<number, Set<string>>();
  for (const sentence of messages.flatMap(sentencesOf)) {
    for (const entry of entriesNamedIn(sentence, size)) {
      const texts = found.get(entry) ?? new Set();
      // What is cut off in the end is not collected: one message can name hundreds of entries.
      if (lengthOf(texts) <= MAX_ROW_MESSAGE) found.set(entry, texts.add(withoutNumber(sentence, entry)));
    }
  }
  const ascending = [...found].sort(([a], [b]) => a - b);
  return new Map(ascending.map(([entry, texts]) => [entry, shortenMessage([...texts].join('; '))]));
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

/** The entries that a message names, each once. */
function entriesNamedIn(message: string, size: number): number[] {
  const named = new Set(Array.from(message.matchAll(ENTRY_PATH), ([, number]) => Number(number)));
  return [...named].filter((entry) => entry < size);
}

/** Splits a message that names several entries, unless that leaves a path without any text about it. */
function sentencesOf(message: string): string[] {
  if (entriesNamedIn(message, Number.POSITIVE_INFINITY).length < 2) return [message];
  const sentences = message.split(SENTENCE_BREAK).filter((sentence) => sentence !== '');
  return sentences.every((sentence) => /\s/.test(sentence)) ? sentences : [message];
}

/** Keeps the field of the entry, and removes the numbers of all entries: they are not those of the list. */
function withoutNumber(sentence: string, entry: number): string {
  const text = sentence.replaceAll(ENTRY_PATH, (_path, number: string, field: string | undefined) => {
    if (Number(number) !== entry) return field ? "another entry's " : 'another entry';
    return field ? '' : 'entry';
  });
  return text.trim().replace(/^entry ?[:-] ?(?=\S)/, '');
}
