/**
 * Returns the latest day that a text may mean, as a time in UTC; undefined for a text that does not begin with a date. Exports
 * write `2024-02-01T09:00:00Z`, `1.2.2024`, and `02/01/2024` or `01/02/2024`.
 */
export function latestDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/.exec(text) ?? [];
  if (year !== undefined) return dayOf(year, month, day);
  const [, first, second, last] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/.exec(text) ?? [];
  const readings = [dayOf(last, first, second), dayOf(last, second, first)].filter((time) => time !== undefined);
  return readings.length === 0 ? undefined : Math.max(...readings);
}

function dayOf(year = '', month = '', day = ''): number | undefined {
  const isValid = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
  return isValid ? Date.UTC(Number(year), Number(month) - 1, Number(day)) : undefined;
}
