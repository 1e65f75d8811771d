import { describe, expect, it } from 'vitest';
import { detectPagination } from '../../src/client/list-findings.ts';

const nextTo = (fields: object) => new Map<string, unknown>(Object.entries(fields));

describe('detectPagination', () => {
  it.each([
    [{ total: 58 }, 'total is 58'],
    [{ count: 58 }, 'count is 58'],
    [{ total_count: '58' }, 'total_count is 58'],
    [{ 'data.totalItems': 3 }, 'data.totalItems is 3'],
    [{ meta: { pagination: 1, total: 3 } }, 'meta.total is 3'],
    [{ hasMore: true }, 'hasMore is true'],
    [{ pageInfo: { hasNextPage: true } }, 'pageInfo.hasNextPage is true'],
    [{ next: 'https://api.acme.test/v1/findings?page=2' }, 'next is set'],
    [{ nextCursor: 'abc' }, 'nextCursor is set'],
    [{ next_page: 2 }, 'next_page is set'],
    [{ links: { next: { href: '/2' } } }, 'links.next is set'],
    [{ '@odata.nextLink': 'https://api.acme.test/2' }, '@odata.nextLink is set'],
    [{ meta: { pagination: { total: 58 } } }, 'meta.pagination.total is 58'],
    [{ page: 1, totalPages: 3 }, 'totalPages is 3'],
    [{ meta: { current_page: 1, last_page: '3' } }, 'meta.last_page is 3'],
    [{ last: false }, 'last is false'],
    [{ incomplete_results: true }, 'incomplete_results is true'],
    [{ partial: true }, 'partial is true'],
    [
      {
        links: [
          { rel: 'self', href: '/1' },
          { rel: 'next', href: '/2' },
        ],
      },
      'links has a next page',
    ],
    [{ errors: [{ message: 'a shard did not respond' }] }, 'errors is not empty'],
  ])('detects that there are more than 2 findings by the fields %j', (fields, sign) => {
    expect(detectPagination(nextTo(fields), {}, 2)).toBe(sign);
  });

  it.each([
    {},
    { total: 2, count: 2 },
    { total: null, count: 'many' },
    { hasMore: false, hasNextPage: null },
    { next: null, nextCursor: '', next_page: 0 },
    { links: { next: null, self: '/1' } },
    { subtotal: 9, nextStep: 'review' },
    { page: 1, pageSize: 100, limit: 100 },
    { page: 1, pages: 1, totalPages: 0, last: true, partial: false },
    {
      links: [
        { rel: 'self', href: '/1' },
        { rel: 'next', href: null },
      ],
      errors: [],
    },
  ])('detects no further findings by the fields %j', (fields) => {
    expect(detectPagination(nextTo(fields), {}, 2)).toBeUndefined();
  });

  it.each([
    [
      { link: '</v1/findings?page=2>; rel="next", </v1/findings?page=9>; rel="last"' },
      'the header Link names a next page',
    ],
    [{ 'x-total-count': '58' }, 'the header X-Total-Count is 58'],
    [{ 'x-total': '58' }, 'the header X-Total is 58'],
    [{ 'x-total-pages': '3' }, 'the header X-Total-Pages is 3'],
    [{ 'x-next-page': '2' }, 'the header X-Next-Page is 2'],
    [{ 'content-range': 'items 0-1/58' }, 'the header Content-Range is items 0-1/58'],
  ])('detects that there are more than 2 findings by the headers %j', (headers, sign) => {
    expect(detectPagination(new Map(), headers, 2)).toBe(sign);
  });

  it.each([
    { link: '</v1/findings?page=1>; rel="prev"' },
    { 'x-total-count': '2' },
    { 'x-total-pages': '1', 'x-next-page': '' },
    { 'content-range': 'items 0-1/2' },
  ])('detects no further findings by the headers %j', (headers) => {
    expect(detectPagination(new Map(), headers, 2)).toBeUndefined();
  });
});
