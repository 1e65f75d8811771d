import type { OrgadmError } from '../../errors.ts';
import type { Output } from '../../output/output.ts';
import type { DomainStatus } from '../../service/contract.ts';
import { misconfiguredOf } from '../../service/domains.ts';
import { renderZone } from './zone.ts';

/** What came of asking for one domain: a status or an error. */
export interface Checked {
  domain: string;
  status?: DomainStatus;
  ready: boolean;
  error?: OrgadmError;
}

/** Prints the domains in the output's format, or their records as zone-file lines. */
export async function printStatuses(checked: readonly Checked[], zone: boolean, output: Output): Promise<void> {
  if (zone) {
    for (const { domain, status } of checked) if (status !== undefined) await output.write(renderZone(domain, status));
    return;
  }
  switch (output.format) {
    case 'json': {
      const documents = checked.map(documentOf);
      return output.json(documents.length === 1 ? documents[0] : documents);
    }
    case 'ndjson':
      for (const one of checked) await output.ndjson(documentOf(one));
      return;
    case 'csv':
      return printCsv(checked, output);
    case 'table':
      return printTable(checked, output);
  }
}

function documentOf({ domain, status, ready, error }: Checked): object {
  if (error !== undefined) {
    const { code, message, hint, status: httpStatus, requestId } = error;
    return { domain, error: { code, message, hint, status: httpStatus, requestId } };
  }
  return { ...status, ready };
}

async function printTable(checked: readonly Checked[], output: Output): Promise<void> {
  const yesNo = (value: boolean | undefined) =>
    value === undefined ? '' : { text: value ? 'yes' : 'no', paint: value ? output.style.ok : output.style.bad };
  await output.table(
    [
      { header: 'domain', min: 16 },
      { header: 'ready' },
      { header: 'verified' },
      { header: 'misconfigured' },
      { header: 'CNAME target', min: 12 },
    ],
    checked.map(({ domain, status, ready, error }) =>
      error === undefined
        ? [
            domain,
            yesNo(ready),
            yesNo(status?.verified),
            (status && misconfiguredOf(status)) ?? '',
            status?.cnameTarget ?? '',
          ]
        : [domain, { text: 'failed', paint: output.style.bad }, '', '', ''],
    ),
  );
  const records = recordsOf(checked);
  if (records.length === 0) return;
  await output.write('\nDNS records to add:\n\n');
  // Never cut: these are there to be copied.
  await output.table([{ header: 'type' }, { header: 'name' }, { header: 'value' }, { header: 'reason' }], records, {
    cut: false,
  });
}

function recordsOf(checked: readonly Checked[]): string[][] {
  return checked.flatMap(({ status }) =>
    (status?.verification ?? []).map((record) => [
      record.type ?? '',
      record.domain ?? '',
      record.value ?? '',
      record.reason ?? '',
    ]),
  );
}

async function printCsv(checked: readonly Checked[], output: Output): Promise<void> {
  await output.csvRow(['domain', 'ready', 'verified', 'misconfigured', 'cnameTarget', 'error']);
  for (const { domain, status, ready, error } of checked) {
    const misconfigured = status === undefined ? '' : (misconfiguredOf(status) ?? '');
    await output.csvRow([domain, ready, status?.verified, misconfigured, status?.cnameTarget, error?.message]);
  }
}
