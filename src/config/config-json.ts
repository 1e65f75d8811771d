import { UsageError } from '../util/errors.ts';
import { findJsonSyntaxError } from './strict-json.ts';

/**
 * Reads `{"profiles": {"<name>": ...}}`, the form of the files in the configuration folder, strictly.
 *
 * @throws UsageError that names the file and, where the text is not JSON, the line; nothing of the text is repeated but keys
 */
export function parseConfigDocument(text: string, file: string): [name: string, entry: unknown][] {
  const json = text.replace(/^\uFEFF/, '');
  const syntaxError = findJsonSyntaxError(json);
  if (syntaxError !== undefined) {
    throw new UsageError(
      `${file}, line ${syntaxError.line}: ${syntaxError.message}`,
      'Mend it with an editor; it is left as it is.',
    );
  }
  const document: unknown = JSON.parse(json);
  const extra = isRecord(document) ? Object.keys(document).find((key) => key !== 'profiles') : undefined;
  if (!isRecord(document) || !isRecord(document.profiles) || extra !== undefined) {
    throw new UsageError(
      extra === undefined ? `${file} holds no profiles` : `${file}: unknown key "${extra}"`,
      'It must be of the form {"profiles": {"default": {...}}}.',
    );
  }
  return Object.entries(document.profiles);
}

/** The text of such a file, to be read and edited by people. */
export function renderConfigDocument(entries: ReadonlyMap<string, unknown>): string {
  return `${JSON.stringify({ profiles: Object.fromEntries(entries) }, null, 2)}\n`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
