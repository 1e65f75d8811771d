import { readXlsx } from 'hucre/xlsx';
import readWorkbook from 'read-excel-file/node';

/** The libraries that read the first sheet of a workbook, as rows of the values that they return. */
export const READERS = {
  hucre: async (bytes) => (await readXlsx(bytes)).sheets[0]?.rows ?? [],
  'read-excel-file': async (bytes) => (await readWorkbook(bytes))[0]?.data ?? [],
};
