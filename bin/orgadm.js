#!/usr/bin/env node
const { existsSync, mkdirSync, statSync } = require('node:fs');
const { dirname, isAbsolute, join } = require('node:path');

keepCompiledCode();
require('../dist/main.cjs').run(process);

/** Enables the compile cache of Node 22 and later, which saves 10 % of a short run. */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  if (enableCompileCache === undefined) return;
  const directory = cacheDirectory();
  if (directory !== undefined) enableCompileCache(directory);
}

/** Returns the cache directory, created with mode 0700; undefined where that fails or other users could put code there. */
function cacheDirectory() {
  try {
    // The XDG specification: a relative path in this variable is invalid and must be ignored.
    const { XDG_CACHE_HOME = '' } = process.env;
    const base = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(require('node:os').homedir(), '.cache');
    if (!isAbsolute(base)) return undefined;
    const directory = join(base, 'orgadm');
    makeDirectory(directory);
    const { mode, uid } = statSync(directory);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? directory : undefined;
  } catch {
    return undefined;
  }
}

/** Creates a directory and its parents. The `recursive` option of `mkdirSync` would never return below /proc. */
function makeDirectory(path) {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
