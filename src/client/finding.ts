import { isJsonObject } from '../util/json-object.ts';
import { parseJson } from './json/parse-json.ts';

/** A finding; its fields are not fixed (interface 2.5). */
export type Finding = Readonly<Record<string, unknown>>;

/** A finding of a list. */
export interface ListedFinding {
  readonly value: Finding;
  /** Where its text stands, if its value would be printed as just the same bytes. */
  readonly printed: { readonly bytes: Buffer; readonly start: number; readonly end: number } | undefined;
  /** Those of its members that were to be read in any case, or all of them. */
  readonly excerpt: Finding;
}

/** A finding that is parsed only when it is asked for its value: for most uses its bytes will do. */
export class RawFinding implements ListedFinding {
  readonly printed: { readonly bytes: Buffer; readonly start: number; readonly end: number };
  readonly excerpt: Finding;
  #value: Finding | undefined;

  constructor(bytes: Buffer, start: number, end: number, excerpt: Finding) {
    this.printed = { bytes, start, end };
    this.excerpt = excerpt;
  }

  get value(): Finding {
    const { bytes, start, end } = this.printed;
    this.#value ??= JSON.parse(bytes.toString('utf8', start, end)) as Finding;
    return this.#value;
  }
}

/**
 * A finding of this JSON text. What is no object is kept under a name, so that nothing the service said is lost.
 *
 * @throws ServiceError for what is not JSON
 */
export function parseFinding(text: string): ListedFinding {
  const parsed = parseJson(text);
  const value = isJsonObject(parsed) ? parsed : { value: parsed };
  return { value, printed: undefined, excerpt: value };
}
