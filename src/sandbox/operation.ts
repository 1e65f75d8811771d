import type { IncomingMessage } from 'node:http';
import type { Clock } from '../util/clock.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { SandboxStore } from './store.ts';
import type { Variants } from './variants.ts';

/** A request whose sender is known. */
export interface OperationRequest {
  readonly pathParameter: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly faultPlan: FaultPlan;
}

/** What operations act upon. */
export interface SandboxContext {
  readonly store: SandboxStore;
  readonly variants: Variants;
  readonly clock: Clock;
  /** How often each domain was asked for since the start. */
  readonly domainReads: Map<string, number>;
}

/**
 * An operation looks at the request when it arrives, throwing a Refusal if that is all it needs, and returns what is to
 * be done when it ends. What changes in between is not seen again: that gap is how services come by double members.
 */
export type Operation = (call: OperationRequest, world: SandboxContext) => () => SandboxResponse;

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

const MAX_BODY_BYTES = 5 * 1024 * 1024;

/**
 * Reads the whole body.
 * @throws Refusal 413 when it is over 5 MiB; the connection is then closed, the rest is not read.
 */
export async function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The stream must outlive a loop that is left early: the refusal is still to be sent on its socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new RequestRejection(413, 'request entity too large', { connection: 'close' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The body as JSON; no body at all counts as `{}`.
 * @throws Refusal 415 for another content type, 400 for text that is not JSON.
 */
export function parseRequestBody(body: Buffer, contentType: string | undefined): unknown {
  if (body.length === 0) return {};
  const mediaType = (contentType ?? '').split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new RequestRejection(415, 'Unsupported Media Type');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new RequestRejection(400, 'The body is not valid JSON');
  }
}
