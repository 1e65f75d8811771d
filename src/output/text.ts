import { cleanBlock, cleanLine } from './sanitize.ts';
import type { Paint, StyleName } from './style.ts';

/** The key of a text's spans. It is not exported, and JSON has no symbols: no response and no other file can make a text. */
const SPANS = Symbol('spans');

/** Text that is safe for a terminal, and the styles it is in, the innermost first. */
interface Span {
  readonly text: string;
  readonly styles: readonly StyleName[];
}

/** Text for people that is safe by construction: only `text`, `style` and `joinText` create it. */
export interface Text {
  readonly [SPANS]: readonly Span[];
}

/** A value that may be inserted into a text. A string is untrusted. */
export type Insertion = string | number | Text;

/**
 * Creates text for people: text`${count} rows: ${message}`. The literal parts are ours and may contain line breaks. A string
 * that is inserted is sanitized: one line, with hidden characters escaped. A text that is inserted keeps its lines and styles.
 */
export function text(literals: TemplateStringsArray, ...insertions: readonly Insertion[]): Text {
  return create(
    literals.flatMap((literal, at) => {
      const insertion = insertions[at];
      return [{ text: literal, styles: [] }, ...(insertion === undefined ? [] : spansOf(insertion))];
    }),
  );
}

/** Marks text by its meaning. The stream that shows it decides about colors. */
export const style = {
  ok: styled('ok'),
  error: styled('error'),
  warn: styled('warn'),
  accent: styled('accent'),
  strong: styled('strong'),
  dim: styled('dim'),
} as const satisfies Record<StyleName, (content: Insertion) => Text>;

/** Marks a sentence that says that everything went as requested: `✓ updated role rol_1`. */
export function successText(sentence: Insertion): Text {
  return text`${style.ok('✓')} ${sentence}`;
}

/** Joins texts: joinText(names, text`, `). */
export function joinText(parts: readonly Insertion[], separator: Text): Text {
  return create(parts.flatMap((part, at) => (at === 0 ? spansOf(part) : [...separator[SPANS], ...spansOf(part)])));
}

/** Renders a text with its styles, for a terminal or a pipe. */
export function renderText(content: Insertion, paint: Paint): string {
  return spansOf(content)
    .map((span) => span.styles.reduce((painted, name) => paint(name, painted), span.text))
    .join('');
}

/** Adds the style that all of a content has to `line`, which is a part of its plain text. */
export function paintCell(content: Insertion, line: string, paint: Paint): string {
  const [first, ...others] = spansOf(content);
  const styles = first?.styles ?? [];
  const isCommon = others.every((span) => span.styles.join() === styles.join());
  return line === '' || !isCommon ? line : styles.reduce((painted, name) => paint(name, painted), line);
}

/** Returns a text without its styles. */
export function plainText(content: Insertion): string {
  return spansOf(content)
    .map((span) => span.text)
    .join('');
}

function create(spans: readonly Span[]): Text {
  return { [SPANS]: spans.filter((span) => span.text !== '') };
}

function styled(name: StyleName): (content: Insertion) => Text {
  return (content) => create(spansOf(content).map((span) => ({ text: span.text, styles: [...span.styles, name] })));
}

function spansOf(insertion: Insertion): readonly Span[] {
  return typeof insertion === 'object' ? insertion[SPANS] : [{ text: cleanLine(String(insertion)), styles: [] }];
}

/** Returns untrusted text with its lines, which are indented below the first. */
export function indentedText(untrusted: string): Text {
  return joinText(cleanBlock(untrusted).split('\n'), text`\n  `);
}
