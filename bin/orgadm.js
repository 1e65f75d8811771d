#!/usr/bin/env node
const { readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

/** The columns for which the build wrote the help down: those of a wide terminal, and of what is none. */
const HELP_COLUMNS = 100;

// Who asks for the version or the help of the whole need not wait for anything to be loaded.
if (!tellsAtOnce(process.argv.slice(2))) {
  keepCompiledCode();
  require('../dist/run.cjs').run(process);
}

function tellsAtOnce([word = '--help', ...more]) {
  try {
    const text = more.length > 0 ? undefined : knownText(word);
    if (text === undefined) return false;
    writeSync(1, text);
    return true;
  } catch {
    // The long way tells what is wrong with standard output, and writes the help that is not there.
    return false;
  }
}

function knownText(word) {
  if (word === '--version' || word === '-V') return `${require('../package.json').version}\n`;
  if ((word === '--help' || word === '-h') && columnsOf(process) >= HELP_COLUMNS)
    return readFileSync(join(__dirname, '../dist/help.txt'), 'utf8');
  return undefined;
}

function columnsOf({ stdout }) {
  return stdout.isTTY ? stdout.columns : HELP_COLUMNS;
}

/** Where Node can, from 22 on: a tenth of a short run. Not in the folder for temporary files, where others could put theirs. */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache === undefined) return;
  const { homedir } = require('node:os');
  enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orgadm'));
}
