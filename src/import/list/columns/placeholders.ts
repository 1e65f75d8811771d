/** Placeholders in suggested commands, for values that the user has to choose. */
export const PLACEHOLDERS = {
  column: '<column>',
  role: '<role>',
  isActive: '<true or false>',
  sheet: '<sheet>',
} as const;

/** Whether a value is a placeholder from a suggested command or from the help. */
export function isPlaceholder(value: string): boolean {
  return /^!?<[a-z ]+>$/.test(value);
}
