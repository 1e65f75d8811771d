import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { here, measure } from './processes.js';

const PROGRAM = here('../../bin/orgadm.js');

/** Runs the built tool with a state directory of its own; see `measure`. */
export async function measureOrgadm(args, baseUrl, options = {}) {
  const state = await mkdtemp(join(tmpdir(), 'orgadm-bench-state-'));
  const env = {
    ORGADM_BASE_URL: baseUrl,
    ORGADM_API_KEY: 'key-of-the-benchmark',
    ORGADM_STATE_DIR: state,
    ORGADM_CONFIG_DIR: join(state, 'config'),
  };
  try {
    return await measure(process.execPath, [PROGRAM, ...args], { ...options, env });
  } finally {
    await rm(state, { recursive: true });
  }
}
