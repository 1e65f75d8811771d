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

const HEADER = `/*
 * The JSON that orgadm prints, one type for each schema in this folder. Objects may have more fields than their type states.
 */
`;

/** Renders the TypeScript declarations of schemas, by the names that `orgadm schema` lists. */
export function renderDeclarations(schemas: ReadonlyMap<string, JsonSchema>): string {
  const types = [...schemas].map(
    ([name, schema]) => `${comment(schema.title, '')}export type ${typeName(name)} = ${renderType(schema, '')};\n`,
  );
  return [HEADER, ...types].join('\n');
}

/** `PeopleBulkAddOutput` for `people bulk-add`. */
export function typeName(name: string): string {
  const words = name.split(/[ -]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Output`;
}

function renderType(schema: JsonSchema, indent: string): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return renderEnum(schema);
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => renderType(one, indent)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => renderType({ ...schema, type }, indent)).join(' | ');
  switch (schema.type) {
    case 'object':
      return renderObject(schema, indent);
    case 'array': {
      const { items = {} } = schema;
      const item = renderType(items, indent);
      const isUnion = (items.anyOf ?? items.enum ?? items.type ?? '').length > 1 && typeof items.type !== 'string';
      return isUnion ? `(${item})[]` : `${item}[]`;
    }
    case 'integer':
      return 'number';
    case undefined:
      return 'unknown';
    default:
      return schema.type;
  }
}

function renderEnum({ enum: values = [], description }: JsonSchema): string {
  const union = values.map((value) => JSON.stringify(value)).join(' | ');
  // Editors still suggest the known values.
  return isOpenEnum(description) ? `${union} | (string & {})` : union;
}

/** Whether later versions may add values to the enum of this description. */
export function isOpenEnum(description: string | undefined): boolean {
  return description?.includes('later versions may add values') ?? false;
}

function renderObject({ properties, required = [], additionalProperties }: JsonSchema, indent: string) {
  if (properties === undefined || Object.keys(properties).length === 0) {
    const value = typeof additionalProperties === 'object' ? renderType(additionalProperties, indent) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? '' : '?';
    const key = /^[A-Za-z_$]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(property.description, inner)}${inner}${key}${mark}: ${renderType(property, inner)};\n`;
  });
  // An empty schema: the service may send other fields, which are kept.
  if (typeof additionalProperties === 'object') lines.push(`${inner}[field: string]: unknown;\n`);
  return `{\n${lines.join('')}${indent}}`;
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}
