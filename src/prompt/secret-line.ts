/** What a secret that is being typed has come to. */
export type SecretState = 'open' | 'done' | 'interrupted' | 'ended';

const ENTER = new Set(['\r', '\n']);
const ERASE = new Set(['\x7f', '\b']);
/** Ctrl-U and Ctrl-W: a secret is one word. */
const ERASE_ALL = new Set(['\x15', '\x17']);
const INTERRUPT = '\x03';
const END_OF_INPUT = '\x04';

/** Arrow keys and their kin, and the marks that some terminals put around what is pasted. */
const ESCAPE_SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)/g;

/** One line as it is typed on a terminal in raw mode, where the keys that edit it come as characters. */
export class SecretLine {
  #characters: string[] = [];

  get text(): string {
    return this.#characters.join('');
  }

  /** Takes what was typed; what follows the end of the line is dropped. */
  type(typed: string): SecretState {
    for (const character of typed.replace(ESCAPE_SEQUENCES, '')) {
      if (ENTER.has(character)) return 'done';
      if (character === INTERRUPT) return 'interrupted';
      if (character === END_OF_INPUT && this.#characters.length === 0) return 'ended';
      if (ERASE.has(character)) this.#characters.pop();
      else if (ERASE_ALL.has(character)) this.#characters = [];
      else if (character >= ' ') this.#characters.push(character);
    }
    return 'open';
  }
}
