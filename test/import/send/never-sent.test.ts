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

const certificates = certificatesForTests();

/** Sends people to a service that cannot be reached, and returns how the engine classifies the failure. */
async function failureOf(baseUrl: string): Promise<string> {
  const client = createClient({
    baseUrl,
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
  const members = [{ userId: 'usr_1', role: 'member' }];
  const endsAt = momentAfter(presentMoment(systemClock), 5_000);
  const error = await addMembers(client, members, { endsAt }).catch((failed: unknown) => failed);
  if (!(error instanceof ServiceError)) throw new Error('the request did not fail');
  return classifyFailure(error, members.length).kind;
}

it('sends again what was never sent, because a connection was refused', async () => {
  const service = await startScriptedService(() => ({ status: 200, body: {} }));
  await service.close();
  expect(await failureOf(service.url)).toBe('not-processed');
});

it('sends again what was never sent, because the certificate of the service is not trusted', async () => {
  const service = await startScriptedService(() => ({ status: 200, body: {} }), { tls: certificates.selfSigned });
  onTestFinished(() => service.close());
  expect(await failureOf(service.url)).toBe('not-processed');
  expect(service.requests).toEqual([]);
});

it('sends again what was never sent, because the name of the service has no address', async () => {
  expect(await failureOf('https://orgadm.invalid')).toBe('not-processed');
});
