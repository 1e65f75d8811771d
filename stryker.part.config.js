import base from '/work/wt/me/stryker.config.js';
export default { ...base, mutate: ['src/import/list/columns/decisions.ts','src/import/list/csv/missing-quote.ts','src/import/list/rows/row-reader.ts','src/import/list/rows/row-width.ts'], concurrency: 1, timeoutMS: 40000, jsonReporter: { fileName: '/tmp/mut-part.json' } };
