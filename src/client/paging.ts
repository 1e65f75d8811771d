import { headerOf } from './http/headers.ts';
import type { IncomingHeaders } from './http/pending-request.ts';

const TOTALS = /^(total|count|total_?(count|items|elements|results|records|hits))$/i;
const MORE = /^(has_?(more|next)(_?page)?|more|is_?truncated|truncated)$/i;
const NEXT = /^next(_?(page|cursor|token|link|url|page_?token|offset))?$/i;

/**
 * Tells whether a list is only a part of what there is: the interface has no paging (8), and a service may have it all
 * the same. Looks for totals and next pages beside the list, also in objects there, and in the headers.
 *
 * @param members what stands beside the list, by dotted key
 * @param listed how many elements the list has
 * @returns what tells it, for a sentence: `total is 58`
 */
export function detectPagination(
  members: ReadonlyMap<string, unknown>,
  headers: IncomingHeaders,
  listed: number,
): string | undefined {
  for (const [path, value] of fieldsOf(members)) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (TOTALS.test(name) && Number(value) > listed) return `${path} is ${String(value)}`;
    if (MORE.test(name) && value === true) return `${path} is true`;
    if (NEXT.test(name) && isPageLink(value)) return `${path} is given`;
  }
  const total = headerOf(headers, 'x-total-count');
  if (Number(total) > listed) return `the header X-Total-Count is ${total}`;
  return /;\s*rel="?next"?/i.test(headerOf(headers, 'link') ?? '') ? 'the header Link names a next page' : undefined;
}

/** The fields and those of the objects among them, by dotted name. */
function* fieldsOf(members: ReadonlyMap<string, unknown>): Generator<[string, unknown]> {
  for (const [key, value] of members) {
    yield [key, value];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    for (const [inner, field] of Object.entries(value)) yield [`${key}.${inner}`, field];
  }
}

/** A link, cursor or page number. A page number that is 0 or below is none. */
function isPageLink(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}
