#!/usr/bin/env node
import { homedir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { systemClock } from '../dist/clock.js';
import { SIGNAL_EXIT } from '../dist/host.js';
import { main } from '../dist/main.js';

// The parser of HTTP answers is WebAssembly. Compiled to the utmost it costs 35 MB for a moment and is no faster to feel.
setFlagsFromString('--liftoff-only');
// Lists and answers are read piece by piece: a heap that grows to four times what is in use would hold nothing but garbage.
setFlagsFromString('--heap-growing-percent=50');

process.exitCode = await main(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  home: homedir(),
  pid: process.pid,
  uid: process.getuid?.(),
  isRunning(pid) {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return error.code === 'EPERM';
    }
  },
  clock: systemClock,
  random: Math.random,
  onSignal(listener) {
    const signals = Object.keys(SIGNAL_EXIT);
    for (const signal of signals) process.on(signal, listener);
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
});
