/** How services say that a user is a member already; the interface (4.2) gives the case, not the words. */
const KNOWN = /already a member|already exists|duplicate/i;

/** @param further words of the profile, for a service that says it otherwise; matched without case */
export function isExisting(words: string, further: readonly string[]): boolean {
  if (KNOWN.test(words)) return true;
  const lower = words.toLowerCase();
  return further.some((phrase) => phrase !== '' && lower.includes(phrase.toLowerCase()));
}
