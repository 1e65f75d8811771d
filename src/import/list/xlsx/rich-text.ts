import { type Attributes, isSet } from './archive.ts';

/** Joins the runs of a text, without the readings that East Asian workbooks store next to them. */
export class RichText {
  text = '';
  /** Whether a run of it is struck out, other than spaces. */
  isStruck = false;
  #isRunStruck = false;
  #inText = false;
  #inReading = false;

  /** Begins another text. */
  clear(): void {
    this.text = '';
    this.isStruck = false;
    this.#isRunStruck = false;
  }

  open(name: string, attributes: () => Attributes): void {
    if (name === 'r') this.#isRunStruck = false;
    else if (name === 'rPh') this.#inReading = true;
    else if (name === 'strike') this.#isRunStruck = isSet(attributes());
    this.#inText = name === 't' && !this.#inReading;
  }

  add(piece: string): void {
    if (!this.#inText) return;
    this.text += piece;
    this.isStruck ||= this.#isRunStruck && piece.trim() !== '';
  }

  close(name: string): void {
    this.#inText = false;
    if (name === 'rPh') this.#inReading = false;
  }
}
