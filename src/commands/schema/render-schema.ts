import * as z from 'zod/mini';

/** A schema as JSON Schema 2020-12: objects of the service stay open, the tool's own have the fields that are named. */
export function renderSchema(name: string, schema: z.ZodMiniType): object {
  const title = name === 'error' ? 'An error of orgadm' : `JSON output of orgadm ${name}`;
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12' });
  return { $schema, title, ...rest };
}
