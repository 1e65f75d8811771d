import * as z from 'zod/mini';

/*
 * The vocabulary of the schemas of documents. The schemas stand next to their commands, which import only types from them:
 * loading zod takes longer than most commands.
 */

/** Adds a document that fits the schema: docs/json.md shows it, and most are what the sandbox prints. */
export function withExample<T extends z.ZodMiniType>(schema: T, example: z.output<T>): T {
  return schema.check(z.meta({ examples: [example] }));
}

/** Adds a description. */
export function withDescription<T extends z.ZodMiniType>(schema: T, description: string): T {
  return schema.check(z.describe(description));
}

/** An enum to which later versions may add values; in others, new values are a breaking change. */
export function openEnum(values: readonly string[], description: string): z.ZodMiniType<string> {
  return withDescription(z.enum(values), `${description}; later versions may add values`);
}

/** A text. */
export const textSchema = (description: string) => withDescription(z.string(), description);

/** A text, or null. */
export const nullableText = (description: string) => withDescription(z.nullable(z.string()), description);

/** A number of things. */
export const countSchema = (description: string) => z.int().check(z.minimum(0), z.describe(description));

/** A number that starts at 1. */
export const positionOf = (description: string) => z.int().check(z.minimum(1), z.describe(description));

/** A time that orgadm writes: ISO 8601 in UTC. */
export const dateTime = z.string().check(z.meta({ format: 'date-time' }));
