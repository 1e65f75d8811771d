import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for the files of one test: lists, state, configuration. */
export interface TemporaryFolder {
  readonly path: string;
  /** Returns the path of a file in it. */
  file(name: string): string;
}

/** Returns a folder that is created when a test first uses it, and removed when that test ends. */
export function temporaryFolder(): TemporaryFolder {
  let created: string | undefined;
  const path = () => {
    if (created !== undefined) return created;
    const folder = mkdtempSync(join(tmpdir(), 'orgadm-test-'));
    created = folder;
    onTestFinished(() => {
      created = undefined;
      rmSync(folder, { recursive: true, force: true });
    });
    return folder;
  };
  return {
    get path() {
      return path();
    },
    file: (name) => join(path(), name),
  };
}
