import * as z from 'zod/mini';

/** Title and description of a document that is not the output of a command. */
const TITLES: Readonly<Record<string, { title: string; description: string }>> = {
  error: {
    title: 'An error of orgadm',
    description:
      'The line on standard error that a failed command writes with -o json and -o ndjson. Objects may have more fields than this schema states: later versions may add some.',
  },
  mapping: {
    title: 'A mapping file of orgadm people bulk-add',
    description: 'What --mapping reads and --save-mapping writes. Unknown keys are rejected.',
  },
};

/**
 * Renders a schema as JSON Schema 2020-12. Objects of an output are open: `additionalProperties` is true for those to which
 * later versions may add fields, and `{}` for those that also keep undocumented fields of the service.
 *
 * @param name the command, `error` or `mapping`
 */
export function renderSchema(name: string, schema: z.ZodMiniType): object {
  const { title, description } = TITLES[name] ?? {
    title: `JSON output of orgadm ${name}`,
    description: `What orgadm ${name} prints on standard output with -o json. Objects may have more fields than this schema states: later versions may add some, and those of the service are kept.`,
  };
  const { $schema, examples, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      if (name !== 'mapping' && jsonSchema.additionalProperties === false) jsonSchema.additionalProperties = true;
      // Bounds of every integer, which say nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { $schema, title, description, ...rest, examples };
}

/** Adds documents to a schema that fit it. They are shown in docs/json.md, and most are what the sandbox prints. */
export function withExamples<T extends z.ZodMiniType>(schema: T, ...examples: z.output<T>[]): T {
  return schema.check(z.meta({ examples }));
}

/** An enum to which later versions may add values; in others, new values are a breaking change. */
export function openEnum<T extends string>(values: readonly T[], description: string) {
  return z.enum(values).check(z.describe(`${description}; later versions may add values`));
}

/** A text. */
export const textOf = (description: string) => z.string().check(z.describe(description));

/** A text, or null. */
export const nullableText = (description: string) => z.nullable(z.string()).check(z.describe(description));

/** A number of things. */
export const countSchema = (description: string) => z.int().check(z.minimum(0), z.describe(description));

/** A number that starts at 1. */
export const positionOf = (description: string) => z.int().check(z.minimum(1), z.describe(description));

/** A time that orgadm writes: ISO 8601 in UTC. */
export const dateTime = z.string().check(z.meta({ format: 'date-time' }));
