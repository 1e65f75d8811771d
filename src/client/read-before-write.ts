import { isJson } from '../util/json/parse-json.ts';
import { ServiceError } from './http/service-error.ts';
import { type FindingsResponse, invalidListResponse, listFindings } from './list-findings.ts';
import type { ServiceClient } from './service-client.ts';

/** No task has this identifier, so the response is small. */
const NONEXISTENT_TASK = 'orgadm-key-check';

/** A gateway in front of a service that is not available. */
const BAD_GATEWAY = 502;

/**
 * Reads the findings of a task that does not exist (interface 4.4): a request that changes nothing, and shows whether the
 * base URL and the key are right.
 *
 * @param parameter the service's name of the query parameter for tasks
 * @throws ServiceError
 */
export function readNoFindings(client: ServiceClient, parameter: string): Promise<FindingsResponse> {
  return listFindings(client, { name: parameter, value: NONEXISTENT_TASK });
}

/**
 * Makes sure that the base URL leads to the API, so that no row of an import is ever sent to anything else. Any JSON shows
 * that it does, also that of an error: services differ on whether an unknown task is one, and a key may lack permission.
 *
 * @param parameter the service's name of the query parameter for tasks
 * @throws ServiceError for no connection, a redirect, a response that is not JSON, a 401, and a service that is not available
 */
export function requireApi(client: ServiceClient, parameter: string): Promise<void> {
  return client.retryRead(
    () => requireApiOnce(client, parameter),
    () => true,
  );
}

async function requireApiOnce(client: ServiceClient, parameter: string): Promise<void> {
  let response: FindingsResponse | undefined;
  try {
    response = await readNoFindings(client, parameter);
    // A service that ignores the parameter sends all findings. The first ones are enough.
    for await (const _ of response.groups) return;
  } catch (error) {
    if (!(error instanceof ServiceError) || !isFromApi(error, response)) throw error;
    return;
  }
  const envelope = response.envelope();
  if (!envelope.isJson) throw invalidListResponse({ ...envelope, requestId: undefined }, 'it is empty');
}

function isFromApi({ kind, status = 0, response }: ServiceError, list: FindingsResponse | undefined): boolean {
  if (list !== undefined) return kind === 'invalid-response' && list.envelope().isJson;
  return kind === 'rejected' && status !== 401 && status < BAD_GATEWAY && isJson(response?.text ?? '');
}
