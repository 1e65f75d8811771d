import { describe, expect, it } from 'vitest';
import type { Paint } from '../../src/output/style.ts';
import { indentedText, joinText, paintCell, plainText, renderText, style, text } from '../../src/output/text.ts';

/** Shows styles as tags. */
const tagged: Paint = (name, content) => `<${name}>${content}</${name}>`;

describe('text', () => {
  it('keeps its own lines, and sanitizes what is inserted to one line', () => {
    const foreign = 'a\nerror: b\u001b[31m\u202e\u009b2Jc\td';
    expect(plainText(text`own\n${foreign}!`)).toBe('own\na error: b\\u202ec d!');
  });

  it('inserts numbers, and nothing for an empty text', () => {
    expect(plainText(text`${3} rows${''}`)).toBe('3 rows');
    expect(plainText(text``)).toBe('');
  });

  it('keeps the lines and the styles of a text that is inserted', () => {
    const inner = text`a\n${style.ok('b')}`;
    expect(renderText(text`<${inner}>`, tagged)).toBe('<a\n<ok>b</ok>>');
  });

  it('cannot be made from an object of a response', () => {
    const response = JSON.parse('{"spans":[{"text":"\\u001b[2J","styles":[]}],"Symbol(spans)":[]}') as never;
    expect(() => renderText(text`${response}`, tagged)).toThrow(TypeError);
  });
});

describe('style', () => {
  it('has a style for each meaning, around the parts of a text', () => {
    const all = joinText(
      [style.ok('a'), style.error('b'), style.warn('c'), style.accent('d'), style.dim('e')],
      text` `,
    );
    expect(renderText(all, tagged)).toBe('<ok>a</ok> <error>b</error> <warn>c</warn> <accent>d</accent> <dim>e</dim>');
    expect(renderText(style.strong(text`a${style.error('b')}`), tagged)).toBe(
      '<strong>a</strong><strong><error>b</error></strong>',
    );
  });

  it('sanitizes a string', () => {
    expect(renderText(style.ok('a\u001b[0m\nb'), tagged)).toBe('<ok>a b</ok>');
  });
});

describe('joinText', () => {
  it('puts the separator between the parts', () => {
    expect(plainText(joinText(['a', text`b`, 3], text`,\n`))).toBe('a,\nb,\n3');
    expect(plainText(joinText([], text`, `))).toBe('');
  });
});

describe('paintCell', () => {
  it('paints a line in the style of the cell, if all of it has the same', () => {
    expect(paintCell(style.ok('some text'), 'some', tagged)).toBe('<ok>some</ok>');
    expect(paintCell(style.strong(style.ok(text`a${'b'}`)), 'ab', tagged)).toBe('<strong><ok>ab</ok></strong>');
    expect(paintCell(text`${style.ok('a')} b`, 'a b', tagged)).toBe('a b');
    expect(paintCell(style.ok('a'), '', tagged)).toBe('');
    expect(paintCell('plain', 'pla', tagged)).toBe('pla');
    expect(paintCell(text``, 'x', tagged)).toBe('x');
  });
});

describe('indentedText', () => {
  it('indents the lines of untrusted text below its first', () => {
    expect(plainText(indentedText('a\r\nerror: b\u0007\n\tc'))).toBe('a\n  error: b\\u0007\n      c');
  });
});
