import type { BulkBody, Json } from '../helpers/organization.ts';

/** The response of a service that rejects a request. A body that is not a string is sent as JSON. */
export interface Rejection {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** The parts of a request on which a rejection may depend. */
export interface ReceivedRequest {
  operation: Operation;
  /** Number of earlier requests. */
  before: number;
  /** The entries of a bulk request. */
  members: readonly Json[];
}

export type Operation = 'role' | 'people' | 'domain' | 'findings';

/** The behavior of a service where the interface leaves it open. Missing properties are those of the default service. */
export interface Behaviors {
  /** The path of the base URL. */
  base?: string;
  /** Status of a success. */
  status?: number;
  /** Headers of every response; null omits one. */
  headers?: Readonly<Record<string, string | null>>;
  /** Changes the text of a body. */
  text?: (json: string) => string;
  /** Whether a byte order mark precedes it. */
  mark?: true;
  encoding?: 'gzip';
  /** Number of bytes in one chunk of the body. */
  pieces?: number;
  /** Change the default responses. */
  role?: (role: Json) => unknown;
  people?: (response: BulkBody) => unknown;
  domain?: (status: Json) => unknown;
  findings?: (list: readonly Json[]) => unknown;
  /** The number of the first entry in `errors[].index`. */
  indexBase?: 0 | 1;
  /** The error for a user who is already a member. */
  memberMessage?: unknown;
  /** The name of an entry's device label; other names are rejected as unknown. */
  label?: string;
  /** The query parameter for a task; any other one is ignored or rejected. */
  taskParameter?: { name: string; others: 'ignore' | 'reject' };
  /** Rejects a request, or returns undefined to accept it. */
  reject?: (received: ReceivedRequest) => Rejection | undefined;
}

/** Merges behaviors: changes of responses run one after another; of the other properties the last one wins. */
export function mergeBehaviors(all: readonly Behaviors[]): Behaviors {
  const pipe = <T>(steps: readonly (((value: T) => unknown) | undefined)[]) => {
    const present = steps.filter((step) => step !== undefined);
    return (value: T) => present.reduce<unknown>((result, step) => applyChange(step, result), value);
  };
  const text = all.flatMap((behaviors) => behaviors.text ?? []);
  return {
    ...Object.assign({}, ...all),
    headers: Object.assign({}, ...all.map(({ headers }) => headers)),
    text: (json: string) => text.reduce((result, step) => step(result), json),
    role: pipe(all.map((behaviors) => behaviors.role)),
    people: pipe(all.map((behaviors) => behaviors.people)),
    domain: pipe(all.map((behaviors) => behaviors.domain)),
    findings: pipe(all.map((behaviors) => behaviors.findings)),
    reject: (received: ReceivedRequest) =>
      all.map((behaviors) => behaviors.reject?.(received)).find((rejection) => rejection !== undefined),
  };
}

/** Applies a change, unless an earlier change has left a value of another type. */
function applyChange<T>(step: (value: T) => unknown, value: unknown): unknown {
  try {
    return step(value as T);
  } catch (error) {
    if (error instanceof TypeError) return value;
    throw error;
  }
}
