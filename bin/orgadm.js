#!/usr/bin/env node
const { writeSync } = require('node:fs');

const words = process.argv.slice(2);
const asksForVersion = words.length === 1 && (words[0] === '--version' || words[0] === '-V');

// Who asks for the version alone need not wait for anything to be loaded.
if (!(asksForVersion && tellsVersion())) require('../dist/run.cjs').run(process);

function tellsVersion() {
  try {
    writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    // The long way tells what is wrong with standard output.
    return false;
  }
}
