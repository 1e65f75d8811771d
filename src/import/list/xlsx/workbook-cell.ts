/** How the numbers of a cell style are shown, as far as it matters: as a date, or with this many digits at least. */
export type NumberFormat = 'date' | 'time' | 'date-time' | number;

/** The formats that have a number instead of a code and show dates or times, those of East Asian versions included. */
export function builtInFormat(id: number): string {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 54) || id === 57 || id === 58)
    return 'y';
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47) || id === 55 || id === 56) return 'h';
  return id === 22 ? 'yh' : 'General';
}

/** What a format code such as `yyyy-mm-dd;@` or `00000` shows. */
export function parseFormat(code: string): NumberFormat {
  const bare = code.replace(/"[^"]*"|\\.|[_*].|\[[^\]]*\]/gs, '').split(';', 1)[0] ?? '';
  if (/^0+$/.test(bare)) return bare.length;
  const hasTime = /[hs]/i.test(bare);
  if (/[yd]/i.test(bare) || (!hasTime && /m/i.test(bare))) return hasTime ? 'date-time' : 'date';
  return hasTime ? 'time' : 0;
}

/** Excel computes with 15 digits and shows no more, although it may save 17. */
const DIGITS = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 });
const DAY_MS = 86_400_000;
/** The first day after 9999-12-31. */
const LAST_DAY = 2_958_466;

/**
 * Renders a number of a cell as text.
 *
 * @param text the number as saved, such as `45000.5` or `1.2E+15`
 * @param uses1904 whether the workbook counts days from 1904, as those of old Macs do
 */
export function numberText(text: string, format: NumberFormat, uses1904: boolean): string {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value)) return text;
  if (typeof format === 'number' || value < 0 || value >= LAST_DAY) {
    // Other programs save ids of more than 15 digits exactly, as Excel itself never would.
    const digits = /^\d+$/.test(text) ? text : DIGITS.format(value);
    return digits.padStart(typeof format === 'number' ? format : 0, '0');
  }
  // Excel counts 1900-02-29, which did not exist.
  const epoch = uses1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30);
  const seconds = Math.round((value * DAY_MS) / 1000);
  const [date = '', time = ''] = new Date(epoch + seconds * 1000).toISOString().slice(0, 19).split('T');
  if (format === 'time') return time;
  return format === 'date' ? date : `${date}T${time}`;
}

/** Excel writes characters that XML does not allow as `_x000D_`. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
