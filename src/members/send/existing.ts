/** How services say that a user is a member already; the interface (4.2) gives the case, not the words. */
const KNOWN = /already[ _-](a[ _-])?member|already[ _-]exists|duplicate/i;

/** Words that may mean the same, and are not taken for it: a user may well be at home elsewhere already. */
const SIMILAR = /\balready\b|\bexist(s|ing)\b/i;

/** Of another organization, that is: no reason to take a user for a member of this one. */
const ELSEWHERE = /\b(another|other|different|second) (organi[sz]ation|tenant|workspace|company)\b/i;

/** @param further words of the profile, for a service that says it otherwise; matched without case */
export function isExisting(words: string, further: readonly string[]): boolean {
  if (KNOWN.test(words) && !ELSEWHERE.test(words)) return true;
  const lower = words.toLowerCase();
  return further.some((phrase) => phrase !== '' && lower.includes(phrase.toLowerCase()));
}

/** Whether the words may be a service's own way of saying that the user is a member already. */
export function mayMeanExisting(words: string): boolean {
  return SIMILAR.test(words);
}
