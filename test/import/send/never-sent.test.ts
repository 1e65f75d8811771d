import { expect, it, onTestFinished } from 'vitest';
import { addMembers } from '../../../src/client/operations.ts';
import { createClient } from '../../../src/client/service.ts';
import { ServiceError } from '../../../src/client/service-error.ts';
import { classifyFailure } from '../../../src/import/send/response/classify-error.ts';
import { Secrets } from '../../../src/output/redact.ts';
import { systemClock } from '../../../src/util/host.ts';
import { momentAfter, presentMoment } from '../../../src/util/moment.ts';
import { certificatesForTests } from '../../helpers/certificates.ts';
import { startScriptedService } from '../../helpers/scripted-service.ts';

/*
 * Without the command, whose read before the first row would fail for the same reason. How it waits for a service that is gone is
 * in `rate-limits.test.ts`.
 */

const certificates = certificatesForTests();

it.each<[string, () => Promise<string>]>([
  [
    'a connection is refused',
    async () => {
      const service = await startScriptedService([]);
      await service.close();
      return service.url;
    },
  ],
  [
    'the certificate of the service is not trusted',
    async () => {
      const service = await startScriptedService([], { tls: certificates.selfSigned });
      onTestFinished(() => service.close());
      return service.url;
    },
  ],
  ['the name of the service has no address', async () => 'https://orgadm.invalid'],
])('sends again what was never sent, because %s', async (_, start) => {
  const client = createClient({
    baseUrl: await start(),
    apiKey: 'key-of-the-test',
    timeoutMs: 5_000,
    retries: 0,
    allowHttp: true,
    proxy: {},
    userAgent: 'orgadm/test',
    clock: systemClock,
    random: () => 0,
    secrets: new Secrets(),
  });
  onTestFinished(() => client.close());
  const endsAt = momentAfter(presentMoment(systemClock), 5_000);
  const sent = addMembers(client, [{ userId: 'usr_1', role: 'member' }], { endsAt });
  const error = await sent.catch((failed: unknown) => failed);
  expect(error).toBeInstanceOf(ServiceError);
  expect(classifyFailure(error as ServiceError, 1).kind).toBe('not-processed');
});
