import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that goes when the test ends. */
export async function journalDirectory(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orgadm-journal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
