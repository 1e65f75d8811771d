import { renderProse } from './code-in-prose.ts';
import { JSON_RECIPES, type JsonRecipe } from './json-recipes.ts';
import { isOpenEnum, type JsonSchema } from './schema-types.ts';

const INTRODUCTION = [
  '# JSON output',
  'With `-o json`, a command prints one JSON document on standard output, or nothing. An error is one JSON line at the end of standard error. The shape depends only on the command and its options, not on the number of rows, domains, or findings.',
  'The six documents that programs usually read have a JSON Schema. The help of the other commands describes what they print. Objects may have more fields than this page lists. Ignore those you do not know.',
];

const USAGE = [
  'The package has the schemas (`orgadm schema <command>` prints them) and TypeScript types for them:',
  "```ts\nimport type { PeopleBulkAddOutput } from 'orgadm/schemas';\nimport schema from 'orgadm/schemas/people-bulk-add.json' with { type: 'json' };\n```",
  'The recipes work as they are in a directory with the [examples](../examples), against the embedded sandbox. `--jq` runs a filter without a jq installation: `--jq .mismatches` does the same as `--json | jq .mismatches`, and `-r` the same as `jq -r`.',
  'In addition to the exit codes below, every command exits 2 for invalid usage, and 130, 143, or 129 if a signal interrupts it. See [exit codes](reference.md#exit-codes).',
  '`npm run docs` generates this page from the schemas and from recipes that a test runs.',
];

/** Renders `docs/json.md`: for each schema its fields, an example, a recipe and the exit codes. */
export function renderJsonPage(schemas: ReadonlyMap<string, JsonSchema>): string {
  const names = [...schemas.keys()];
  const list = [
    ['| Document | |', '|---|---|'],
    names.map((name) => `| [${name}](#${name.replaceAll(' ', '-')}) | ${recipeOf(name).document} |`),
  ];
  const sections = [...schemas].flatMap(([name, schema]) => renderSection(name, schema));
  return `${[...INTRODUCTION, list.flat().join('\n'), ...USAGE, ...sections].join('\n\n')}\n`;
}

function recipeOf(name: string): JsonRecipe {
  const recipe = JSON_RECIPES[name];
  if (recipe === undefined) throw new Error(`build/docs/json-recipes.ts has no recipe for "${name}"`);
  return recipe;
}

function renderSection(name: string, schema: JsonSchema): string[] {
  const { purpose, setup = [], command, output, exitCodes, note } = recipeOf(name);
  const lines = [...[...setup, command].map((line) => `$ ${line}`), ...output];
  return [
    `## ${name}`,
    ...variantsOf(schema).flatMap(({ heading, description, schema: variant }, index) => [
      `### ${heading}`,
      ...renderVariant(variant, description),
      ...(index === 0 && note !== undefined ? [note] : []),
    ]),
    '### Example',
    `\`\`\`json\n${JSON.stringify(schema.examples?.[0], null, 2)}\n\`\`\``,
    purpose,
    `\`\`\`console\n${lines.join('\n')}\n\`\`\``,
    ...exitCodeLines(exitCodes),
  ];
}

function exitCodeLines(exitCodes: Readonly<Record<number, string>>): string[] {
  const codes = Object.entries(exitCodes).map(([code, condition]) => `${code} ${condition}`.trim());
  return codes.length === 0 ? [] : [`Exit codes: ${codes.join('; ')}.`];
}

/** A document that a command prints. */
interface Variant {
  /** `Output`, or the option with which the command prints it. */
  heading: string;
  description: string;
  schema: JsonSchema;
}

/** Returns the documents of a command: one, or another one for an option, whose description begins with `with --dry-run:`. */
function variantsOf(schema: JsonSchema): Variant[] {
  return (schema.anyOf ?? [schema]).map((variant) => {
    const [, option, rest] = /^with (--[a-z-]+): (.*)$/s.exec(variant.description ?? '') ?? [];
    const description = rest ?? (schema.anyOf === undefined ? '' : (variant.description ?? ''));
    return { heading: option === undefined ? 'Output' : `With \`${option}\``, description, schema: variant };
  });
}

function renderVariant(schema: JsonSchema, description: string): string[] {
  const [document, ...fields] = fieldsOf(schema, '');
  const text = description || (fields.length === 0 ? (schema.description ?? '') : '');
  const sentence = text === '' ? [] : [`${prose(text.charAt(0).toUpperCase() + text.slice(1))}.`];
  if (fields.length === 0) return [...sentence, `Type: ${document?.type ?? 'any'}.`];
  const rows = fields.map(
    ({ path, type, description }) => `| ${inlineCode(path)} | ${cell(type)} | ${cell(prose(description))} |`,
  );
  return [...sentence, ['| Field | Type | |', '|---|---|---|', ...rows].join('\n')];
}

/** Renders a description as Markdown, with code in backticks. */
function prose(text: string): string {
  return renderProse(text, COMMANDS);
}

/** The commands that descriptions mention. */
const COMMANDS = ['people bulk-add', 'runs show', 'runs resume', 'help errors'];

interface Field {
  path: string;
  type: string;
  description: string;
}

/** Lists the fields of a schema: `rows[].state`. The document itself is `.`. */
function fieldsOf(schema: JsonSchema, path: string): Field[] {
  const branches = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [schema];
  const [only] = branches;
  if (only === undefined) return [];
  const description = schema.description ?? only.description ?? '';
  const own = { path: path === '' ? '.' : path, type: typeOf(schema), description: path === '' ? '' : description };
  if (branches.length === 1) return [own, ...innerFields(only, path)];
  const inner = branches.flatMap((branch) => {
    const [first, ...fields] = fieldsOf(branch, path);
    // Branches without fields of their own are in the type already.
    return first === undefined || (fields.length === 0 && branch.description === undefined)
      ? []
      : [{ ...first, description: branch.description ?? '' }, ...fields];
  });
  // Each branch has a row for the value itself.
  return inner.some((field) => field.path === own.path) ? inner : [own, ...inner];
}

function innerFields(
  { properties = {}, items, required = [], additionalProperties }: JsonSchema,
  path: string,
): Field[] {
  if (items !== undefined) return innerOf(items, `${path}[]`);
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const [first, ...inner] = fieldsOf(property, path === '' ? name : `${path}.${name}`);
    if (first === undefined) return [];
    return [required.includes(name) ? first : { ...first, type: `${first.type}, optional` }, ...inner];
  });
  const isMap = fields.length === 0 && typeof additionalProperties === 'object';
  return isMap ? innerOf(additionalProperties, `${path}.<name>`) : fields;
}

/** The fields of an element or value; itself only where it is of several kinds. */
function innerOf(schema: JsonSchema, path: string): Field[] {
  const fields = fieldsOf(schema, path);
  return schema.anyOf === undefined ? fields.slice(1) : fields;
}

/** Longer enums are listed by `orgadm help` or the schema. */
const MAX_VALUES = 10;

function typeOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if ('const' in schema) return inlineCode(JSON.stringify(schema.const));
  if (schema.enum !== undefined && schema.enum.length <= MAX_VALUES) {
    return `${schema.enum.map((value) => inlineCode(String(value))).join(', ')}${isOpenEnum(schema.description) ? ', …' : ''}`;
  }
  if (schema.type === 'array') {
    const { type, anyOf } = schema.items ?? {};
    return typeof type === 'string' && anyOf === undefined ? `array of ${plural(type)}` : 'array';
  }
  if (schema.type === undefined) return 'any';
  const name = [schema.type].flat().join(' or ');
  return schema.format === undefined ? name : `${name} (${schema.format})`;
}

function plural(type: string): string {
  return type === 'integer' || type === 'number' ? 'numbers' : `${type}s`;
}

function inlineCode(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replace(/(?<!\\)\|/g, '\\|');
}
