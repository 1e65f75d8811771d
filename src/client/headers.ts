/** The headers of a response, by their names in lower case. */
export type IncomingHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Whether a Content-Type is JSON, `application/problem+json` for example. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '');
}

/** Returns the first value of a header. */
export function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  return [headers[name] ?? []].flat()[0];
}
