import * as z from 'zod/mini';
import type { FieldKind, MemberEntry, MemberField } from './entry.ts';
import {
  BOOLEANS,
  HIDDEN,
  isExact,
  isInQuotationMarks,
  JOINERS,
  NUMBER,
  SPREADSHEET_ERROR,
  WHITE_SPACE_AT_ENDS,
} from './list/field-rules.ts';

/*
 * The rule for what a row may be. Reading a list does not use it, because an object of zod costs as much as the rest of the
 * row: `list/field-rules.ts` does the same by hand, and a property test holds the two equal.
 */

/** @param joiners a pattern of characters that are not seen, and allowed all the same */
const visibleText = (joiners?: RegExp) =>
  z.string().check(
    z.minLength(1),
    z.refine((value) => !HIDDEN.test(joiners === undefined ? value : value.replace(joiners, ''))),
    z.refine((value) => !SPREADSHEET_ERROR.test(value)),
  );

const VALUES = {
  string: visibleText(),
  number: z.number().check(z.refine(isExact)),
  boolean: z.boolean(),
  integer: z.int(),
} as const satisfies Record<FieldKind, z.ZodMiniType>;

const fields = {
  userId: visibleText().check(z.refine((value) => !isInQuotationMarks(value))),
  role: visibleText(),
  department: z.optional(visibleText(JOINERS)),
  isActive: z.optional(VALUES.boolean),
  deviceMgmtLabelId: z.optional(VALUES.integer),
} as const satisfies Record<MemberField, z.ZodMiniType>;

/** An entry as it is sent (interface 4.2), without the fields of --extra-field. */
export const memberEntrySchema: z.ZodMiniType<MemberEntry> = z.object(fields);

/**
 * Returns the schema of a row of a list: an object of field names and cells or JSON values, which it converts to an entry.
 *
 * @param extra the kinds of the fields of --extra-field
 */
export function createRowSchema(extra: Readonly<Record<string, FieldKind>> = {}): z.ZodMiniType<MemberEntry> {
  const more = Object.entries(extra).map(([field, kind]) => [field, cell(kind, z.optional(VALUES[kind]))] as const);
  return z.object({
    userId: cell('string', fields.userId),
    role: cell('string', fields.role),
    department: cell('string', fields.department),
    isActive: cell('boolean', fields.isActive),
    deviceMgmtLabelId: cell('integer', fields.deviceMgmtLabelId),
    ...Object.fromEntries(more),
  }) as z.ZodMiniType<MemberEntry>;
}

/** A value as a list has it: text is converted to `kind` if it can be, and blank text and null are no value. */
function cell<T extends z.ZodMiniType>(kind: FieldKind, schema: T) {
  const convert = (value: unknown): unknown => {
    if (value === null) return undefined;
    if (typeof value !== 'string') return value;
    const trimmed = value.replace(WHITE_SPACE_AT_ENDS, '');
    if (trimmed === '') return undefined;
    if (kind === 'boolean') return BOOLEANS.get(trimmed.toLowerCase()) ?? trimmed;
    if (kind === 'integer') return /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
    if (kind === 'number') return NUMBER.test(trimmed) ? Number(trimmed) : trimmed;
    return trimmed;
  };
  return z.pipe(z.transform(convert), schema);
}
