import { type Context, describeTarget } from '../command-context.ts';

/** The service that an import sends to, and its key. */
export interface ImportTarget {
  /** What journals record of the service: its base URL, or the path of the sandbox's state. */
  readonly service: string;
  /** How messages name the service: `https://api.example.com (profile prod)`. */
  readonly name: string;
  readonly apiKey: string;
}

/** Resolves the service of an import. Throws as `context.service()` does. */
export async function importTarget(context: Context): Promise<ImportTarget> {
  const settings = await context.settings();
  const { baseUrl } = await context.service();
  const apiKey = (await settings.readKey()) ?? '';
  return {
    service: settings.sandbox?.stateFile ?? baseUrl,
    name: (await describeTarget(context)) ?? baseUrl,
    apiKey,
  };
}
