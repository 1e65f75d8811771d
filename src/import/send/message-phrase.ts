/**
 * Returns whether a message matches a phrase of the settings, ignoring case. A phrase may be anywhere in the message. One
 * with `*`, which stands for any text, has to match the whole message.
 */
export function matchesPhrase(message: string, phrase: string): boolean {
  if (phrase === '') return false;
  const text = message.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  const parts = phrase.toLowerCase().split('*');
  const [first = '', ...others] = parts;
  if (others.length === 0) return text.includes(first);
  const last = others.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
