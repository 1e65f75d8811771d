import { expect, it } from 'vitest';
import { fitColumnWidths } from '../../src/output/table.ts';

const column = (natural: number, min = 8, weight = 1) => ({ natural, min, weight });

it.each([
  ['all fit', [column(5), column(10)], 20, [5, 10]],
  ['the widest gives way', [column(5), column(40)], 25, [5, 20]],
  ['two wide ones meet at one width', [column(5), column(40), column(30)], 45, [5, 20, 20]],
  ['weight keeps its share', [column(100, 8, 2), column(100, 8, 1)], 60, [40, 20]],
  ['none goes below its minimum', [column(30, 20), column(40, 8)], 30, [20, 10]],
  ['what is narrower than its minimum stays', [column(3, 8), column(40, 8)], 11, [3, 8]],
  ['hundreds of thousands of columns wide', [column(5), column(500_000)], 80, [5, 75]],
])('%s', (_name, columns, available, widths) => {
  expect(fitColumnWidths(columns, available)).toEqual(widths);
});

it('returns undefined if the minimums do not fit', () => {
  expect(fitColumnWidths([column(10), column(10)], 15)).toBeUndefined();
  expect(fitColumnWidths([column(10)], 0)).toBeUndefined();
  expect(fitColumnWidths([column(10)], -1)).toBeUndefined();
});
