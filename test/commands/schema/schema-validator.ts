import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CommandRunner } from '../../helpers/service-run.ts';

/** The keywords of JSON Schema that the schemas of orgadm use. */
export interface JsonSchema {
  title?: string;
  description?: string;
  examples?: unknown[];
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  minimum?: number;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
}

/** Time with date and zone (RFC 3339), as `date-time` promises. */
const isDateTime = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));

const schemas = new Map<string, JsonSchema>();

/** Returns the schema that `orgadm schema` prints. */
export async function schemaOf(cli: CommandRunner, name: string): Promise<JsonSchema> {
  const schema = schemas.get(name) ?? ((await cli.plain(['schema', ...name.split(' ')])).json() as JsonSchema);
  schemas.set(name, schema);
  return schema;
}

const validators = new WeakMap<JsonSchema, ValidateFunction>();

/** Returns what is wrong with a document by a schema; undefined where nothing is. */
export function violationsOf(schema: JsonSchema, document: unknown): string | undefined {
  const validate = validators.get(schema) ?? createAjv().compile(schema);
  validators.set(schema, validate);
  return validate(document) ? undefined : createAjv().errorsText(validate.errors);
}

function createAjv(): Ajv2020 {
  return new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: { 'date-time': isDateTime } });
}

const closedSchemas = new WeakMap<JsonSchema, JsonSchema>();

/** Returns a schema that allows no other fields than it states, except where the service may send some. */
export function closed(schema: JsonSchema): JsonSchema {
  const known = closedSchemas.get(schema);
  if (known !== undefined) return known;
  const result: JsonSchema = JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'additionalProperties' && value === true ? false : value,
  );
  closedSchemas.set(schema, result);
  return result;
}
