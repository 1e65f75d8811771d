import { quote } from '../output/sanitize.ts';
import { isJsonObject } from '../util/json/json-object.ts';
import type { ScannedMember } from '../util/json/list-scanner.ts';

const WORDS =
  'page|link|url|uri|href|cursor|token|marker|offset|start|skip|index|key|id|record|result|item|row|entrie|user|set';
/** Keys of the next page, and of whether there is one: `nextPageToken`, `next_page`, `@odata.nextLink`, `hasNextPage`, `more`, `after`. */
const NEXT = new RegExp(
  `^(?:has|is)?(?:next|more)(?:(?:${WORDS}|available)s?)*$|^(?:continuation|pagination|page)token$|^after(?:cursor)?$|^lastevaluatedkey$`,
);
const CUT =
  /^(?:is)?(?:truncated|partial|omitted)$|^(?:incomplete|partial)(?:results?)?$|^(?:size)?limit(?:reached|exceeded)$/;
/** Keys whose value false says that this page is not the last one. */
const LAST = /^(?:is)?(?:last(?:page)?|done|complete)$/;
const THINGS =
  'record|result|item|set|size|element|entrie|row|user|member|people|hit|object|resource|count|match|number';
/** Keys of the number of all entries: `total_count`, `totalResults`, `count`, `user_count`. */
const TOTAL = new RegExp(`^total(?:${THINGS})*(?:e?s)?$|^(?:${THINGS})?s?count$|^numfound$|^recordstotal$`);
/** Keys of the number of pages. */
const PAGES = /^(?:total|num|numberof)?pages$|^(?:page|pages)(?:count|total)$|^lastpage$/;
/** Keys of where a page begins, or of its number, from 0 or 1: `startIndex`, `offset`, `page`, `current_page`. */
const BEGIN = /^(?:start(?:index|at|position)|offset|skip|(?:current)?page(?:number|index)?)$/;

/** Numbers of what was read. */
interface ReadPages {
  /** Entries in the list. */
  readonly entries: number;
  /** JSON texts that each held a part of it. */
  readonly pages: number;
}

/**
 * Describes the value next to a list, or in an object next to it or around it, that says that there are more entries; undefined
 * if none does. Of several pages, all but the last one say that there is a next one, and all but the first one begin later.
 */
export function describeMore(
  members: readonly Pick<ScannedMember, 'path' | 'text' | 'document'>[],
  read: ReadPages,
): string | undefined {
  for (const { path, text, document } of members) {
    if (text === undefined) continue;
    for (const { path: place, value, page } of findMore(JSON.parse(text), path, normalizedLastKey(path), read))
      if (page === undefined || document === (page === 'first' ? 1 : read.pages))
        return `${quote(place)} is ${typeof value === 'string' ? quote(value) : JSON.stringify(value)}`;
  }
  return undefined;
}

interface Hint {
  readonly path: string;
  readonly value: unknown;
  /** The page of several in which it counts: `last` if it says that a page follows, `first` if one came before; or any. */
  readonly page?: 'first' | 'last';
}

/** @param key the key of the value, or of an object around it that says what the value means */
function* findMore(value: unknown, path: string, key: string, read: ReadPages): Generator<Hint> {
  if (Array.isArray(value)) {
    const links = [...value.entries()].filter(([, link]) => isJsonObject(link) && isNextLink(link));
    for (const [at, link] of links) yield* findMore(link, `${path}.${at}`, 'next', read);
  } else if (isJsonObject(value)) {
    for (const [inner, member] of Object.entries(value)) {
      const isOfKey =
        NEXT.test(key) ||
        CUT.test(key) ||
        (inner === 'value' && TOTAL.test(key)) ||
        (inner === 'number' && key === 'page');
      yield* findMore(member, `${path}.${inner}`, isOfKey ? key : normalizeKey(inner), read);
    }
  } else if (saysNext(key, value)) {
    yield { path, value, page: 'last' };
  } else if (BEGIN.test(key) && Number(value) > 1) {
    yield { path, value, page: 'first' };
  } else if ((TOTAL.test(key) && Number(value) > read.entries) || (PAGES.test(key) && Number(value) > read.pages)) {
    yield { path, value };
  }
}

/** Whether a link leads to the next page, as in `{"rel": "next", "href": "…"}`. */
function isNextLink({ rel, relation }: { readonly rel?: unknown; readonly relation?: unknown }): boolean {
  return rel === 'next' || relation === 'next';
}

function saysNext(key: string, value: unknown): boolean {
  if (LAST.test(key)) return value === false;
  const isYes = value !== null && value !== false && value !== '' && value !== 0;
  // A number is where this page begins. A text, as of Airtable, is where the next one does.
  const isNextOffset = key === 'offset' && typeof value === 'string' && Number.isNaN(Number(value));
  // Elasticsearch counts no further than 10,000 entries. EspoCRM does not count large lists.
  const isUncounted = (key === 'relation' && value === 'gte') || (TOTAL.test(key) && Number(value) === -1);
  return isUncounted || (isYes && (NEXT.test(key) || CUT.test(key) || key === 'cursor' || isNextOffset));
}

function normalizedLastKey(path: string): string {
  return normalizeKey(path.slice(path.lastIndexOf('.') + 1));
}

/** Returns a key in lower case, without spaces, `_`, `-`, and a prefix such as `@odata.`. */
function normalizeKey(key: string): string {
  return key
    .slice(key.search(/[^.@]*$/))
    .toLowerCase()
    .replace(/[\s_-]/g, '');
}
