import type * as z from 'zod/mini';
import type { Clock } from '../util/host.ts';
import type { Faults } from './faults.ts';
import type { SandboxStore } from './store.ts';

/** An authenticated request. */
export interface OperationRequest {
  /** The decoded segment of the path that its route has in braces; '' if it has none. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** State shared by the requests of a sandbox. */
export interface SandboxContext {
  readonly store: SandboxStore;
  readonly apiKey: string;
  readonly faults: Faults;
  /** The seed of the injected faults. */
  readonly seed: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Aborted when the sandbox closes; drops unfinished requests. */
  readonly signal: AbortSignal;
  /** Number of status requests for each domain since the start. */
  readonly domainReads: Map<string, number>;
}

/**
 * Validates a request when it arrives, throwing a RequestRejection, and returns the function that executes it later.
 * State that changes in between is not read again: this gap is how services come to have duplicate members.
 */
export type Operation = (request: OperationRequest, context: SandboxContext) => () => SandboxResponse;

/** A response before any fault is injected. */
export interface SandboxResponse {
  readonly status: number;
  /** The body, as JSON. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text for the log, without personal data. */
  readonly note?: string | undefined;
}

/** Creates a response with a JSON body. */
export function jsonResponse(status: number, body: unknown, note?: string): SandboxResponse {
  return { status, text: JSON.stringify(body), note };
}

/** A request that the sandbox rejects. */
export class RequestRejection extends Error {
  readonly status: number;
  /** One text, or one for each invalid field. */
  readonly messages: string | readonly string[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, messages: string | readonly string[], headers: Readonly<Record<string, string>> = {}) {
    super(`rejected with ${status}`);
    this.name = 'RequestRejection';
    this.status = status;
    this.messages = messages;
    this.headers = headers;
  }
}

/**
 * Parses a request body as JSON. An empty body is returned as `{}`.
 *
 * @throws RequestRejection 400 for invalid JSON
 */
export function parseRequestBody(body: string): unknown {
  if (body === '') return {};
  try {
    return JSON.parse(body);
  } catch {
    throw new RequestRejection(400, 'The body is not valid JSON');
  }
}

/**
 * Reads the parameter of a query.
 *
 * @throws RequestRejection 400 if it is missing or empty
 */
export function readParameter(query: URLSearchParams, name: string): string {
  const value = query.get(name);
  if (!value) throw new RequestRejection(400, [`${name} should not be empty`]);
  return value;
}

/**
 * Validates a request body or a part of it.
 *
 * @throws RequestRejection 400 with one message for each invalid field
 */
export function validateBody<T>(schema: z.ZodMiniType<T>, body: unknown): T {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw new RequestRejection(400, describeZodIssues(result.error));
}

/**
 * Returns one text for each issue: `name must be of type string`, `property color should not exist`.
 *
 * @param error of a value that was parsed with `reportInput`
 */
export function describeZodIssues(error: z.core.$ZodError, prefix: readonly string[] = []): string[] {
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path].map(String);
    if (issue.code !== 'unrecognized_keys') return [`${path.join('.') || 'the body'} ${describeIssue(issue)}`];
    return issue.keys.map((key) => `${[...path, 'property'].join('.')} ${key} should not exist`);
  });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined || issue.input === '') return 'should not be empty';
  if (issue.code === 'invalid_type') return `must be of type ${issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of the following values: ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return `must have a length of at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must have a length of at most ${issue.maximum}`;
  return 'is not valid';
}
