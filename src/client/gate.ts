import { cleanLine, quoteForShell } from '../output/sanitize.ts';
import { joinFirst } from '../util/units.ts';
import type { IncomingHeaders } from './headers.ts';

/*
 * A check (--exit-status, --wait) passes only on a response of which everything is known. What it does not understand is a doubt,
 * which names the header, or the path and the value in the body.
 */

/** A value in the body of a response: a text, a number, or a boolean. */
export interface Field {
  /** The keys that lead to it, joined with dots. */
  readonly path: string;
  readonly value: unknown;
}

/** What a check does not understand about a response. */
export interface Doubts {
  /** Clauses, without a final period. */
  readonly reasons: readonly string[];
  readonly fields: readonly Field[];
}

export function isDoubtful({ reasons, fields }: Doubts): boolean {
  return reasons.length + fields.length > 0;
}

const OK = 200;

/** Matches a link (RFC 8288) whose relations include `next`, in double, single, or no quotes. */
const NEXT_LINK = /;\s*rel\s*=\s*(?:"(?:[^"]*\s)?|'(?:[^']*\s)?)?next(?=["'\s;,]|$)/i;

/** Headers of a total. In that of a range, `items 0-24/319`, it comes last. */
const TOTALS: ReadonlySet<string> = new Set(['x-total-count', 'x-total', 'content-range']);

/**
 * Doubts a status other than 200, an old response of a cache, and headers that announce more than what arrived.
 *
 * @param listed the number of elements in the list of the response, if it is one
 */
export function doubtHead(status: number, headers: IncomingHeaders, listed?: number): string[] {
  const all = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value })),
  );
  const doubted = all.filter(({ name, value }) => {
    // Each cache on the way may add an age.
    if (name === 'age') return value.split(',').some((seconds) => !(Number(seconds) <= 0));
    if (listed === undefined) return false;
    if (name === 'link') return NEXT_LINK.test(value);
    if (name === 'x-next-page') return value.trim() !== '';
    return TOTALS.has(name) && !(Number(value.split('/').at(-1)) <= listed);
  });
  return [
    ...(status === OK ? [] : [`the status is ${status}`]),
    ...doubted.map(({ name, value }) => `the header ${name} is ${cleanLine(value).slice(0, SHOWN_CHARACTERS)}`),
  ];
}

/** Returns the fields within a value, without those that say nothing: null, empty ones, and `true` for `success` or `ok`. */
export function fieldsIn(value: unknown, path = ''): Field[] {
  if (value === null || value === '' || (value === true && /(?:^|\.)(?:success|ok)$/.test(path))) return [];
  if (typeof value !== 'object') return [{ path, value }];
  return Object.entries(value as object).flatMap(([key, inner]) =>
    fieldsIn(inner, path === '' ? key : `${path}.${key}`),
  );
}

/** In a setting, the value of a field that may have any. */
const ANY_VALUE = '*';

/**
 * Returns the fields that a setting does not accept.
 *
 * @param ignored paths with their values, or with `*` for any: `authType=api-key`, `requestId=*`
 */
export function unknownFields(fields: readonly Field[], ignored: readonly string[]): Field[] {
  return fields.filter(
    (field) => !ignored.includes(settingOf(field)) && !ignored.includes(`${field.path}=${ANY_VALUE}`),
  );
}

/** Names a field and its value as a setting does: `meta.page=1`. With the path alone, it could have another value. */
function settingOf({ path, value }: Field): string {
  return `${path}=${value === ANY_VALUE ? JSON.stringify(value) : String(value)}`;
}

/** The setting that names fields to ignore. */
export interface IgnoreSetting {
  readonly name: string;
  /** Its present value. */
  readonly ignored: readonly string[];
  /** What the fields must not mean: `findings are missing`. */
  readonly meaning: string;
  /** What makes a command change the profile in use: ` --profile staging`. */
  readonly profile: string;
}

/** Upper bounds on the fields in a suggested command, and on the text of one. */
const [MAX_SUGGESTED, SUGGESTED_CHARACTERS] = [20, 200];

/** Describes doubts, and how to accept exactly the values that arrived. */
export function describeDoubts({ reasons, fields }: Doubts, setting: IgnoreSetting): { message: string; hint: string } {
  const { name, ignored, meaning, profile } = setting;
  const settings = [...new Set(fields.map(settingOf))];
  const noun = settings.length === 1 ? 'the value' : 'the values';
  const unknown = settings.length === 0 ? [] : [`orgadm does not understand ${noun} ${listValues(settings)}`];
  const suggested = settings.filter(({ length }) => length <= SUGGESTED_CHARACTERS).slice(0, MAX_SUGGESTED);
  const command = ['orgadm config set', name, ...[...ignored, ...suggested].map(quoteForShell)].join(' ');
  const accept =
    suggested.length === 0 ? [] : [`If this does not mean that ${meaning}, ignore it: ${command}${profile}`];
  return {
    message: [...reasons, ...unknown].join('; '),
    hint: [...accept, ...(reasons.length > 0 || accept.length === 0 ? ['--debug shows the response.'] : [])].join('\n'),
  };
}

/** Upper bounds on the values that a message lists, and on their length. */
const [LISTED_VALUES, SHOWN_CHARACTERS] = [5, 60];

/** Renders values for a message: `"P1", "P2" and 3 more`. */
export function listValues(values: readonly string[]): string {
  return joinFirst(
    values.map((value) => `"${cleanLine(value).slice(0, SHOWN_CHARACTERS)}"`),
    LISTED_VALUES,
  );
}
