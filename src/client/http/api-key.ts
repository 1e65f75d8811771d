import { UsageError } from '../../util/errors.ts';

/** Throws UsageError, without the key in it, unless the key is a valid header value (interface 5). */
export function checkApiKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError(
      apiKey === ''
        ? 'the API key is empty'
        : 'the API key contains a space, a line break, or another invalid character',
      'Copy the complete key again, without quotes or spaces around it.',
    );
  }
}
