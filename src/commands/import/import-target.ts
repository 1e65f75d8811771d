import type { Redact } from '../../output/redactor.ts';
import { type Context, describeTarget } from '../command-context.ts';
import { redactorForJournal } from './recorded-command.ts';

/** The service that an import sends to, and its key. */
export interface ImportTarget {
  /** What journals record of the service: its base URL, or the path of the sandbox's state. */
  readonly service: string;
  /** How messages name the service: `https://api.example.com (profile prod)`. */
  readonly name: string;
  readonly apiKey: string;
  /** Removes the key from what a journal keeps. */
  readonly redact: Redact;
}

/** Resolves the service of an import. Throws as `context.service()` does. */
export async function importTarget(context: Context): Promise<ImportTarget> {
  const settings = await context.settings();
  const { baseUrl } = await context.service();
  const apiKey = (await settings.readKey()) ?? '';
  const redact = redactorForJournal(apiKey);
  return {
    service: redact(settings.sandbox?.stateFile ?? baseUrl),
    name: (await describeTarget(context)) ?? baseUrl,
    apiKey,
    redact,
  };
}
