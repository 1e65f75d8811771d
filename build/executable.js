/*
 * Builds one file of the program and the Node.js that runs this script: `npm run executable [-- <folder>]`. Node.js calls this a
 * single executable application: https://nodejs.org/api/single-executable-applications.html
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'postject';
import { build } from 'rolldown';
import { PROGRAM, SCRIPTS } from '../rolldown.config.js';

/** Where Node.js looks for a script in its own file, and the mark that says whether there is one. */
const RESOURCE = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const [destination = '.'] = process.argv.slice(2);
if (process.platform !== 'linux') {
  throw new Error('executables are only built on Linux: macOS would require a signature');
}
const work = mkdtempSync(join(tmpdir(), 'orgadm-executable-'));
try {
  const blob = await createBlob(work);
  mkdirSync(destination, { recursive: true });
  const executable = join(destination, `orgadm-${process.platform}-${process.arch}`);
  // An executable that runs can be removed, but not written to.
  rmSync(executable, { force: true });
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  await inject(executable, RESOURCE, readFileSync(blob), { sentinelFuse: FUSE });
  process.stdout.write(`${executable}\n`);
} finally {
  rmSync(work, { recursive: true });
}

/** Bundles the program and has Node.js convert it. Returns the path of the result, in `folder`. */
async function createBlob(folder) {
  const main = join(folder, 'orgadm.cjs');
  await build({
    ...PROGRAM,
    input: 'build/executable-entry.js',
    // With jq in the script, because there are no files next to it.
    resolve: { alias: { ...PROGRAM.resolve.alias, 'jq-wasm$': 'jq-wasm/inline' } },
    output: { ...SCRIPTS, file: main, codeSplitting: false },
  });
  const output = join(folder, 'blob');
  const config = join(folder, 'config.json');
  const assets = Object.fromEntries(readdirSync('man').map((name) => [name, join('man', name)]));
  // Without the code cache, starting takes half as long again.
  const how = { disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify({ main, output, assets, ...how }));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  return output;
}
