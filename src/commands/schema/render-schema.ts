import * as z from 'zod/mini';

const OPEN =
  'Objects may have more fields than this schema lists: later versions may add some, and orgadm keeps all fields from the service.';

/** Titles and descriptions of the documents that are not the output of the command they are named after alone. */
const TITLES: Readonly<Record<string, { title: string; description: string }>> = {
  'people bulk-add': {
    title: 'JSON output of orgadm people bulk-add, runs show, and runs resume',
    description: `The report of an import, which orgadm people bulk-add, runs show, and runs resume print with -o json. ${OPEN}`,
  },
  error: {
    title: 'An error of orgadm',
    description:
      'The line on standard error that a failed command writes with -o json and -o ndjson. Objects may have more fields than this schema lists, because later versions may add some.',
  },
};

/**
 * Renders a schema as JSON Schema 2020-12. Objects are open: `additionalProperties` is true for those to which later versions
 * may add fields, and `{}` for those that also keep undocumented fields of the service.
 *
 * @param name the command, or `error`
 */
export function renderSchema(name: string, schema: z.ZodMiniType): object {
  const { title, description } = TITLES[name] ?? {
    title: `JSON output of orgadm ${name}`,
    description: `The standard output of orgadm ${name} with -o json. ${OPEN}`,
  };
  const { $schema, examples, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      if (jsonSchema.additionalProperties === false) jsonSchema.additionalProperties = true;
      // Bounds of every integer, which say nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { $schema, title, description, ...rest, examples };
}
