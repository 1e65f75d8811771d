/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** An answer that a service gives instead of doing what it is asked for. A body that is no text is sent as JSON. */
export interface Rejection {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** A request, as far as a refusal may depend on it. */
export interface AskedOperation {
  operation: Operation;
  /** How many requests came before. */
  before: number;
  /** The entries of a bulk request. */
  members: readonly Json[];
}

export type Operation = 'role' | 'people' | 'domain' | 'findings';

/** The answer to a bulk request (interface 4.2). */
export interface BulkBody {
  created: readonly Json[];
  errors: readonly Json[];
  summary: unknown;
  authType: unknown;
  authenticatedUser: unknown;
}

/** How a service answers where the interface leaves it open. What is absent is as on the usual one. */
export interface Behaviors {
  /** What follows the host in the base URL. */
  base?: string;
  /** Status of a success. */
  status?: number;
  /** Headers of every answer; null leaves one out. */
  headers?: Readonly<Record<string, string | null>>;
  /** What becomes of the text of a body. */
  text?: (json: string) => string;
  /** A byte order mark before it. */
  mark?: true;
  encoding?: 'gzip' | 'br' | 'deflate' | 'raw-deflate';
  /** Sent in pieces of this many bytes. */
  pieces?: number;
  /** What the usual answers become. */
  role?: (role: Json) => unknown;
  people?: (response: BulkBody) => unknown;
  domain?: (status: Json) => unknown;
  findings?: (list: readonly Json[]) => unknown;
  /** The number of the first entry in `errors[].index`. */
  indexBase?: 0 | 1;
  /** What it says of somebody who is a member already. */
  memberMessage?: unknown;
  /** What the label of an entry is called; other names are unknown, and refused. */
  label?: string;
  /** The query parameter for a task; any other is ignored, or refused. */
  taskParameter?: { name: string; others: 'ignore' | 'refuse' };
  /** Refuses a request; undefined lets it pass. */
  reject?: (asked: AskedOperation) => Rejection | undefined;
}

/** All of these at once: what changes an answer does so one after another, of the rest the last one counts. */
export function mergeBehaviors(all: readonly Behaviors[]): Behaviors {
  const pipe = <T>(steps: readonly (((value: T) => unknown) | undefined)[]) => {
    const taken = steps.filter((step) => step !== undefined);
    return (value: T) => taken.reduce<unknown>((sofar, step) => applied(step, sofar), value);
  };
  const text = all.flatMap((traits) => traits.text ?? []);
  return {
    ...Object.assign({}, ...all),
    headers: Object.assign({}, ...all.map(({ headers }) => headers)),
    text: (json: string) => text.reduce((sofar, step) => step(sofar), json),
    role: pipe(all.map((traits) => traits.role)),
    people: pipe(all.map((traits) => traits.people)),
    domain: pipe(all.map((traits) => traits.domain)),
    findings: pipe(all.map((traits) => traits.findings)),
    reject: (asked: AskedOperation) =>
      all.map((traits) => traits.reject?.(asked)).find((rejection) => rejection !== undefined),
  };
}

/** A change to an answer that another one has made something else of leaves it at that. */
function applied<T>(step: (value: T) => unknown, value: unknown): unknown {
  try {
    return step(value as T);
  } catch (error) {
    if (error instanceof TypeError) return value;
    throw error;
  }
}
