/** Replaces a secret. */
export const MASK = '***';

/** Shorter secrets are replaced only as words of their own: they may occur in other words by chance. */
const SHORT = 8;

const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** The secrets of a command, which become known while it runs: API keys, and the password of a proxy. */
export class Secrets {
  readonly #secrets = new Set<string>();
  #pattern: RegExp | undefined;
  #hasShort = false;

  add(...secrets: readonly string[]): void {
    for (const secret of secrets) if (secret !== '') this.#secrets.add(secret);
    this.#change();
  }

  /** For a key that people are to copy. */
  remove(secret: string): void {
    this.#secrets.delete(secret);
    this.#change();
  }

  /** Replaces each secret by `***`, as it is and as JSON escapes it. */
  readonly redact: Redact = (text) => (this.#pattern === undefined ? text : text.replace(this.#pattern, MASK));

  /** Does the same to JSON, which remains valid: a short secret may also be a number of it. */
  readonly redactJson: Redact = (json) =>
    this.#hasShort ? json.replace(JSON_STRING, (string) => this.redact(string)) : this.redact(json);

  #change(): void {
    const secrets = [...this.#secrets].sort((a, b) => b.length - a.length);
    this.#hasShort = secrets.some(({ length }) => length < SHORT);
    this.#pattern = secrets.length === 0 ? undefined : new RegExp(secrets.map(patternOf).join('|'), 'g');
  }
}

function patternOf(secret: string): string {
  const spelled = Array.from(secret, (character) => {
    const escaped = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
    return /["\\/]/.test(character) ? `\\\\?${escaped}` : escaped;
  }).join('');
  // A backslash before the secret may belong to another escape of JSON.
  const start = /^["\\/]/.test(secret) ? '(?<=(?<!\\\\)(?:\\\\\\\\)*)' : '';
  return secret.length < SHORT ? `(?<!\\w)${start}${spelled}(?!\\w)` : `${start}${spelled}`;
}
