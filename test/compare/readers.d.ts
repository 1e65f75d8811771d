type Value = string | number | boolean | Date | null | undefined;

/** The libraries that read the first sheet of a workbook, as rows of the values that they return. */
export const READERS: Readonly<Record<string, (bytes: Buffer) => Promise<readonly (readonly Value[])[]>>>;
