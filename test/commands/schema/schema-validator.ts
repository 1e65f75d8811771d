import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../../../build/docs/schema-types.ts';
import type { CommandRunner } from '../../helpers/service-run.ts';

/** Time with date and zone (RFC 3339), as `date-time` promises. */
const isDateTime = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

/** Returns the schema that `orgadm schema` prints. */
export async function schemaOf(cli: CommandRunner, name: string): Promise<JsonSchema> {
  return (await cli.plain(['schema', ...name.split(' ')])).json() as JsonSchema;
}

/** Returns what is wrong with a document by a schema; undefined where nothing is. */
export function violationsOf(schema: JsonSchema, document: unknown): string | undefined {
  const formats = { 'date-time': isDateTime };
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats });
  return ajv.validate(schema, document) ? undefined : ajv.errorsText();
}

/** Returns a schema that allows no other fields than it states, except where the service may send some. */
export function closed(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'additionalProperties' && value === true ? false : value,
  );
}
