import { UsageError } from './errors.ts';

/**
 * The error for a name that is not known, with the nearest that is.
 *
 * @param subject the sentence before the name: `unknown profile`
 */
export async function unknownNameError(subject: string, name: string, known: readonly string[]): Promise<UsageError> {
  const { suggest } = await import('./suggest.ts');
  const suggestion = suggest(name, known);
  if (suggestion !== undefined) return new UsageError(`${subject} "${name}"`, `Did you mean "${suggestion}"?`);
  return new UsageError(`${subject} "${name}"`, known.length === 0 ? undefined : `Known are: ${known.join(', ')}.`);
}
