import { type Attributes, isSet } from './archive.ts';

/** What a run looks like if its characters do not simply continue the text: struck out, or a superscript or subscript. */
export type RunLook = 'struck' | 'superscript';

/** Joins the runs of a text, without the readings that East Asian workbooks store next to them. */
export class RichText {
  text = '';
  /** The look of the first run that has one, and more than spaces; undefined if none has. */
  look: RunLook | undefined;
  #runLook: RunLook | undefined;
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
    else if (name === 'vertAlign' && isSuperscript(attributes())) this.#runLook ??= 'superscript';
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

/** Whether a run is a superscript or subscript: 101¹ has the mark of a footnote, and is not 1011. */
function isSuperscript({ val }: Attributes): boolean {
  return val === 'superscript' || val === 'subscript';
}
