import { Option } from 'commander';
import { parseDuration } from '../../util/units.ts';
import { countParser } from '../define-command.ts';
import type { OrgadmCommand } from '../orgadm-command.ts';

const DEFAULT_BATCH_SIZE = 500;
const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 64;

/** Returns `--limit`. */
export function limitOption(): Option {
  return new Option(
    '--limit <n>',
    'send at most this many new rows, then stop; the same command without it sends the rest',
  ).argParser(countParser({ option: '--limit', least: 1, example: 10 }));
}

/** Adds the options that say how rows are sent. */
export function addSendingOptions<C extends OrgadmCommand>(command: C): C {
  return command
    .option(
      '--batch-size <n>',
      `rows per request (default: ${DEFAULT_BATCH_SIZE})`,
      countParser({ option: '--batch-size', least: 1, example: 100 }),
      DEFAULT_BATCH_SIZE,
    )
    .option(
      '--concurrency <n>',
      `requests in flight at the same time (default: ${DEFAULT_CONCURRENCY})`,
      countParser({ option: '--concurrency', least: 1, most: MAX_CONCURRENCY, example: 2 }),
      DEFAULT_CONCURRENCY,
    )
    .option(
      '--request-lifetime <duration>',
      'how long the service may keep working on a request after orgadm stops waiting for it (default: 2m)',
      (text) => parseDuration(text, '--request-lifetime'),
    );
}
