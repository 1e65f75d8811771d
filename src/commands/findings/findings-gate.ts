import { parseIdentifier } from '../../client/bulk-response.ts';
import { type Doubts, doubtHead, type Field, fieldsIn, unknownFields } from '../../client/gate.ts';
import type { FindingsResponse } from '../../client/operations.ts';
import { readerOf } from './finding-columns.ts';
import { type Selector, selectorFields } from './finding-selector.ts';

/** Keys of the number of findings. */
const COUNTS: ReadonlySet<string> = new Set(['count', 'total', 'totalCount']);

/**
 * Doubts a response that may have more than its findings: everything next to the list but the number of findings, and what says
 * nothing.
 *
 * @param ignored paths and values (setting wire.findings.ignore)
 */
export function doubtFindings(response: FindingsResponse, ignored: readonly string[]): Doubts {
  const { status, headers, body, findings, listPath } = response;
  const isCount = ({ path, value }: Field) =>
    COUNTS.has(path.slice(path.lastIndexOf('.') + 1)) && value === findings.length;
  const fields = fieldsIn(withoutList(body, listPath)).filter((field) => !isCount(field));
  return { reasons: doubtHead(status, headers, findings.length), fields: unknownFields(fields, ignored) };
}

/** Returns a value without the list at a path. */
function withoutList(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return null;
  const { [key]: inner, ...others } = value as Record<string, unknown>;
  return { ...others, [key]: withoutList(inner, rest) };
}

/**
 * Doubts findings that belong to something else than the selector: a service that does not know it returns everything.
 *
 * @param parameter the selector's query parameter, whose name the field may have, too
 */
export function doubtSelection(
  { findings }: FindingsResponse,
  selector: Selector,
  parameter: string,
): string | undefined {
  const fields = selectorFields(selector);
  const readers = [...fields, parameter].map(readerOf);
  const others = findings.filter((finding) => {
    const values = readers.map((read) => read(finding)).filter((value) => value != null);
    return values.length > 0 && !values.some((value) => parseIdentifier(value) === selector.value);
  });
  if (others.length === 0) return undefined;
  const have = `${others.length} of ${findings.length} findings ${others.length === 1 ? 'has' : 'have'}`;
  return `the service may have ignored the selector: ${have} another ${fields[0]} than ${selector.value}`;
}
