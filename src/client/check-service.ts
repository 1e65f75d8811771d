import { isJson } from '../util/json/parse-json.ts';
import type { ServiceClient } from './service.ts';
import { invalidResponse, ServiceError } from './service-error.ts';

/** No task has this identifier, so the response is small. */
const NONEXISTENT_TASK = 'orgadm-key-check';

/** The first status of gateways in front of a service that is not available. */
const BAD_GATEWAY = 502;

/**
 * Reads the findings of a task that does not exist (interface 4.4), to make sure that the base URL leads to the API and that it
 * does not reject the key. Any JSON shows that, also that of an error: services differ on whether an unknown task is one, and a
 * key may lack permission.
 *
 * @param parameter the service's name of the query parameter for tasks
 * @param isRepeatable whether the read is repeated after a failure that may pass
 * @returns the error with which the API responded; undefined for a 2xx
 * @throws ServiceError for no response, a redirect, a response that is not JSON, a 401, and a service that is not available
 */
export async function checkService(
  client: ServiceClient,
  parameter: string,
  isRepeatable: boolean,
): Promise<ServiceError | undefined> {
  const query = { [parameter]: NONEXISTENT_TASK };
  try {
    const response = await client.request({ method: 'GET', path: ['v1', 'findings'], query, isRepeatable });
    if (isJson(response.text)) return undefined;
    const hint = `If there is a gateway in front of the service, ask its administrator. Check the base URL: ${client.baseUrl}`;
    throw invalidResponse(
      response,
      `the response (${response.status}) is not JSON, so it does not come from the API`,
      hint,
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status = BAD_GATEWAY, response } = error;
    if (status === 401 || status >= BAD_GATEWAY || response === undefined || !isJson(response.text)) throw error;
    return error;
  }
}
