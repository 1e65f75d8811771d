/*
 * Loads string-width at the first text that needs it: its regular expressions for emoji take as long to compile as Node
 * takes to start. ASCII, the ellipsis and the rules of tables do not need it. If string-width stops being a function of a
 * text and options, every table with other characters fails: test/e2e/terminal.test.ts prints one with the built program.
 */
const SIMPLE = /^[\x20-\x7e…─]*$/;
let stringWidth;

module.exports = (text, options) => {
  if (SIMPLE.test(text)) return text.length;
  stringWidth ??= require('built:string-width.cjs');
  return stringWidth(text, options);
};
