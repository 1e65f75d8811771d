#!/usr/bin/env node
import { homedir } from 'node:os';
import { systemClock } from '../dist/clock.js';
import { SIGNAL_EXIT } from '../dist/host.js';
import { main } from '../dist/main.js';
import { keepHeapSmall } from '../dist/small-heap.js';

keepHeapSmall();
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
