/**
 * Matches what output/sanitize.ts removes or makes visible, in two forms: for strings, and for UTF-8 bytes that were read as
 * Latin-1, in which such a character above ASCII has two or three characters.
 */
export interface HiddenText {
  /** Matches each control sequence, and each hidden character outside of one, except line breaks and tabs. */
  readonly pattern: RegExp;
  /** Matches a text that contains any of them, or an incomplete one at its end. Few texts do. */
  readonly isIn: (text: string) => boolean;
  /** Matches an incomplete sequence or character at the end. */
  readonly unfinished: RegExp;
}

const C0 = String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]`;

export const HIDDEN_TEXT: HiddenText = createHiddenText({
  c1: (code) => String.raw`\x${code}`,
  above: String.raw`[\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]`,
  partial: '(?!)',
  lead: String.raw`\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`,
  body: String.raw`[^\x1b\x80-\x9f]*`,
  oscBody: String.raw`[^\x07\x1b\x80-\x9f]*`,
});

export const HIDDEN_BYTES: HiddenText = createHiddenText({
  c1: (code) => String.raw`\xc2\x${code}`,
  above: String.raw`(?:\xc2[\x80-\x9f]|\xd8\x9c|\xe2(?:\x80[\x8e\x8f\xa8-\xae]|\x81[\xa6-\xa9])|\xef\xbb\xbf)`,
  partial: String.raw`(?:[\xc2\xd8]|\xe2[\x80\x81]?|\xef\xbb?)$`,
  lead: String.raw`\xc2\xd8\xe2\xef`,
  body: String.raw`(?:[^\x1b\xc2]|\xc2(?![\x80-\x9f]))*`,
  oscBody: String.raw`(?:[^\x07\x1b\xc2]|\xc2(?![\x80-\x9f]))*`,
});

interface Form {
  /** Returns the pattern of a C1 control, by the hexadecimal digits of its code. */
  c1: (code: string) => string;
  /** One hidden character above ASCII. */
  above: string;
  /** An incomplete one at the end of the text. */
  partial: string;
  /** Their first characters, for a character class. */
  lead: string;
  /** Body of a control string. */
  body: string;
  oscBody: string;
}

function createHiddenText({ c1, above, partial, lead, body, oscBody }: Form): HiddenText {
  const csi = String.raw`(?:\x1b\[|${c1('9b')})[0-?]*[ -/]*`;
  const osc = String.raw`(?:\x1b\]|${c1('9d')})${oscBody}`;
  const control = String.raw`(?:\x1b[PX^_]|${['90', '98', '9e', '9f'].map(c1).join('|')})${body}`;
  const end = String.raw`(?:\x1b\\|${c1('9c')})`;
  const first = new RegExp(`${C0.slice(0, -1)}${lead}]`);
  const any = new RegExp(`${C0}|${above}|${partial}`);
  const short = String.raw`\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\\x60-~]`;
  return {
    pattern: new RegExp(String.raw`${csi}[@-~]|${osc}(?:\x07|${end})|${control}${end}|${short}|${C0}|${above}`, 'g'),
    // A single character class is several times faster than alternatives.
    isIn: (text) => first.test(text) && any.test(text),
    unfinished: new RegExp(
      String.raw`(?:${csi}|(?:${osc}|${control})\x1b?${partial === '(?!)' ? '' : String.raw`\xc2?`}|\x1b[ -/]*|${partial})$`,
    ),
  };
}
