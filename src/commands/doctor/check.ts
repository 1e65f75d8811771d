import type { IncomingHeaders, ProxyConfig } from '../../client/http/transport.ts';
import type { RequestSpec, ServiceClient } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Settings } from '../../config/settings.ts';
import { cleanLine } from '../../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';
import type { Context } from '../command-context.ts';

/** Every check, in the order in which they run. */
export const CHECK_NAMES = [
  'node',
  'state-directory',
  'disk-space',
  'runs',
  'locks',
  'config-file',
  'credentials-file',
  'settings',
  'base-url',
  'api-key',
  'proxy',
  'certificate-authorities',
  'dns',
  'tcp',
  'tls',
  'service',
  'key-accepted',
  'findings-list',
  'domain-status',
  'role-update',
  'people-bulk-add',
  'clock',
  'rate-limit',
  'latency',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** `skipped`: not checked, either because a check before it failed or because it cannot be checked without harm. */
export const CHECK_STATES = ['ok', 'warning', 'failed', 'skipped'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

export interface CheckOutcome {
  state: CheckState;
  /** What was found. May hold text of a service: it is cleaned when it is reported. */
  detail: string;
  /** What to do about it, for warnings and failures. */
  fix: string | null;
}

export interface CheckResult extends CheckOutcome {
  check: CheckName;
}

export const ok = (detail: string): CheckOutcome => ({ state: 'ok', detail, fix: null });
export const skipped = (detail: string): CheckOutcome => ({ state: 'skipped', detail, fix: null });
export const warning = (detail: string, fix: string | undefined): CheckOutcome => ({
  state: 'warning',
  detail,
  fix: fix ?? null,
});
export const failed = (detail: string, fix: string | undefined): CheckOutcome => ({
  state: 'failed',
  detail,
  fix: fix ?? null,
});

/** Results of checks that later checks use. */
export interface Diagnosis {
  readonly context: Context;
  settings?: Settings;
  /** Base URL of the service. */
  target?: URL;
  /** Proxy on the way to it, if any. */
  proxy?: ProxyConfig | undefined;
  /** Client of the tool, which also records what the service returns. */
  client?: ObservedClient;
  /** API keys that must not appear in a result. */
  readonly secrets: Set<string>;
}

/** One check. It fails with the message and hint of the error that it throws. */
export interface CheckDefinition {
  readonly name: CheckName;
  /** If one of these failed or could not run, this check is skipped. */
  readonly needs: readonly CheckName[];
  run(diagnosis: Diagnosis): CheckOutcome | Promise<CheckOutcome>;
}

/**
 * Runs checks one after another.
 *
 * @param redact removes API keys from a text
 * @param onStart receives the name of each check before it runs
 */
export async function* runChecks(
  definitions: readonly CheckDefinition[],
  diagnosis: Diagnosis,
  redact: (text: string) => string,
  onStart: (name: CheckName) => void,
): AsyncGenerator<CheckResult> {
  /** For each check without a result, the check that failed in the first place. */
  const unavailable = new Map<CheckName, CheckName>();
  for (const definition of definitions) {
    const { name, needs } = definition;
    const cause = needs.map((need) => unavailable.get(need)).find((need) => need !== undefined);
    if (cause === undefined) onStart(name);
    const finding =
      cause === undefined ? await runCheck(definition, diagnosis) : skipped(`not checked, because ${cause} failed`);
    if (cause !== undefined) unavailable.set(name, cause);
    else if (finding.state === 'failed') unavailable.set(name, name);
    const clean = (text: string) => bounded(cleanLine(redact(text)));
    yield { check: name, state: finding.state, detail: clean(finding.detail), fix: finding.fix && clean(finding.fix) };
  }
}

async function runCheck({ run }: CheckDefinition, diagnosis: Diagnosis): Promise<CheckOutcome> {
  try {
    return await run(diagnosis);
  } catch (error) {
    return failureOf(error);
  }
}

/** A failed check, for the error that it met. */
export function failureOf(error: unknown): CheckOutcome {
  if (error instanceof OrgadmError) return failed(error.message, error.hint);
  return failed(describeFsError(error), undefined);
}

const MAX_CHARACTERS = 1_000;

function bounded(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** The head of a response, and when it came; milliseconds since the epoch. */
export interface ObservedResponse {
  status: number;
  headers: IncomingHeaders;
  sentAt: number;
  receivedAt: number;
}

export interface ObservedClient {
  readonly client: ServiceClient;
  /** Every response so far that had headers. */
  readonly responses: readonly ObservedResponse[];
}

/** Wraps a client: records what the service returns, and ends each request after `deadlineMs` with a timeout. */
export function observeClient(client: ServiceClient, deadlineMs: number, clock: Clock): ObservedClient {
  const responses: ObservedResponse[] = [];

  const observed =
    <T extends { status: number; headers: IncomingHeaders }>(send: (spec: RequestSpec) => Promise<T>) =>
    async (spec: RequestSpec): Promise<T> => {
      const deadline = new AbortController();
      const disarm = clock.after(deadlineMs, () => deadline.abort());
      const sentAt = clock.now();
      const record = (status: number, headers: IncomingHeaders) =>
        responses.push({ status, headers, sentAt, receivedAt: clock.now() });
      try {
        const response = await send({ ...spec, signal: deadline.signal });
        record(response.status, response.headers);
        return response;
      } catch (error) {
        if (deadline.signal.aborted) throw deadlineError(client.baseUrl, deadlineMs);
        if (error instanceof ServiceError && error.response !== undefined) {
          record(error.status ?? 0, error.response.headers);
        }
        throw error;
      } finally {
        disarm();
      }
    };

  return {
    responses,
    client: {
      ...client,
      request: observed((spec) => client.request(spec)),
      requestBytes: observed((spec) => client.requestBytes(spec)),
      stream: observed((spec) => client.stream(spec)),
    },
  };
}

function deadlineError(baseUrl: string, deadlineMs: number): ServiceError {
  return new ServiceError('timeout', EXIT.unreachable, `no response from ${baseUrl} within ${deadlineMs / 1_000} s`, {
    kind: 'timeout',
    processed: 'maybe',
    hint: 'Try again later.',
  });
}
