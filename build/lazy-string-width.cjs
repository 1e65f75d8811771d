/*
 * The regular expressions of string-width know every emoji, and take as long to make as Node to start: it is loaded at the
 * first text that needs it. ASCII does not, nor the signs of which tables are drawn, and the stand-ins for other text.
 */
const PLAIN = /^[\x20-\x7e…─\ue000]*$/;
let stringWidth;

module.exports = (text, options) => {
  if (PLAIN.test(text)) return text.length;
  stringWidth ??= require('built:string-width.cjs');
  return stringWidth(text, options);
};
