import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../../../../util/host.ts';

/**
 * Returns the path that a user has typed or dragged into a terminal, where no shell reads it. Unless a file has the name as
 * typed, removes the quotes around it and the backslashes before its characters, and expands a leading `~/`.
 */
export function readTypedPath(typed: string, { home, platform }: Pick<Host, 'home' | 'platform'>): string {
  if (existsSync(typed)) return typed;
  const path = unquote(typed, platform !== 'win32');
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/** @param hasEscapes whether a backslash escapes a character; on Windows, it separates folders */
function unquote(typed: string, hasEscapes: boolean): string {
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/s.exec(typed) ?? [];
  // A shell writes an apostrophe within apostrophes like this.
  if (single !== undefined) return single.replaceAll(`'\\''`, "'");
  if (double !== undefined) return hasEscapes ? double.replace(/\\(["\\$`])/g, '$1') : double;
  return hasEscapes ? typed.replace(/\\(.)/gs, '$1') : typed;
}
