import { isOpenEnum, type JsonSchema } from '../../../build/docs/schema-types.ts';

/** A difference between the released schema of a document and the current one. */
export interface SchemaChange {
  /** `rows[].state: lost the value "unsent"`. */
  message: string;
  /** Whether a program that was written for the released schema may fail. */
  isBreaking: boolean;
}

/** `output`: what programs read; `input`: what they write, which may become more permissive, but not less. */
export type Direction = 'output' | 'input';

/** Compares schemas of the same document. Titles, descriptions and examples do not matter. */
export function compareSchemas(released: JsonSchema, current: JsonSchema, direction: Direction): SchemaChange[] {
  return compare(released, current, '.', direction);
}

function compare(before: JsonSchema, after: JsonSchema, path: string, direction: Direction): SchemaChange[] {
  const [old, now] = [kindsOf(before), kindsOf(after)];
  const nullability = now.isNullable === old.isNullable ? [] : [nullabilityChange(now.isNullable, path, direction)];
  const widened = now.kinds.slice(old.kinds.length).map((kind) => {
    return change(path, `can also be of type ${typeOf(kind)}`, direction === 'output');
  });
  const kinds = old.kinds.flatMap((kind, at) => {
    const other = now.kinds[at];
    if (other === undefined) return [change(path, `is no longer of type ${typeOf(kind)}`, true)];
    return compareKind(kind, other, path, direction);
  });
  return [...nullability, ...kinds, ...widened];
}

function nullabilityChange(isNullable: boolean, path: string, direction: Direction): SchemaChange {
  return isNullable
    ? change(path, 'became nullable', direction === 'output')
    : change(path, 'is no longer null', direction === 'input');
}

/** Splits a schema into those of its types, without null. */
function kindsOf(schema: JsonSchema): { isNullable: boolean; kinds: JsonSchema[] } {
  const { anyOf, type, ...rest } = schema;
  const kinds = anyOf ?? (Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : [schema]);
  const nonNull = kinds.filter((kind) => kind.type !== 'null');
  return { isNullable: nonNull.length < kinds.length, kinds: nonNull };
}

function compareKind(before: JsonSchema, after: JsonSchema, path: string, direction: Direction): SchemaChange[] {
  if (typeOf(before) !== typeOf(after)) {
    return [change(path, `changed its type from ${typeOf(before)} to ${typeOf(after)}`, true)];
  }
  return [
    ...compareFormats(before, after, path, direction),
    ...compareValues(before, after, path, direction),
    ...compareProperties(before, after, path, direction),
    ...compareInner(before.items, after.items, `${path}[]`, direction),
    ...compareInner(before.propertyNames, after.propertyNames, `${path} <name>`, direction),
    ...compareInner(valuesOf(before), valuesOf(after), `${path}.<name>`, direction),
  ];
}

function typeOf(schema: JsonSchema): string {
  return 'const' in schema ? JSON.stringify(schema.const) : String(schema.type ?? 'any');
}

function compareFormats({ format: old }: JsonSchema, { format: now }: JsonSchema, path: string, direction: Direction) {
  if (old === now) return [];
  const isBreaking = direction === 'output' ? old !== undefined : now !== undefined;
  return [change(path, `changed its format from ${old ?? 'none'} to ${now ?? 'none'}`, isBreaking)];
}

function compareValues(before: JsonSchema, after: JsonSchema, path: string, direction: Direction): SchemaChange[] {
  const [old, now] = [before.enum, after.enum];
  if (old === undefined && now === undefined) return [];
  if (now === undefined) return [change(path, 'is no longer an enum', direction === 'output')];
  if (old === undefined) return [change(path, 'became an enum', direction === 'input')];
  const isClosed = direction === 'output' && !isOpenEnum(before.description);
  return [
    ...old.filter((value) => !now.includes(value)).map((value) => change(path, `lost the value "${value}"`, true)),
    ...now.filter((value) => !old.includes(value)).map((value) => change(path, `has a new value "${value}"`, isClosed)),
  ];
}

function compareProperties(before: JsonSchema, after: JsonSchema, path: string, direction: Direction): SchemaChange[] {
  const [old, now] = [before.properties ?? {}, after.properties ?? {}];
  const placeOf = (name: string) => (path === '.' ? name : `${path}.${name}`);
  const isRequired = (schema: JsonSchema, name: string) => schema.required?.includes(name) ?? false;
  const kept = Object.entries(old).flatMap(([name, property]) => {
    const place = placeOf(name);
    const other = now[name];
    if (other === undefined) return [change(place, 'was removed', true)];
    const [was, is] = [isRequired(before, name), isRequired(after, name)];
    return [
      ...(was && !is ? [change(place, 'became optional', direction === 'output')] : []),
      ...(!was && is ? [change(place, 'became required', direction === 'input')] : []),
      ...compare(property, other, place, direction),
    ];
  });
  const added = Object.keys(now).filter((name) => !Object.hasOwn(old, name));
  return [
    ...kept,
    ...added.map((name) => change(placeOf(name), 'was added', direction === 'input' && isRequired(after, name))),
  ];
}

function compareInner(
  before: JsonSchema | undefined,
  after: JsonSchema | undefined,
  path: string,
  direction: Direction,
): SchemaChange[] {
  if (before === undefined && after === undefined) return [];
  return compare(before ?? {}, after ?? {}, path, direction);
}

/** The schema of the values of a map. Whether an object is open is not compared. */
function valuesOf({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function change(path: string, what: string, isBreaking: boolean): SchemaChange {
  return { message: `${path}: ${what}`, isBreaking };
}
