/*
 * Measures the text of tables for cli-table3 as src/output/table.ts does. The string-width that it asks for is an old version,
 * which knows fewer emoji and takes seconds for a few thousand cells of long Japanese text.
 */
const { displayWidth } = require('../src/output/text-width.ts');

module.exports = (text) => displayWidth(text);
