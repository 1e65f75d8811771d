/** A finished answer, before anything happens to it on the wire. */
export interface SandboxResponse {
  readonly status: number;
  readonly contentType: string;
  /** The body; empty for an answer that has none. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A word for the log; holds no personal data. */
  readonly note?: string;
}

/** An answer with a JSON body; 204 has none. */
export function jsonResponse(status: number, body: unknown, note?: string): SandboxResponse {
  const text = status === 204 ? '' : JSON.stringify(body);
  return { status, contentType: 'application/json; charset=utf-8', text, ...(note === undefined ? {} : { note }) };
}

/** A request that is refused; thrown by operations, and rendered in the shape that the service gives its errors. */
export class RequestRejection extends Error {
  readonly status: number;
  /** A text, or one for each field that is wrong. */
  readonly messages: string | readonly string[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, messages: string | readonly string[], headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.messages = messages;
    this.headers = headers;
  }
}
