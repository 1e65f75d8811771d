#!/usr/bin/env node
const { writeSync } = require('node:fs');

const words = process.argv.slice(2);
const asksForVersion = words.length === 1 && (words[0] === '--version' || words[0] === '-V');

// Who asks for the version alone need not wait for anything to be loaded.
if (!(asksForVersion && tellsVersion())) {
  keepCompiledCode();
  require('../dist/run.cjs').run(process);
}

function tellsVersion() {
  try {
    writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    // The long way tells what is wrong with standard output.
    return false;
  }
}

/** Where Node can, from 22 on: a tenth of a short run. Not in the folder for temporary files, where others could put theirs. */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache === undefined) return;
  const { homedir } = require('node:os');
  const { join } = require('node:path');
  enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orgadm'));
}
