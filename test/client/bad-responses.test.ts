import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../src/client/service.ts';
import { BAD_RESPONSES } from '../helpers/bad-responses.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { failureOf, testClient } from '../helpers/test-client.ts';

const POST: RequestSpec = { method: 'POST', path: ['v1', 'people', 'bulk'], body: { members: [] } };

describe('the client', () => {
  const opened = closeAfterTests();

  it.each(BAD_RESPONSES)(
    'reports the exit code and the outcome of a request if the service responds with $name',
    async ({ reply, exit, code, isAmbiguous, isTransient, message, hint = '' }) => {
      const service = opened(await startScriptedService([reply]));
      const client = opened(testClient(service.url));

      const error = await failureOf(client.request(POST));
      expect(error).toMatchObject({ exitCode: exit, code, isAmbiguous, isTransient });
      expect(error.message).toMatch(message);
      expect(error.hint ?? '').toMatch(hint);
    },
  );
});
