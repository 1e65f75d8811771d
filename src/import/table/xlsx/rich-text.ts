import { type Attributes, isTrue } from './archive.ts';

/** Whether an element such as `<strike/>` is set: it is without a value. */
export function isSet({ val = 'true' }: Attributes): boolean {
  return isTrue(val);
}

/** What a person sees of a text besides its characters: a line through it, or a raised or lowered digit. */
export type TextLook = 'struck' | 'raised';

/** Joins the runs of a text, without the readings that Japanese workbooks store next to them. */
export class RichText {
  text = '';
  /** The look of the first run that has one, and more than spaces; undefined if none has. */
  look: TextLook | undefined;
  #runLook: TextLook | undefined;
  #inText = false;
  #inReading = false;

  /** Begins another text. */
  clear(): void {
    this.text = '';
    this.look = undefined;
    this.#runLook = undefined;
  }

  open(name: string, attributes: () => Attributes): void {
    if (name === 'r') this.#runLook = undefined;
    else if (name === 'rPh') this.#inReading = true;
    else if (name === 'strike' && isSet(attributes())) this.#runLook = 'struck';
    else if (name === 'vertAlign' && /^(?:super|sub)script$/.test(attributes().val ?? '')) this.#runLook ??= 'raised';
    this.#inText = name === 't' && !this.#inReading;
  }

  add(piece: string): void {
    if (!this.#inText) return;
    this.text += piece;
    if (piece.trim() !== '') this.look ??= this.#runLook;
  }

  close(name: string): void {
    this.#inText = false;
    if (name === 'rPh') this.#inReading = false;
  }
}

/** Excel writes characters that XML does not allow as `_x000D_`. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
