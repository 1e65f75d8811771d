import * as z from 'zod/mini';

/** Title and description of a document that is not the output of a command. */
const TITLES: Readonly<Record<string, { title: string; description: string }>> = {
  error: {
    title: 'An error of orgadm',
    description:
      'The line on standard error that a failed command writes with -o json and -o ndjson. Objects may have more fields than this schema lists, because later versions may add some.',
  },
  mapping: {
    title: 'A mapping file of orgadm people bulk-add',
    description: 'The file that --mapping reads and --save-mapping writes. orgadm rejects unknown keys.',
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
    description: `The standard output of orgadm ${name} with -o json. Objects may have more fields than this schema lists: later versions may add some, and orgadm keeps all fields from the service.`,
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
