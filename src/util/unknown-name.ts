import { UsageError } from './errors.ts';

/**
 * The error for a name that is not known, with the nearest that is.
 *
 * @param what the sentence before the name: `unknown profile`
 */
export async function unknownName(what: string, name: string, known: readonly string[]): Promise<UsageError> {
  const { nearest } = await import('./suggest.ts');
  const near = nearest(name, known);
  if (near !== undefined) return new UsageError(`${what} "${name}"`, `Did you mean "${near}"?`);
  return new UsageError(`${what} "${name}"`, known.length === 0 ? undefined : `Known are: ${known.join(', ')}.`);
}
